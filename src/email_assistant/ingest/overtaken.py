"""Closes cards about what another run has done meanwhile: the reply is sent, the meeting created, the refund paid."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog

from email_assistant.clock import Clock
from email_assistant.effects.outer_key import outer_key
from email_assistant.errors import ProviderError
from email_assistant.ingest.closing import Closing
from email_assistant.journal.database import Database
from email_assistant.journal.records import OPEN
from email_assistant.journal.siblings import Sibling, siblings

RECENT = timedelta(days=1)
"""Of effects further back every card has been looked at; one that was left says itself what was done."""
DONE_BY = {"send": "answered", "meeting": "scheduled", "refund": "refunded"}
"""Kinds of effects, and what the journal says of a card that waited to do the same."""
PLANNED = ("proposals", "planned_unsubscribe", "planned_event", "planned_reply")
"""What else a graph would ask about after the card."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Overtaken:
    """Compares what was done with the cards that wait on other run threads of the same message."""

    closing: Closing
    database: Database
    clock: Clock

    async def close(self) -> int:
        """Close the cards of the same kind; how many. A card about something else stays, and so does one that more waits behind."""
        closed: set[str] = set()
        for sibling in await siblings(self.database, self.clock.now() - RECENT):
            if sibling.kind not in DONE_BY or sibling.run_thread_id in closed:
                continue
            try:
                if await self._asks_the_same(sibling):
                    await self._end(sibling)
                    closed.add(sibling.run_thread_id)
            except ProviderError as error:  # The mailbox: the next round tries again.
                log.warning("card_left", run_thread_id=sibling.run_thread_id, reason=type(error).__name__)
        if closed:
            log.info("cards_closed", reason="done by another run", number=len(closed))
        return len(closed)

    async def _asks_the_same(self, sibling: Sibling) -> bool:
        found: Any = await self.closing.client.threads.search(ids=[sibling.run_thread_id], limit=1)
        if not found or found[0]["status"] != "interrupted":
            return False
        state: Any = await self.closing.client.threads.get_state(sibling.run_thread_id, subgraphs=True)
        return any(
            _is_same(values, sibling) and not _more_waits(values)
            for values in _levels(state)
            if values.get("pending")
        )

    async def _end(self, sibling: Sibling) -> None:
        reason = f"{DONE_BY[sibling.kind]} by {sibling.done_by or 'another run'}"
        records = await self.closing.mail_log.by_run_thread(sibling.run_thread_id)
        for record in records:
            if record.status in OPEN and record.message_id == sibling.message_id:
                await self.closing.close(record, reason)
                return
        await self.closing.end(sibling.run_thread_id, sibling.graph)
        await self.closing.trace.reviews_closed(sibling.run_thread_id, reason, "nothing was done")


def _levels(state: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The values of a thread's state and of the graphs within it, the innermost first."""
    for task in state.get("tasks") or ():
        if isinstance(task.get("state"), Mapping):
            yield from _levels(task["state"])
    values = state.get("values")
    if isinstance(values, Mapping):
        yield values


def _is_same(values: Mapping[str, Any], sibling: Sibling) -> bool:
    """Whether the card is about what was done."""
    pending = values["pending"]
    if sibling.kind == "refund":
        key = outer_key(str(values.get("tenant_id") or ""), str(pending.get("id")))
        return pending.get("kind") == "refund" and sibling.action_id == f"refund:{key}"
    return bool((pending.get("facts") or {}).get("subject_key") == sibling.subject_key)


def _more_waits(values: Mapping[str, Any]) -> bool:
    """Whether the run would ask about something else after this card."""
    if any(values.get(name) for name in PLANNED):
        return True
    messages = values.get("messages") or []
    answered = {message.get("tool_call_id") for message in messages}
    last = next((each for each in reversed(messages) if each.get("tool_calls")), None)
    calls = (last or {}).get("tool_calls") or []
    open_calls = [call for call in calls if call["name"] != "Done" and call["id"] not in answered]
    return any(call["id"] != values["pending"].get("tool_call_id") for call in open_calls)
