"""Offered times are kept free in the calendar until one is chosen: events of the user's own without guests, held and let go on record.

They are let go when the conversation has its meeting, when other times are offered or all are declined, and by themselves when the last
one is over, when they have been held for long, and when the user wants none held any more. What could not be let go at once, because
the calendar did not answer or the process ended, is by the next `let_go`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import structlog

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import held_for
from email_assistant.calendars.event import Event
from email_assistant.clock import Clock
from email_assistant.effects.intent import Intent
from email_assistant.effects.once import Effect, perform_once, result_of
from email_assistant.effects.outbox import NotHappened, Outbox, Reconciled
from email_assistant.errors import ProviderError
from email_assistant.journal.records import OutboxRow, OutboxStatus

KEPT = timedelta(days=14)
"""So long times are held that nobody answers."""
OVER, OLD, UNWANTED = (
    "the last of them is over",
    f"nobody answered for {KEPT.days} days",
    "no times are held any more",
)
_DIGITS = 16

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class HeldOffer:
    """The times that one letter offers."""

    hold_id: str
    """Of the effect that holds them."""
    subject: str
    """See `held_for`."""
    title: str
    times: tuple[tuple[str, str, str], ...]
    """Start, end and IANA zone of each."""

    @classmethod
    def of(cls, row: OutboxRow) -> "HeldOffer":
        """What is on record."""
        times = tuple((start, end, zone) for start, end, zone in row.payload["times"])
        return cls(row.action_id, row.subject_key, row.payload["title"], times)

    @property
    def events(self) -> list[Event]:
        """Those in the calendar, under ids that are the same in every repeat."""
        found = []
        for start, end, zone in self.times:
            digest = hashlib.sha256(f"{self.hold_id} {start} {end}".encode()).hexdigest()
            key = f"{self.subject}{digest[:_DIGITS]}"
            span = datetime.fromisoformat(start), datetime.fromisoformat(end)
            found.append(Event(key, self.title, *span, timezone=zone))
        return found


@dataclass(frozen=True)
class Holding(Effect[HeldOffer, None]):
    """Puts the times of an offer into the calendar."""

    calendar: Calendar
    kind: ClassVar[str] = "hold"

    def intent(self, what: HeldOffer) -> Intent:
        """The offer's."""
        return Intent(what.hold_id, self.kind, what.subject, {"title": what.title, "times": what.times})

    async def do(self, what: HeldOffer) -> dict[str, Any]:
        """Create each event."""
        return {"number": len([await self.calendar.create(event) for event in what.events])}

    async def found(self, what: HeldOffer) -> Reconciled:
        """Nobody asks: what is there is not created again."""
        return NotHappened()

    async def after(self, what: HeldOffer, result: Mapping[str, Any]) -> None:
        """Nothing."""


@dataclass(frozen=True)
class LettingGo(Holding):
    """Takes them out again, which may be repeated as well."""

    why: str = ""
    """What the user is told where it was not for an answer of theirs."""
    kind: ClassVar[str] = "let_go"

    def intent(self, what: HeldOffer) -> Intent:
        """The offer's."""
        payload = {"hold": what.hold_id, "title": what.title}
        return Intent(f"{what.hold_id}:let_go", self.kind, what.subject, payload)

    async def do(self, what: HeldOffer) -> dict[str, Any]:
        """Cancel each event that is there."""
        there = [found for event in what.events if (found := await self.calendar.get(event.id))]
        for event in there:
            await self.calendar.cancel(event.uid)
        return {"why": self.why, "number": len(there)}


@dataclass(frozen=True)
class HeldTimes:
    """Holds times, and lets them go; each may be repeated."""

    calendar: Calendar
    outbox: Outbox
    clock: Clock
    """The one that times are told by."""
    is_wanted: bool
    """Whether the user wants offered times to be held."""

    async def hold(self, times: Sequence[Event], mail_thread_id: str, title: str, *, by: str) -> None:
        """Keep these times free, and no others of the conversation; `by` is the action that offers them."""
        spans = tuple((_iso(each.start), _iso(each.end), each.timezone) for each in times)
        offer = HeldOffer(f"{by}:hold", held_for(mail_thread_id), title, spans)
        standing = {each.hold_id: each for each in await self._standing(offer.subject)}
        begun = standing.pop(offer.hold_id, None)
        for each in standing.values():
            await self._let_go(each, "")
        if begun or await self.outbox.get(offer.hold_id) is None:
            # What was begun is held as it was, whatever is free by now; what was let go stays so.
            await perform_once(self.outbox, Holding(self.calendar), begun or offer)

    async def release(self, mail_thread_id: str) -> None:
        """Let go what is held for a conversation; where none are wanted, `let_go` has done it."""
        for each in await self._standing(held_for(mail_thread_id)) if self.is_wanted else ():
            await self._let_go(each, "")

    async def let_go(self) -> int:
        """Let go what need not be held any more, or should have been let go before; how many offers' times."""
        rows = await self.outbox.of_kinds(Holding.kind, LettingGo.kind)
        begun = {row.payload["hold"] for row in rows if row.kind == LettingGo.kind}
        done = [
            await self._let_go(HeldOffer.of(row), why)
            for row in _standing(rows)
            if (why := self._why(row)) or row.action_id in begun
        ]
        return sum(done)

    def _why(self, row: OutboxRow) -> str:
        """Why the times need not be held any more; "" where they do."""
        ends = [event.end for event in HeldOffer.of(row).events]
        if not self.is_wanted:
            return UNWANTED
        if max(ends, default=self.clock.now()) <= self.clock.now():
            return OVER
        return OLD if row.started_at + KEPT <= self.outbox.clock.now() else ""

    async def told(self, since: datetime) -> list[tuple[str, str]]:
        """What was let go by itself since then: what the times were held for, and why they are not any more."""
        rows = [row for row in await self.outbox.of_kinds(LettingGo.kind) if row.updated_at >= since]
        found = ((str(row.payload["title"]), result_of(row.result)) for row in rows)
        return [(title, str(done["why"])) for title, done in found if done.get("why") and done["number"]]

    async def _standing(self, subject: str) -> list[HeldOffer]:
        holds = await self.outbox.find(subject, Holding.kind)
        gone = await self.outbox.find(subject, LettingGo.kind) if holds else []
        return [HeldOffer.of(row) for row in _standing([*holds, *gone])]

    async def _let_go(self, offer: HeldOffer, why: str) -> bool:
        try:
            await perform_once(self.outbox, LettingGo(self.calendar, why), offer)
        except ProviderError as error:  # It is on record that it is to be done.
            log.warning("held_times_left", reason=type(error).__name__)
            return False
        return True


def _standing(rows: Sequence[OutboxRow]) -> list[OutboxRow]:
    """What is held, or may be since nobody has seen its end, and has not been let go."""
    gone = {
        row.payload["hold"] for row in rows if row.kind == LettingGo.kind and row.status is OutboxStatus.done
    }
    return [row for row in rows if row.kind == Holding.kind and row.action_id not in gone]


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
