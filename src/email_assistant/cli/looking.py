"""One look into the mailbox from the command line, on record like a run of the `ingest` graph."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from langgraph_sdk.client import LangGraphClient

from email_assistant.app import Container
from email_assistant.ingest.ingestion import FIRST_LOOK, OnFound, OnSettled, Tally
from email_assistant.ingest.intake import Result
from email_assistant.ingest.look import Look
from email_assistant.ingest.window import Room, plenty
from email_assistant.journal.records import MailStatus

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


async def journaled_look(
    built: Container,
    client: LangGraphClient,
    look: Look,
    graph: str | None,
    on_settled: OnSettled = lambda _: None,
    room: Room = plenty,
    on_found: OnFound = lambda _: None,
) -> Tally:
    """One look, on record like a run of the `ingest` graph, so that `status` tells when one failed; `graph` as in `ownership`."""
    async with on_record(built):
        return await built.ingestion(client, graph).run(look, on_settled, room, on_found)


@asynccontextmanager
async def on_record(built: Container) -> AsyncIterator[None]:
    """Put on record that mail is looked for while the block lasts, and how that ended."""
    run_id = str(uuid.uuid4())
    await built.trace.run_started(run_id, run_thread_id="command line", graph="ingest")
    try:
        yield
    except BaseException as error:
        await built.trace.run_ended(run_id, status="failed", error=reason_of(error))
        raise
    await built.trace.run_ended(run_id, status="ended")


def reason_of(error: BaseException) -> str:
    """The first real reason, on one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]


async def look_told(built: Container, tally: Tally, since: datetime) -> str:
    """What a look that began then has found, in a sentence, and what has become of what it took up."""
    counts = await built.mail_log.count_by_status(taken_up_since=since) if tally.taken_up else {}
    states = ", ".join(f"{counts[status]} {told}" for status, told in STATES.items() if status in counts)
    return f"{tally_line(tally)}{f' By now: {states}.' if states else ''}"


def tally_line(tally: Tally) -> str:
    """What a look found, in a sentence; on the first one with what it looked at."""
    counts = {name: number for name, number in tally.counts.items() if number}
    words = ", ".join(f"{number} {WORDS[name]}" for name, number in counts.items()) or "nothing new"
    first = f"Looked at unread mail of the last {FIRST_LOOK.days} days; older mail: `ingest --backfill`. "
    return f"{first if tally.first_since else ''}Mail: {words}."
