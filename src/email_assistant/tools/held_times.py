"""Times that the user has offered and keeps free until one is chosen: events of their own in the calendar, without guests.

They are found by their ids, which begin alike for one conversation: so its own held times are in nobody's way there, and are cancelled
when its meeting is made or other times are offered.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.clock import Clock

AHEAD = timedelta(days=366)
_DIGITS = 16


def held_for(mail_thread_id: str) -> str:
    """How the ids of a conversation's held times begin; letters and digits that any calendar takes (RFC 4648 §7)."""
    return f"held{hashlib.sha256(mail_thread_id.encode()).hexdigest()[:_DIGITS]}"


def besides_held(events: Iterable[Event], mail_thread_id: str) -> list[Event]:
    """The events without the times that are held for this conversation."""
    begins = held_for(mail_thread_id)
    return [each for each in events if not (mail_thread_id and each.id.startswith(begins))]


@dataclass(frozen=True)
class HeldTimes:
    """Holds times, and lets them go; each may be repeated."""

    calendar: Calendar
    clock: Clock

    async def hold(self, times: Sequence[Event], mail_thread_id: str, title: str, *, by: str) -> None:
        """Keep these times free, and no others of the conversation; `by` is the action that offers them."""
        kept = {self._id(each, mail_thread_id, by): each for each in times}
        await self.release(mail_thread_id, but=kept)
        for key, each in kept.items():
            await self.calendar.create(Event(key, title, each.start, each.end, timezone=each.timezone))

    async def release(self, mail_thread_id: str, but: Iterable[str] = ()) -> None:
        """Cancel the held times of a conversation, but for those of these ids."""
        now, begins, kept = self.clock.now(), held_for(mail_thread_id), frozenset(but)
        for each in await self.calendar.events(now, now + AHEAD):
            if each.id.startswith(begins) and each.id not in kept and not each.cancelled:
                await self.calendar.cancel(each.uid)

    def _id(self, time: Event, mail_thread_id: str, by: str) -> str:
        edges = f"{by} {time.start.astimezone(UTC).isoformat()} {time.end.astimezone(UTC).isoformat()}"
        return f"{held_for(mail_thread_id)}{hashlib.sha256(edges.encode()).hexdigest()[:_DIGITS]}"
