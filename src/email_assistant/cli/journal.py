"""`journal`: what happened in the runs."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.adapters.files import write_atomically
from email_assistant.app import Container
from email_assistant.cli.console import JsonOption, container, print_json, run_async, say
from email_assistant.cli.trace_page import page
from email_assistant.cli.trace_tree import tree, whole
from email_assistant.cli.trace_words import Mail, last_value, mail_of
from email_assistant.errors import InputError
from email_assistant.journal.trace_reads import ListedRun, listed_runs
from email_assistant.journal.traces import Traces, WholeTrace

ALL = 1_000_000
LOOKS = "ingest"

app = typer.Typer(
    help="The record of runs, steps, tool executions, model calls and decisions.", no_args_is_help=True
)


@app.callback()
def journal() -> None:
    """The record of runs, steps, tool executions, model calls and decisions."""


@app.command("show")
def show(
    trace: Annotated[
        str | None,
        typer.Argument(
            help="The id of a trace or of one of its runs (its beginning is enough); the latest runs when left out."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=ALL, help="How many runs to list.")] = 20,
    looks: Annotated[
        bool,
        typer.Option("--looks", help="List the looks into the mailbox, too, that found new mail or not."),
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the trace as a page to this file, to be opened in a browser.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the latest runs, or show all that was done about one mail step by step."""
    if trace is None:
        if html is not None:
            raise InputError("--html writes one trace: name it, as `email-assistant journal show` lists it")
        runs = run_async(listed_runs(container().trace, limit=limit, without=None if looks else LOOKS))
        if as_json:
            print_json([_as_json(each) for each in runs])
        else:
            _list(runs)
        return
    built = container()
    if html is not None:
        _check(html.expanduser())
    found, mail = run_async(_found(built, trace))
    if html is not None:
        write_atomically(html.expanduser(), page(found, mail, built.clock.now()))
    if as_json:
        print_json(whole(found))
    elif html is not None:
        say(str(html.expanduser()))
    else:
        for line in tree(found, built.clock.now()):
            say(" ".join(line.splitlines()))


def _check(path: Path) -> None:
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"--html {path}: name a file in a folder that is there")


async def _found(built: Container, beginning: str) -> tuple[WholeTrace, Mail]:
    """The trace, and of its mail what its states say, or else the record of the mail."""
    found = await Traces(built.trace).find(beginning)
    told = mail_of(last_value(found, "email_input", "email"))
    if told is None and found.message_id:
        record = await built.mail_log.get(built.mailbox.name, found.message_id, found.graph)
        told = mail_of(record.email_input if record else None)
    return found, told or Mail()


def _as_json(listed: ListedRun) -> dict[str, Any]:
    mail = {"sender": listed.sender, "subject": listed.subject, "mail_status": listed.status}
    return asdict(listed.run) | mail | {"outcome": listed.outcome}


def _list(runs: list[ListedRun]) -> None:
    if not runs:
        say("No run is on record.")
    for each in runs:
        r = each.run
        mail = f"  {each.name}" if each.name else ""
        outcome = f" ({(each.outcome or each.status).replace('_', ' ')})" if each.status else ""
        error = f"  {' '.join(r.error.split())}" if r.error else ""
        goes_on = f"  goes on with {r.trace_id}" if r.trace_id != r.run_id else ""
        when = f"{r.started_at:%Y-%m-%d %H:%M:%S} UTC"
        say(f"{r.run_id}  {when}  {r.graph}  {r.status}{mail}{outcome}{goes_on}{error}")
