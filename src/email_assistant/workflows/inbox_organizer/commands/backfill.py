"""The backfill of `organize`: start, pause, resume, cancel, progress."""

from __future__ import annotations

import os
import socket
import uuid
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from email_assistant.cli.console import count, print_json, say
from email_assistant.errors import InputError
from email_assistant.journal.backfills import Backfill, BackfillState, described
from email_assistant.workflows.inbox_organizer.records.organizer_mail import GRAPH

if TYPE_CHECKING:  # Slow to import; each is imported where it is built.
    from langgraph_sdk.client import LangGraphClient

    from email_assistant.app import Container
    from email_assistant.ingest.backfill_progress import Progress

COMMAND = "email-assistant organize"
STATES = {
    BackfillState.running: "under way",
    BackfillState.paused: "paused",
    BackfillState.over_budget: "stopped at its cost limit",
    BackfillState.done: "done",
    BackfillState.cancelled: "cancelled",
}


async def start(
    built: Container,
    client: LangGraphClient,
    after: datetime | None,
    before: datetime | None,
    limit_usd: Decimal | None,
    *,
    quiet: bool,
) -> None:
    """Start a backfill, or join the one that is under way; raises `InputError` when that one is stopped."""
    await _reach(client)
    backfill = await built.backfills.open(built.mailbox.name, GRAPH, after=after, before=before)
    if backfill.state is not BackfillState.running:
        raise InputError(
            f"the backfill is {STATES[backfill.state]}: go on with `{COMMAND} resume`"
            + (" and a higher --cost-limit" if backfill.state is BackfillState.over_budget else "")
        )
    if limit_usd is not None:
        await built.backfills.set_cost_limit(backfill, limit_usd)
    await _work(built, client, backfill, quiet=quiet)


async def resume(
    built: Container, client: LangGraphClient, limit_usd: Decimal | None, *, quiet: bool
) -> None:
    """Go on; a backfill that has reached its cost limit needs a higher one."""
    backfill = await _current(built)
    await _reach(client)
    spent = (await _progress(built, backfill)).cost_usd
    limit = limit_usd if limit_usd is not None else backfill.cost_limit_usd
    if limit is not None and limit <= spent:
        raise InputError(f"--cost-limit: {spent:.4f} US dollars are spent already; name a higher limit")
    await built.backfills.set_cost_limit(backfill, limit)
    await built.backfills.set_state(backfill, BackfillState.running)
    await _work(built, client, backfill, quiet=quiet)


async def pause(built: Container) -> None:
    """Let the workers stop."""
    await _stop(built, BackfillState.paused)
    say(f"Paused: each worker stops after the mail it has in work. Go on with `{COMMAND} resume`.")


async def cancel(built: Container) -> None:
    """End it where it is."""
    await _stop(built, BackfillState.cancelled)
    say("Cancelled: what was sorted stays sorted, the rest is left as it is.")


async def show(built: Container, *, as_json: bool) -> None:
    """Print how far the latest one has come."""
    facts = await backfill_facts(built)
    if as_json:
        print_json(facts)
    elif facts is None:
        say(f"There was no backfill yet: start one with `{COMMAND} --backfill`.")
    else:
        say(progress_line(facts))


async def backfill_facts(built: Container) -> dict[str, Any] | None:
    """The latest backfill as JSON; None when there was none."""
    backfill = await built.backfills.latest(built.mailbox.name, GRAPH)
    if backfill is None:
        return None
    progress = await _progress(built, backfill)
    standing = progress.standing
    return {
        "state": str(backfill.state),
        "selection": described(backfill),
        "planned": backfill.planned,
        "mails": standing.total,
        "settled": standing.settled,
        "chunks": standing.chunks,
        "chunks_done": standing.done_chunks,
        "workers": standing.workers,
        "cost_usd": str(progress.cost_usd),
        "cost_limit_usd": None if backfill.cost_limit_usd is None else str(backfill.cost_limit_usd),
        "started_at": backfill.started_at,
        "ended_at": backfill.ended_at,
    }


def progress_line(facts: dict[str, Any]) -> str:
    """The same in a line."""
    state = STATES[BackfillState(facts["state"])]
    if not facts["planned"]:
        return f"{state}, {facts['mails']:,} mails listed so far"
    limit = f" of at most {facts['cost_limit_usd']}" if facts["cost_limit_usd"] else ""
    cost = f"{Decimal(facts['cost_usd']):.4f}{limit} US dollars"
    workers = f", {count(facts['workers'], 'worker')}" if facts["workers"] else ""
    return f"{state}, {facts['settled']:,} of {facts['mails']:,} mails, {cost}{workers}"


async def _reach(client: LangGraphClient) -> None:
    """Raises what the server's client does when nobody is there: a command that fails has done nothing."""
    await client.assistants.search(graph_id=GRAPH, limit=1)


async def _stop(built: Container, state: BackfillState) -> None:
    await built.backfills.set_state(await _current(built), state)


async def _current(built: Container) -> Backfill:
    found = await built.backfills.current(built.mailbox.name, GRAPH)
    if found is None:
        raise InputError(f"no backfill is under way: start one with `{COMMAND} --backfill`")
    return found


async def _work(built: Container, client: LangGraphClient, backfill: Backfill, *, quiet: bool) -> None:
    from email_assistant.cli.ingest import RECENTLY, on_record
    from email_assistant.cli.progress import Pace, shown_pace

    await built.recovery(client).recover(built.clock.now() - RECENTLY)
    worker = built.backfill_worker(client, GRAPH, _name())
    pace = Pace()
    with shown_pace("Sorting mail", quiet) as show_moment:

        def on_progress(progress: Progress) -> None:
            standing = progress.standing
            if progress.planned:
                show_moment(pace.at(standing.settled, standing.total, progress.cost_usd))

        async with on_record(built):
            ended = await worker.run(backfill, on_progress)
    facts = await backfill_facts(built)
    await built.database.close()
    if quiet:
        print_json(facts)
    elif facts:
        more = "" if ended.state is BackfillState.done else f"; go on with `{COMMAND} resume`"
        say(f"Backfill {progress_line(facts)}{more}.")


async def _progress(built: Container, backfill: Backfill) -> Progress:
    from email_assistant.ingest.backfill_progress import ProgressReader

    return await ProgressReader(built.backfills, built.spending(GRAPH)).of(backfill)


def _name() -> str:
    """Tells a person where the worker is, and it from every other."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
