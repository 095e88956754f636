"""`ingest`: bring mail in from files, or look for it at once, without waiting for the server to look."""

import asyncio
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from langgraph_sdk.client import LangGraphClient

from email_assistant.adapters.importer import bring_in_all, read_source
from email_assistant.app import ingesting
from email_assistant.app.accounts import AccountDeps, local_mailbox
from email_assistant.cli.console import (
    RUN_SECONDS,
    JsonOption,
    UrlOption,
    account_deps,
    client_for,
    complain,
    count,
    guessed,
    print_json,
    remind_of_person,
    run_async,
    say,
)
from email_assistant.cli.dead_letters import complain_of_everything, print_failing
from email_assistant.cli.ignored import print_ignored
from email_assistant.cli.progress import Live, live_reports, shown_progress
from email_assistant.ingest.ingestion import FIRST_LOOK, Tally
from email_assistant.ingest.intake import Result
from email_assistant.ingest.look import Look, looking, parse_look
from email_assistant.journal.attention import Failing, failing_now, failing_since
from email_assistant.journal.records import MailStatus

RECENTLY = timedelta(seconds=30)
"""What was touched since may be on its way, and is not looked for as lost."""
WORDS: dict[Result, str] = {
    "started": "taken up",
    "known": "known already",
    "own": "answered by you already",
    "superseded": "older than another of the same conversation",
    "gone": "deleted meanwhile",
    "dead_letter": "cannot be read (see `email-assistant status`)",
}
STATES: dict[MailStatus, str] = {
    MailStatus.waiting_review: "waiting for you",
    MailStatus.done: "dealt with",
    MailStatus.ignored: "ignored",
    MailStatus.superseded: "superseded by newer mail",
    MailStatus.needs_review: "failed, to be tried again",
    MailStatus.dead_letter: "given up",
    MailStatus.processing: "being read",
    MailStatus.claimed: "not begun",
}


def ingest(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="An mbox file, an .eml file, a folder of .eml files, or a Maildir to import first."
        ),
    ] = None,
    email: Annotated[
        str, typer.Option(help="The account that is meant; fails when another one is configured.")
    ] = "",
    minutes_since: Annotated[
        int | None, typer.Option(min=1, help="Only mail received within so many minutes.")
    ] = None,
    after: Annotated[
        str | None, typer.Option(help="Only mail received at or after this day or time.")
    ] = None,
    before: Annotated[str | None, typer.Option(help="Only mail received before this day or time.")] = None,
    query: Annotated[
        str, typer.Option(help="Only mail with these words in sender, recipients or subject.")
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many new messages.")] = None,
    early: Annotated[
        bool, typer.Option("--early", help="Stop after the first conversation that is taken up.")
    ] = False,
    include_read: Annotated[
        bool, typer.Option("--include-read", help="Also messages that are read already.")
    ] = False,
    rerun: Annotated[
        bool,
        typer.Option(
            "--rerun", help="Also messages that were dealt with before; a card that waits is made anew."
        ),
    ] = False,
    backfill: Annotated[
        bool,
        typer.Option(
            "--backfill",
            help="The whole inbox, oldest first, read mail included; goes on where it was broken off.",
        ),
    ] = False,
    graph_name: Annotated[
        str | None,
        typer.Option(
            help="The graph that deals with all of the mail; left out, each mail goes to the graph that owns it "
            "(EMAIL_ASSISTANT_GRAPH, EMAIL_ASSISTANT_GRAPHS)."
        ),
    ] = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import PATH into the local mailbox, if given, then start a run for each conversation with something new.

    Without conditions it takes up whatever came in since the last time, as the server does by itself every minute. What is
    known is skipped, so the command can be repeated, and broken off, at any time.
    """
    deps = account_deps()
    look = parse_look({
        "email": email, "minutes_since": minutes_since, "query": query, "limit": limit,
        "after": instant_of("--after", after, deps), "before": instant_of("--before", before, deps),
        "include_read": include_read, "rerun": rerun, "early": early, "backfill": backfill,
    })  # fmt: skip
    counts, failing = run_async(take_in(deps, path, url, look, graph_name, as_json))
    if as_json:
        print_json(counts)
    complain_of_everything(failing)


def instant_of(option: str, text: str | None, deps: AccountDeps) -> datetime | None:
    """The day or time that an option names, in the user's zone; raises `BadParameter`."""
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(
            f"{option} is no day or time: {text!r}; write it like 2026-11-20 or 2026-11-20T08:00"
        ) from None
    return instant if instant.tzinfo else instant.replace(tzinfo=ZoneInfo(deps.settings.timezone))


async def take_in(
    deps: AccountDeps, path: Path | None, url: str | None, look: Look, graph: str | None, quiet: bool
) -> tuple[dict[str, int], Failing]:
    """Import from PATH, if given, then look into the mailbox once; the counts of both, and what fails."""
    source = read_source(path) if path is not None else None
    client = client_for(deps, url)
    # Before anything is imported: a command that fails has done nothing.
    ingesting.ownership(deps.settings, graph)
    await client.assistants.search(graph_id=graph, limit=1)
    remind_of_person(deps)
    imported: dict[str, int] = {}
    ids: set[str] = set()
    if source is not None:
        imported = await _import(deps, source, ids, quiet)
    async with looking(deps.settings.data_path, wait=True):
        taken = await ingest_inbox(deps, client, look, graph=graph, quiet=quiet, imported=ids)
    failed = {"failed": taken.failing.number} if taken.failing.number else {}
    return imported | {str(name): number for name, number in taken.counts.items()} | failed, taken.failing


async def _import(deps: AccountDeps, source: Iterator[bytes], ids: set[str], quiet: bool) -> dict[str, int]:
    """Bring the messages in, and add their ids; how many were new, there already, and the user's own."""
    new = there = sent = 0
    mailbox, own = local_mailbox(deps), deps.settings.own_addresses
    with shown_progress("Importing", quiet) as show:
        async for imported in bring_in_all(mailbox, source, own):
            ids.add(imported.id)
            new, there = new + imported.is_new, there + (not imported.is_new)
            if imported.sent:
                sent += 1
                await deps.correspondents.note_sent(mailbox.name, [imported.sent], own)
            show(new + there)
    if not quiet:
        yours = f" {sent} of them are your own and lie in Sent." if sent else ""
        say(f"Imported {count(new, 'message')}; {there} were there already.{yours}")
    return {"imported": new, "already_there": there, "imported_as_sent": sent}


@dataclass(frozen=True)
class LookResult:
    """What came of a look."""

    counts: dict[Result, int]
    failing: Failing
    """Mail that has failed since it began; when nothing was new, what fails by now."""
    listed: frozenset[str] = frozenset()
    """The run threads whose cards were printed."""


async def ingest_inbox(
    deps: AccountDeps,
    client: LangGraphClient,
    look: Look,
    *,
    graph: str | None,
    quiet: bool,
    server_is_new: bool = False,
    imported: Collection[str] = (),
) -> LookResult:
    """Look into the mailbox once, with its progress, and say what became of what was found: first of all what failed.

    The caller sees to it that nobody else looks (`looking`); `imported` as in `Ingestion.run`.
    With `server_is_new` what failed before is tried again now and waited for, and cards are printed when they show up.
    """
    began = deps.clock.now()
    untouched_since = began if server_is_new else began - RECENTLY
    await ingesting.recovery(deps, client).recover(untouched_since, after_start=server_is_new)
    with shown_progress("Reading mail", quiet) as show:
        live = Live(deps, client, began, show, quiet, with_cards=server_is_new)
        try:
            async with live_reports(live):
                ingestion = ingesting.ingestion(deps, client, graph, in_bulk=look.backfill)
                tally = await ingestion.run(look, live.settled, live.found, imported)
        except asyncio.CancelledError:  # Ctrl-C
            complain(live.left)
            raise
        if server_is_new:
            await live.until_at_rest(RUN_SECONDS)
    failing = await failing_since(deps.database, began)
    if not failing.number and not tally.taken_up:
        failing = await failing_now(deps.database)
    if not quiet:
        print_failing(failing)
        say(await look_summary(deps, tally, began))
        await print_ignored(deps)
    await deps.database.close()
    return LookResult(tally.counts, failing, frozenset(live.cards))


async def look_summary(deps: AccountDeps, tally: Tally, since: datetime) -> str:
    """What a look that began then has found, in a sentence, and what has become of what it took up."""
    counts = await deps.mail_log.count_by_status(taken_up_since=since) if tally.taken_up else {}
    states = ", ".join(f"{counts[status]} {words}" for status, words in STATES.items() if status in counts)
    guesses, _ = await deps.trace.last_deferred()
    return f"{tally_line(tally)}{f' By now: {states}.' if states else ''}{guessed(guesses)}"


def tally_line(tally: Tally) -> str:
    """What a look found, in a sentence; on the first one with what it looked at."""
    counts = {name: number for name, number in tally.counts.items() if number}
    words = ", ".join(f"{number} {WORDS[name]}" for name, number in counts.items()) or "nothing new"
    first = f"Looked at unread mail of the last {FIRST_LOOK.days} days; older mail: `ingest --backfill`. "
    return f"{first if tally.first_since else ''}Mail: {words}."
