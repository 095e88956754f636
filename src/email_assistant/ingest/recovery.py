"""Finds again what a crash lost, and closes what a person settled outside the graph.

The journal knows which messages were being worked on or waited for an answer. A server can forget what it had of them;
then the card is gone although the journal says it waits, or it is shown and no state stands behind it. So what a list
of threads shows is compared with their states. What a person wanted gone is told from that by what is left: a thread
that was marked as resolved has the mail and an end that no run has come to, a cancelled run is the latest of its thread
and on record as interrupted, and the journal hears of a thread's deletion before it is done (`Closing.forget`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

import structlog
from langgraph_sdk.client import LangGraphClient

from email_assistant.errors import ProviderError
from email_assistant.ingest.closing import CANCELLED, RESOLVED, Closing
from email_assistant.ingest.starter import Starter
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.kit.conversations import ENDED

FIRST_PAUSE = timedelta(seconds=30)
"""How long a message that failed once is left alone; four times as long after each further failure."""
HELD_PAUSE = timedelta(minutes=5)
"""How long a message waits that failed for want of access to the mailbox."""

Finding = Literal["fine", "restarted", "resumed", "closed", "put_off"]
Condition = Literal["working", "waiting", "over", "resolved", "cancelled", "edited", "stopped", "lost"]
"""Of a message's thread: `stopped` can go on from where it is, `lost` has nothing of the message any more, and `edited`
was changed by a person who has not let it go on yet."""

BY_HAND: Mapping[Condition, str] = {"resolved": RESOLVED, "cancelled": CANCELLED}

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Recovery:
    """Compares the journal with the server, and mends whichever is behind."""

    client: LangGraphClient
    mail_log: MailLog
    starter: Starter
    closing: Closing
    graphs: frozenset[str]
    _compared: set[tuple[str, str]] = field(default_factory=set)
    """Threads, as they were when their card was found to have its state behind it."""
    _shown: set[tuple[str, str]] = field(default_factory=set)
    """Those that were looked at in this round; of the others nothing need be kept."""

    async def recover(self, untouched_since: datetime, *, after_start: bool = False) -> dict[Finding, int]:
        """Look at every message that is not settled; returns how many were found in which condition.

        With `after_start` what has failed does not wait for its time: the start may have brought the setting that was wrong.

        Messages that somebody worked on after `untouched_since` are left alone: they may be on their way. Only what
        is merely claimed is not, because of those who would start it one alone can.
        """
        counts: dict[Finding, int] = {}
        async for records in self.mail_log.each_with_status(*OPEN):
            due = [r for r in records if self._is_due(r, untouched_since, after_start)]
            threads = await self._threads(due)
            for record in due:
                finding = await self._try(record, threads.get(record.run_thread_id))
                counts[finding] = counts.get(finding, 0) + 1
        self._compared.intersection_update(self._shown)
        self._shown.clear()
        if closed := await self.closing.close_overtaken():
            counts["closed"] = counts.get("closed", 0) + closed
        if set(counts) - {"fine"}:
            log.info("recovery", **counts)
        return counts

    def _is_due(self, record: MailRecord, untouched_since: datetime, after_start: bool) -> bool:
        if record.graph not in self.graphs or record.email_input is None or record.updated_at is None:
            return False
        if record.status is MailStatus.claimed:
            return True
        pause = timedelta()
        if record.status is MailStatus.needs_review and not after_start:
            pause = FIRST_PAUSE * 4 ** (record.attempts - 1) if record.attempts else HELD_PAUSE
        return record.updated_at + pause <= untouched_since

    async def _threads(self, records: Sequence[MailRecord]) -> dict[str, Mapping[str, Any]]:
        ids = list(dict.fromkeys(r.run_thread_id for r in records))
        if not ids:
            return {}
        found: Any = await self.client.threads.search(ids=ids, limit=len(ids))
        return {str(thread["thread_id"]): thread for thread in found}

    async def _try(self, record: MailRecord, thread: Mapping[str, Any] | None) -> Finding:
        try:
            return await self._mend(record, thread)
        except ProviderError as error:
            # The mailbox: the next round tries again, and the others are mended now.
            log.warning("recovery_put_off", message_id=record.message_id, reason=type(error).__name__)
            return "put_off"

    async def _mend(self, record: MailRecord, thread: Mapping[str, Any] | None) -> Finding:
        if record.status is MailStatus.claimed and (thread is None or thread["status"] != "error"):
            return await self._begin(record)
        condition, state = await self._condition(record, thread)
        if record.status is MailStatus.claimed and condition != "stopped":
            return await self._begin(record)
        if condition in {"stopped", "lost"}:
            return await self._go_on(record, lost=condition == "lost")
        return await self._settle(record, condition, state)

    async def _settle(
        self, record: MailRecord, condition: Condition, state: Mapping[str, Any]
    ) -> Literal["fine", "closed"]:
        """Put on record what nothing has to be done for, or end what a person wants ended."""
        if condition == "waiting":
            await self._note(record, MailStatus.waiting_review)
        elif condition == "over":
            outcome = str(state["values"]["outcome"])
            await self._note(record, ENDED.get(outcome, MailStatus.done), outcome)
        elif condition in BY_HAND:
            # That never reaches the graph, so its draft still waits.
            await self.closing.close(record, BY_HAND[condition])
        return "fine" if condition in {"waiting", "working", "edited"} else "closed"

    async def _go_on(self, record: MailRecord, *, lost: bool) -> Finding:
        """Let the thread go on from where it stopped, or begin anew."""
        if not await self.mail_log.take_over(record):
            return "fine"
        if lost:
            await self.starter.run(record)
            return "restarted"
        await self.client.runs.create(record.run_thread_id, record.graph, input=None)
        return "resumed"

    async def _begin(self, record: MailRecord) -> Finding:
        return "restarted" if await self.starter.begin([record]) == [True] else "fine"

    async def _condition(
        self, record: MailRecord, thread: Mapping[str, Any] | None
    ) -> tuple[Condition, Mapping[str, Any]]:
        """How the message's thread stands, and its state."""
        if thread is None:
            # Its state may be on disk all the same: what was done there must not be done by a run that begins anew.
            thread = await self.client.threads.create(
                thread_id=record.run_thread_id, if_exists="do_nothing", graph_id=record.graph,
                metadata={"email_id": record.message_id},
            )  # fmt: skip
        if thread["status"] == "busy":
            return "working", {}
        shown = _interrupt_ids(thread)
        version = (record.run_thread_id, str(thread.get("state_updated_at")))
        self._shown.add(version)
        if shown and version in self._compared:
            return "waiting", {}
        state: Any = await self.client.threads.get_state(record.run_thread_id)
        asked = {interrupt["id"] for interrupt in state.get("interrupts") or ()}
        if shown and asked == shown:
            self._compared.add(version)
            return "waiting", state
        return await self._without_card(record, thread, state), state

    async def _without_card(
        self, record: MailRecord, thread: Mapping[str, Any], state: Mapping[str, Any]
    ) -> Condition:
        """Of a thread that shows no card which can be answered."""
        values, failed = state.get("values") or {}, thread["status"] == "error"
        by_hand = (state.get("metadata") or {}).get("source") in {"update", "fork"}
        if not failed and await self._was_cancelled(record):
            return "cancelled"
        if not _is_about(values, record):
            return "lost"
        if failed:
            return "stopped"
        if state.get("next"):
            return "edited" if by_hand and not state.get("interrupts") else "stopped"
        if by_hand:
            return "resolved"
        return "over" if values.get("outcome") else "lost"

    async def _was_cancelled(self, record: MailRecord) -> bool:
        """Whether the thread's latest run was: one that a crash cuts off is pending again, or forgotten."""
        runs: Any = await self.client.runs.list(record.run_thread_id, limit=1)
        if not runs or runs[0]["status"] != "interrupted":
            return False
        # An older message of the conversation may have been cancelled before this one was taken up.
        begun = datetime.fromisoformat(str(runs[0]["created_at"]))
        return record.claimed_at is None or begun >= record.claimed_at

    async def _note(self, record: MailRecord, status: MailStatus, outcome: str = "") -> None:
        if record.status != status:
            await self.mail_log.set_status(
                record.mailbox, record.message_id, record.graph, status, outcome=outcome
            )


def _is_about(values: Mapping[str, Any], record: MailRecord) -> bool:
    return bool((values.get("email_input") or {}).get("id") == (record.email_input or {}).get("id"))


def _interrupt_ids(thread: Mapping[str, Any]) -> set[str]:
    """What the row of the thread shows: nothing, where an engine has it as idle while it asks."""
    if thread["status"] != "interrupted":
        return set()
    return {i["id"] for asked in (thread.get("interrupts") or {}).values() for i in asked}
