"""Closes cards that another run has made needless: the reply is sent, the meeting created, the refund paid, the mail seen."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog

from email_assistant.clock import Clock
from email_assistant.effects.subjects import subject_key
from email_assistant.errors import ProviderError
from email_assistant.ingest.asked import asks_alone, shown_kinds
from email_assistant.ingest.closing import Closing
from email_assistant.journal.calendar_mail import CalendarMailLog
from email_assistant.journal.database import Database
from email_assistant.journal.records import OPEN
from email_assistant.journal.siblings import SEEN, Sibling, siblings
from email_assistant.mail.identity import key_of_id
from email_assistant.review.kinds import CardKind, Settled, declared, kind_or_unknown

RECENT = timedelta(days=1)
"""Of effects further back every card has been looked at; one that was left says itself what was done."""
NEWER = "calendar"
_WORDS = {SEEN: "dealt with", NEWER: "overtaken"}
"""What the journal says of a card of whose mail or event there is nothing to do any more."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Overtaken:
    """Compares what was done with the cards that wait on other run threads of the same message."""

    closing: Closing
    database: Database
    clock: Clock

    async def close(self) -> int:
        """Close the cards that are needless by that; how many. A card about something else stays (a label, a meeting), and so does
        one that more waits behind.
        """
        closed: set[str] = set()
        crossed = await CalendarMailLog(self.database, self.closing.mailbox.name).overtaken()
        older = [
            Sibling(m.run_thread_id, m.graph, m.message_id, "", NEWER, m.uid, "newer mail") for m in crossed
        ]
        words = {kind.effect: kind.elsewhere for kind in declared() if kind.effect} | _WORDS
        for sibling in [*await siblings(self.database, self.clock.now() - RECENT), *older]:
            if sibling.kind not in words or sibling.run_thread_id in closed:
                continue
            try:
                if await self._asks_the_same(sibling):
                    await self._end(sibling, words[sibling.kind])
                    closed.add(sibling.run_thread_id)
            except ProviderError as error:  # The mailbox: the next round tries again.
                log.warning("card_left", run_thread_id=sibling.run_thread_id, reason=type(error).__name__)
        if closed:
            log.info("cards_closed", reason="done by another run", number=len(closed))
        return len(closed)

    async def _asks_the_same(self, sibling: Sibling) -> bool:
        thread, settled = sibling.run_thread_id, self._settled(sibling)
        if not await shown_kinds(self.closing.client, [thread]):
            return False
        return await asks_alone(
            self.closing.client,
            thread,
            lambda asked: _is_same(asked, sibling) or settled in _kind(asked).goes_when,
        )

    def _settled(self, sibling: Sibling) -> Settled | None:
        """What became of the mail itself; None when something else was done about it."""
        if sibling.kind == SEEN:
            return SEEN
        replied = subject_key("reply", key_of_id(self.closing.mailbox.name, sibling.message_id))
        return "answered" if sibling.subject_key == replied else None

    async def _end(self, sibling: Sibling, word: str) -> None:
        reason = f"{word} by {sibling.done_by or 'another run'}"
        records = await self.closing.mail_log.by_run_thread(sibling.run_thread_id)
        for record in records:
            if record.status in OPEN and record.message_id == sibling.message_id:
                await self.closing.close(record, reason)
                return
        await self.closing.end(sibling.run_thread_id, sibling.graph)
        await self.closing.trace.reviews_closed(sibling.run_thread_id, reason, "nothing was done")


def _is_same(values: Mapping[str, Any], sibling: Sibling) -> bool:
    """Whether the card is about what was done."""
    kind = _kind(values)
    if kind.effect_id and kind.effect == sibling.kind:
        return kind.effect_id(values) == sibling.action_id
    about = "uid" if sibling.kind == NEWER else "subject_key"
    return bool((values["pending"].get("facts") or {}).get(about) == sibling.subject_key)


def _kind(values: Mapping[str, Any]) -> CardKind:
    return kind_or_unknown(str(values["pending"].get("kind")))
