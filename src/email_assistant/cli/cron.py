"""`cron`: look for mail on a schedule, by the server itself."""

import re
from typing import Annotated, Any

import typer

from email_assistant.app import ingesting
from email_assistant.app.journal import JournalDeps
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    count,
    journal_deps,
    print_list,
    run_async,
    say,
)
from email_assistant.errors import InputError

GRAPH = "ingest"
MARK = {"installed_by": "email-assistant cron"}
ALL = 100
_SCHEDULE = re.compile(r"[\d*,/\-A-Za-z]+( +[\d*,/\-A-Za-z]+){4}")

app = typer.Typer(help="Look for mail on a schedule, by the server itself.", no_args_is_help=True)


@app.command("install")
def install(
    minutes: Annotated[int, typer.Option("--every", min=1, max=59, help="Minutes between two looks.")] = 10,
    schedule: Annotated[
        str, typer.Option(help="A cron line in UTC in place of --every, like '0 7-18 * * 1-5'.")
    ] = "",
    graph_name: Annotated[
        str | None,
        typer.Option(help="The graph that deals with all of the mail; left out, each mail's owner."),
    ] = None,
    include_read: Annotated[
        bool, typer.Option("--include-read", help="Also messages that are read already.")
    ] = False,
    url: UrlOption = None,
) -> None:
    """Let the server look for new mail every 10 minutes; an earlier schedule for the same graph is replaced."""
    line = " ".join(schedule.split()) or f"*/{minutes} * * * *"
    if not _SCHEDULE.fullmatch(line):
        raise typer.BadParameter(f"--schedule is no cron line of five fields: {schedule!r}")
    named = {"graph_name": graph_name} if graph_name else {}
    look = named | ({"include_read": True} if include_read else {})
    deps = journal_deps()
    run_async(_install(deps, url, line, look))
    graphs = ingesting.ownership(deps.settings, graph_name).graphs
    say(
        f"Looking for new mail at “{line}” (UTC), for {', '.join(graphs)}. `email-assistant status` tells of the last look."
    )


@app.command("list")
def list_(url: UrlOption = None, as_json: JsonOption = False) -> None:
    """List what is scheduled."""
    deps = journal_deps()
    crons = run_async(_listed(deps, url))
    print_list(
        [_shown(each, deps) for each in crons],
        "{cron_id}  {schedule}  {graph_name}  next {next_run}".format_map,
        "Nothing is scheduled: `email-assistant cron install`",
        as_json=as_json,
        plain=dict,
    )


@app.command("remove")
def remove(
    cron_id: Annotated[
        str | None, typer.Argument(help="Its id from `cron list`; all of them when left out.")
    ] = None,
    url: UrlOption = None,
) -> None:
    """End a schedule, or all of them."""
    number = run_async(_remove(journal_deps(), url, cron_id))
    say(f"Removed {count(number, 'schedule')}.")


async def _install(deps: JournalDeps, url: str | None, schedule: str, look: dict[str, Any]) -> None:
    named = ingesting.ownership(deps.settings, look.get("graph_name")).default
    client = client_for(deps, url)
    before = [c for c in await _listed(deps, url) if _shown(c, deps)["graph_name"] == named]
    # The new one first: a failure in between leaves two schedules, which do no harm, and not none.
    await client.crons.create(GRAPH, schedule=schedule, input=look, metadata=MARK)
    for each in before:
        await client.crons.delete(each["cron_id"])


async def _listed(deps: JournalDeps, url: str | None) -> list[dict[str, Any]]:
    client = client_for(deps, url)
    found: list[Any] = list(await client.crons.search(limit=ALL))
    return [dict(c) for c in found if (c.get("metadata") or {}).get("installed_by") == MARK["installed_by"]]


async def _remove(deps: JournalDeps, url: str | None, cron_id: str | None) -> int:
    client = client_for(deps, url)
    crons = [c for c in await _listed(deps, url) if cron_id in {None, c["cron_id"]}]
    if cron_id is not None and not crons:
        raise InputError(f"no schedule has the id {cron_id!r}; `email-assistant cron list` lists them")
    for each in crons:
        await client.crons.delete(each["cron_id"])
    return len(crons)


def _shown(cron: dict[str, Any], deps: JournalDeps) -> dict[str, str]:
    """A schedule that names no graph goes by the default one, beside which rules may name others."""
    look = (cron.get("payload") or {}).get("input") or {}
    return {
        "cron_id": str(cron["cron_id"]),
        "schedule": str(cron["schedule"]),
        "graph_name": str(look.get("graph_name") or deps.settings.graph),
        "next_run": str(cron.get("next_run_date") or "unknown"),
    }
