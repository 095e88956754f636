"""Closes cards that have become needless, and deletes threads that are finished.

A person has settled the matter in another way (resolved, cancelled, deleted, or answered from a mail program), or another run has: the
reply is sent, the meeting created, the refund paid, the mail seen.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from langgraph_sdk.client import LangGraphClient

from email_assistant.clock import Clock
from email_assistant.effects.outbox import Outbox
from email_assistant.errors import AccessError, ProviderError, TransientError
from email_assistant.journal.calendar_mail import CalendarMailLog
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.journal.run_threads import ThreadPast
from email_assistant.journal.trace import Trace
from email_assistant.mail.conversation import answers, since
from email_assistant.mail.email_input import REOPENED, parse_email_input
from email_assistant.mail.mailbox import Mailbox
from email_assistant.review.kinds import CardKind, kind_or_unknown
from email_assistant.review.moved_mail import DELETED_THERE, JUNK
from email_assistant.review.waiting import all_threads
from email_assistant.tools.concerns import conversation_with, written_elsewhere
from email_assistant.tools.drafts import Drafts
from email_assistant.workflow_registry import Undo, workflow

RESOLVED = "marked as resolved"
CANCELLED = "its run was cancelled by a person"
DELETED = "its thread was deleted by a person"
BY_HAND = frozenset({RESOLVED, CANCELLED, DELETED, JUNK, DELETED_THERE})
"""A person wanted the work itself gone, so that what it holds is given back."""
ANSWERED = "answered by you in the mailbox"
OVERTAKEN = "newer mail about the event was taken up"
PLANNED = ("proposals", "planned_unsubscribe", "planned_invitation")
"""What else a graph would ask about after the card."""
MOST_KEPT = 200
"""However short the time; each takes about as much memory as its mail, several times over."""
PAGE = 1_000
TOGETHER = 100
"""Deleted in one request."""
Values = Mapping[str, Any]

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Closing:
    """Ends the work on a conversation without its graph."""

    client: LangGraphClient
    mail_log: MailLog
    trace: Trace
    outbox: Outbox
    mailbox: Mailbox
    own: frozenset[str]
    """The user's addresses, lower case."""
    undo: Mapping[str, Undo] = field(default_factory=dict)
    """Graph → what else is undone when its work is `BY_HAND` at an end."""

    async def close(self, record: MailRecord, reason: str) -> None:
        """Delete the draft that waits (unless a person has changed it), end the thread, and put it on record."""
        undone = await self._undone(record) if reason in BY_HAND else {}
        await self.end(record.run_thread_id, record.graph, undone)
        await self._on_record(record, reason)

    async def end(self, run_thread_id: str, graph: str, update: Mapping[str, Any] | None = None) -> None:
        """Delete the draft that waits, and end the thread; the record is the caller's."""
        await Drafts(self.mailbox, self.outbox).sweep(run_thread_id)
        # The thread's own state says so, too, for when the conversation goes on.
        ended: dict[str, Any] = {"outcome": "resolved", "pending": None, "settled": True, **(update or {})}
        await self.client.threads.update_state(run_thread_id, ended, as_node=workflow(graph).last_node)

    async def forget(self, run_thread_id: str) -> int:
        """A person is about to delete this thread: put what is under way there on record as not wanted; how much was."""
        records = [r for r in await self.mail_log.by_run_thread(run_thread_id) if r.status in OPEN]
        for record in records:
            try:
                await self._undone(record)
                await Drafts(self.mailbox, self.outbox).sweep(run_thread_id)
            except ProviderError as error:  # A draft may be left behind; the mail must not come back for it.
                log.warning("draft_left", message_id=record.message_id, reason=type(error).__name__)
            await self._on_record(record, DELETED)
        return len(records)

    async def _undone(self, record: MailRecord) -> Mapping[str, Any]:
        undo = self.undo.get(record.graph)
        if undo is None:
            return {}
        state = await self.client.threads.get_state(record.run_thread_id)
        values = state["values"]
        return await undo(values if isinstance(values, Mapping) else {})

    async def _on_record(self, record: MailRecord, reason: str) -> None:
        await self.trace.reviews_closed(record.run_thread_id, reason, "nothing was done")
        await self.mail_log.set_status(
            record.mailbox, record.message_id, record.graph, MailStatus.done, reason=reason
        )

    async def close_answered(self, mail_thread_ids: Collection[str] | None = None) -> int:
        """Close the cards that are needless because the user has answered their mail with another program; how many.

        None looks at every conversation that has such a card.
        """
        closed = 0
        if mail_thread_ids is not None and not mail_thread_ids:
            return 0
        async for records in self.mail_log.each_with_status(MailStatus.waiting_review):
            named = [r for r in records if mail_thread_ids is None or r.mail_thread_id in mail_thread_ids]
            waiting = [r for r in named if r.mailbox == self.mailbox.name and _can_be_answered(r)]
            kinds = await shown_kinds(self.client, [r.run_thread_id for r in waiting])
            for record in waiting:
                kind = kind_or_unknown(kinds.get(record.run_thread_id, ""))
                if kind.goes_when_answered and await self._is_answered(record):
                    await self.close(record, ANSWERED)
                    closed += 1
        if closed:
            log.info("cards_closed", reason="answered in the mailbox", number=closed)
        return closed

    async def _is_answered(self, record: MailRecord) -> bool:
        message = parse_email_input(record.email_input).current
        try:
            message, conversation = await conversation_with(self.mailbox, message)
        except (AccessError, TransientError):
            raise
        except ProviderError as error:  # Of this conversation alone.
            log.warning("card_left", message_id=record.message_id, reason=type(error).__name__)
            return False
        # What we sent ourselves, on approval, leaves the other cards of the conversation open.
        written = await written_elsewhere(since(message, conversation), self.outbox)
        if not any(answers(each, message, conversation, self.own) for each in written):
            return False
        return await asks_alone(self.client, record.run_thread_id, _is_needless) and await self.waits(record)

    async def close_overtaken(self) -> int:
        """Close the cards of calendar mail that newer mail about the same event has made needless; how many."""
        closed = 0
        for mail in await CalendarMailLog(self.mail_log.database, self.mailbox.name).overtaken():
            if record := await self.mail_log.get(self.mailbox.name, mail.message_id, mail.graph):
                closed += await self._close_if_about(mail.uid, record)
        return closed

    async def _close_if_about(self, uid: str, record: MailRecord) -> bool:
        def is_about(values: Values) -> bool:
            return bool(values["pending"].get("details", {}).get("uid") == uid)

        if not await asks_alone(self.client, record.run_thread_id, is_about):
            return False
        try:
            await self.close(record, OVERTAKEN)
        except ProviderError as error:  # The mailbox: the next round tries again.
            log.warning("card_left", message_id=record.message_id, reason=type(error).__name__)
            return False
        return True

    async def waits(self, record: MailRecord) -> bool:
        """Whether nothing else of its run thread is being worked on, such as a newer message."""
        records = await self.mail_log.by_run_thread(record.run_thread_id)
        return [r.status for r in records if r.graph == record.graph and r.status in OPEN] == [
            MailStatus.waiting_review
        ]


def _is_needless(values: Mapping[str, Any]) -> bool:
    return kind_of(values).goes_when_answered


def _can_be_answered(record: MailRecord) -> bool:
    """Not what a person brought back knowing that, and what has no mail."""
    return record.email_input is not None and not record.email_input.get(REOPENED)


def kind_of(values: Values) -> CardKind:
    """The kind of the card that the values have pending."""
    return kind_or_unknown(str(values["pending"].get("kind")))


async def shown_kinds(client: LangGraphClient, run_thread_ids: Sequence[str]) -> dict[str, str]:
    """The kinds of the cards that the threads show; those without one are left out."""
    if not run_thread_ids:
        return {}
    found: Any = await client.threads.search(ids=list(run_thread_ids), limit=len(run_thread_ids))
    return {
        str(thread["thread_id"]): str(value[0]["view"]["kind"])
        for thread in found
        if thread["status"] == "interrupted"
        for asked in (thread.get("interrupts") or {}).values()
        for value in (each["value"] for each in asked)
        if isinstance(value, list) and value and value[0].get("view")
    }


async def asks_alone(client: LangGraphClient, run_thread_id: str, is_meant: Callable[[Values], bool]) -> bool:
    """Whether the thread's state has a card of which that is true, and nothing that would be asked after it."""
    return await asks(client, run_thread_id, lambda values: is_meant(values) and not _more_waits(values))


async def asks(client: LangGraphClient, run_thread_id: str, is_meant: Callable[[Values], bool]) -> bool:
    """Whether the thread's state has a card of which that is true."""
    state: Any = await client.threads.get_state(run_thread_id, subgraphs=True)
    return any(is_meant(values) for values in _levels(state) if values.get("pending"))


def _levels(state: Values) -> Iterator[Values]:
    """The values of a thread's state and of the graphs within it, the innermost first."""
    for task in state.get("tasks") or ():
        if isinstance(task.get("state"), Mapping):
            yield from _levels(task["state"])
    values = state.get("values")
    if isinstance(values, Mapping):
        yield values


def _more_waits(values: Values) -> bool:
    """Whether the run would ask about something else after this card."""
    if any(values.get(name) for name in PLANNED):
        return True
    messages = values.get("messages") or []
    answered = {message.get("tool_call_id") for message in messages}
    last = next((each for each in reversed(messages) if each.get("tool_calls")), None)
    calls = (last or {}).get("tool_calls") or []
    open_calls = [call for call in calls if call["name"] != "Done" and call["id"] not in answered]
    return any(call["id"] != values["pending"].get("tool_call_id") for call in open_calls)


@dataclass(frozen=True)
class FinishedThreads:
    """Deletes from the server the finished threads of mail: it keeps each in memory, with all its runs.

    A thread that waits, works or has failed is none of them, nor is one whose effect has no end on record, one that a schedule names, or
    one that dealt with no mail of ours. What is deleted is taken up again from the mailbox and the journal (`Starter`): mail that comes in
    while its thread goes is on record before, and recovery starts its run anew.
    """

    client: LangGraphClient
    past: ThreadPast
    clock: Clock
    keep: timedelta
    """How long they stay."""
    doomed: set[str]
    """Those that are being deleted now: no person wants their work gone."""

    async def delete(self) -> int:
        """Delete those that are over for long enough, and the oldest above `MOST_KEPT`; how many."""
        idle = await self._idle()
        until = self.clock.now() - self.keep
        above = len(idle) - MOST_KEPT
        due = [str(t["thread_id"]) for at, t in enumerate(idle) if at < above or _ended(t) <= until]
        scheduled = await self._scheduled() if due else frozenset[str]()
        deleted = 0
        for start in range(0, len(due), TOGETHER):
            finished = await self.past.finished(due[start : start + TOGETHER])
            deleted += await self._delete(sorted(finished - scheduled))
        if deleted:
            log.info("threads_deleted", number=deleted)
        return deleted

    async def _idle(self) -> Sequence[Mapping[str, Any]]:
        """The threads on which nothing works and nothing waits, the one that ended first first."""
        return await all_threads(
            self.client, "idle", sort_by="updated_at", select=("thread_id", "updated_at")
        )

    async def _scheduled(self) -> frozenset[str]:
        """The threads that schedules name, which would go with them."""
        crons: Any = await self.client.crons.search(limit=PAGE)
        return frozenset(str(cron["thread_id"]) for cron in crons if cron.get("thread_id"))

    async def _delete(self, threads: Sequence[str]) -> int:
        """Those of them that are still idle: a new mail's run may have begun since."""
        if not threads:
            return 0
        self.doomed.update(threads)
        try:
            still: Any = await self.client.threads.search(
                ids=threads, status="idle", select=["thread_id"], limit=len(threads)
            )
            ids = [str(each["thread_id"]) for each in still]
            return int((await self.client.threads.prune(ids))["pruned_count"]) if ids else 0
        finally:
            self.doomed.difference_update(threads)


def _ended(thread: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(str(thread["updated_at"]))
