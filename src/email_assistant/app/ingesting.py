"""Mail on its way: looks, recovery and closing, each of them over a deployment whose client it is given."""

from collections.abc import Sequence
from datetime import timedelta

import httpx
from langgraph_sdk.client import LangGraphClient

from email_assistant.app.accounts import AccountDeps
from email_assistant.errors import InputError
from email_assistant.ingest.closing import Closing, FinishedThreads
from email_assistant.ingest.follow_ups import FollowUps
from email_assistant.ingest.ingestion import Ingestion
from email_assistant.ingest.intake import Intake, Ownership
from email_assistant.ingest.own_style import OwnStyle
from email_assistant.ingest.recovery import Recovery
from email_assistant.ingest.settling import Settling
from email_assistant.ingest.starter import Starter
from email_assistant.journal.mailboxes import Cursors, Looks
from email_assistant.journal.records import MailRecord
from email_assistant.journal.run_threads import ThreadPast
from email_assistant.mail.authenticity import Authorship
from email_assistant.mail.mailbox import Listed
from email_assistant.settings import Settings
from email_assistant.workflow_registry import NAMES, workflows


def ownership(settings: Settings, graph: str | None) -> Ownership:
    """All mail for that graph, or (None) each mail for the graph that owns it by the settings.

    Raises `InputError` when no graph of that name deals with mail.
    """
    if graph is None:
        return Ownership(settings.graph, settings.graph_rules, follows=True)
    if graph not in NAMES:
        raise InputError(f"graph_name: {graph!r} deals with no mail; there is {', '.join(NAMES)}")
    return Ownership(graph)


def ingestion(
    deps: AccountDeps, client: LangGraphClient, graph: str | None, *, wait: bool = True, in_bulk: bool = False
) -> Ingestion:
    """Ingestion for a graph; `wait` and `in_bulk` as in `settling`."""
    return Ingestion(
        deps.mailbox,
        Cursors(deps.database, deps.clock),
        Looks(deps.database, deps.clock),
        settling(deps, client, graph, wait=wait, in_bulk=in_bulk),
        closing(deps, client),
        deps.clock,
        deps.agenda_clock,
        deps.settings.email,
        follow_ups(deps, client),
    )


def follow_ups(deps: AccountDeps, client: LangGraphClient) -> FollowUps:
    """What drafts reminders."""
    s = deps.settings
    return FollowUps(
        deps.mailbox,
        deps.mail_log,
        Starter(client, deps.mail_log),
        closing(deps, client),
        Cursors(deps.database, deps.clock),
        s.own_addresses,
        s.follow_up_days,
        s.working_hours,
        s.timezone,
        deps.agenda_clock,
    )


def own_style(deps: AccountDeps, client: LangGraphClient) -> OwnStyle:
    """What counts how the user writes."""
    s = deps.settings
    starter = Starter(client, deps.mail_log)
    return OwnStyle(
        deps.mailbox, deps.mail_log, starter, closing(deps, client), s.own_addresses, s.name, s.timezone
    )


def settling(
    deps: AccountDeps, client: LangGraphClient, graph: str | None, *, wait: bool, in_bulk: bool = False
) -> Settling:
    """Reading conversations and settling them, see `ownership`; `wait` as in `Window.waits`, `in_bulk` as in `Starter`."""
    own = deps.settings.own_addresses
    intake = Intake(
        Starter(client, deps.mail_log, in_bulk),
        deps.mail_log,
        deps.mailbox,
        ownership(deps.settings, graph),
        own,
        Authorship(deps.mailbox, own),
    )
    return Settling(deps.mailbox, intake, deps.correspondents, deps.settings.runs_in_flight, waits=wait)


def recovery(deps: AccountDeps, client: LangGraphClient) -> Recovery:
    """What finds again what a crash lost."""
    starter = Starter(client, deps.mail_log)
    return Recovery(client, deps.mail_log, starter, closing(deps, client), frozenset(NAMES))


def finished_threads(deps: AccountDeps, client: LangGraphClient, doomed: set[str]) -> FinishedThreads:
    """What deletes threads that are over; `doomed` as in `FinishedThreads`."""
    keep = timedelta(minutes=deps.settings.finished_minutes)
    return FinishedThreads(client, ThreadPast(deps.database), deps.clock, keep, doomed)


def closing(deps: AccountDeps, client: LangGraphClient) -> Closing:
    """Ends work without its graph."""
    own = deps.settings.own_addresses
    undo = {each.name: each.undo(deps) for each in workflows() if each.undo}
    return Closing(client, deps.mail_log, deps.trace, deps.outbox, deps.mailbox, own, undo)


async def replay_all(deps: AccountDeps, client: LangGraphClient, given_up: Sequence[MailRecord]) -> bool:
    """Give each message that was given up fresh attempts and start them; False when no server runs, which does it when it starts.

    Raises `NotFoundError` for one that somebody else has replayed, and what the mailbox raises for one that it cannot give.
    """
    unread = [record for record in given_up if record.email_input is None]
    for record in [*(record for record in given_up if record.email_input is not None), *unread]:
        if record.email_input is None:
            # The mailbox could not give it: it is read now, or stays a dead letter.
            await deps.mailbox.fetch(record.message_id)
        await deps.mail_log.replay(record)
    try:
        for record in unread:
            listed = Listed(record.message_id, record.mail_thread_id)
            await ingestion(deps, client, record.graph, wait=False).take_up(listed)
        await recovery(deps, client).recover(deps.clock.now() - timedelta(days=1))
    except httpx.HTTPError:
        return False
    return True
