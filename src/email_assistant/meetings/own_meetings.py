"""Meetings that were made on approval, found by the conversation they were made in."""

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.clock import Clock, now_for, short_day
from email_assistant.effects.outbox import Outbox
from email_assistant.effects.store import subject_key as key_of
from email_assistant.errors import ProviderError, TransientError
from email_assistant.journal.records import OutboxStatus
from email_assistant.language.days import find_days
from email_assistant.mail.address import parse_recipients
from email_assistant.mail.message import Conversation, Message, message_key
from email_assistant.meetings.guest_letter import Envelope
from email_assistant.models.offline.meeting_change import MOVE, MeetingChange, Wish, change_wanted
from email_assistant.models.offline.reading import body_words, cancels
from email_assistant.review.action import Details

MEETING_KIND = "meeting"
"""The kind of effect in the outbox that makes or moves a meeting."""
CANCEL_KIND = "cancel"
"""The kind that calls one off."""
LOOK_AHEAD = timedelta(days=31)
_WORD = re.compile(r"[^\W\d_]{4,}")
MAX_MESSAGES = 100
"""The latest messages of a conversation that a meeting is looked for by."""


@dataclass(frozen=True, slots=True)
class Move:
    """The meeting that is moved, and the `Address.key`s of its guests until then."""

    uid: str
    guests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MeetingDetails(Details):
    """What a meeting's card carries; the outbox keeps the first three."""

    event_id: str
    moves: Move | None = None
    envelope: Envelope | None = None
    """None where the guests are not written to."""
    named: tuple[str, ...] = ()
    """The times that the mail names, see `times_named`."""
    told: tuple[str, ...] = ()
    """Its reasons and warnings that are of its time."""
    collisions: tuple[str, ...] = ()
    """What was told to be in the way, see `collision_key`."""

    def besides_moved(self, there: Sequence[Event]) -> list[Event]:
        """The events without the one that is moved."""
        return [each for each in there if not self.moves or each.uid != self.moves.uid]


@dataclass(frozen=True, slots=True)
class CancellationDetails(Details):
    """What the card of a meeting that is called off carries."""

    uid: str
    sequence: int
    envelope: Envelope | None


@dataclass(frozen=True, slots=True)
class Wished:
    """A change that a message wishes, and the meetings it may mean."""

    change: MeetingChange
    meetings: tuple[Event, ...]
    """Those of its conversation that are to come; at least one."""
    approved: Mapping[str, str] = field(default_factory=dict)
    """The fields of the move that is on record for the message already: a run that was lost begins anew, with the meeting moved."""

    @property
    def wish(self) -> Wish:
        """To move, or to call off."""
        return self.change.wish

    @property
    def meeting(self) -> Event | None:
        """The meeting that is meant; None where it may be one of several."""
        return self.meetings[0] if len(self.meetings) == 1 else None

    def moved(self, timezone: str, now: datetime) -> dict[str, object] | None:
        """The arguments of `schedule_meeting` for the wished time, by the clock of the user's `timezone`.

        None where no time to come can be read, or more than one meeting may be meant.

        A day without a time is that day at the hour the meeting had, and it lasts as long as before unless the mail says how long.
        """
        if self.approved:
            guests = parse_recipients(self.approved["attendees"])
            return {**self.approved, "attendees": [each.email for each in guests]}
        request, meeting = self.change.request, self.meeting
        if meeting is None or meeting.all_day:
            return None
        zone = ZoneInfo(timezone)
        before = meeting.start.astimezone(zone)
        starts: list[datetime] = []
        if request:
            starts += [each.astimezone(zone) for each in request.proposed]
            starts += [datetime.combine(day, before.time(), zone) for day in request.day_hints]
        start = next((each for each in starts if each > now), None)
        if start is None:
            return None
        length = meeting.end - meeting.start
        if request and request.names_length:
            length = timedelta(minutes=request.duration_minutes)
        return {
            "title": meeting.title or "Meeting",
            "attendees": [each.email for each in meeting.attendees],
            "start": start.isoformat(),
            "end": (start + length).isoformat(),
            "timezone": timezone,
            "location": "",
            "message": "",
        }


def _is_about(event: Event, message: Message) -> bool:
    """Whether a mail may speak of the event."""
    said, title = (set(_WORD.findall(text.casefold())) for text in (body_words(message), event.title))
    return len(said & title) > 1 or message.sender.key in {each.key for each in event.attendees}


@dataclass(frozen=True)
class OwnMeetings:
    """The meetings of a user's calendar that were made here."""

    calendar: Calendar
    outbox: Outbox
    clock: Clock
    mailbox: str
    timezone: str
    """IANA zone of the calendar's owner."""

    async def wished(self, conversation: Conversation) -> Wished | None:
        """What the current message wishes of a meeting that this conversation has led to; None when it has no such wish."""
        now = now_for(self.clock, conversation.arrived)
        change = await asyncio.to_thread(change_wanted, conversation, now=now, timezone=self.timezone)
        if change is None:
            return None
        found = Wished(change, await self._of(conversation, now), await self._approved(conversation.current))
        if found.meeting and change.request:
            about = found.meeting.start
            again = await asyncio.to_thread(
                change_wanted, conversation, now=now, timezone=self.timezone, about=about
            )
            found = replace(found, change=again or found.change)
        return found if found.meetings else None

    async def to_move(self, conversation: Conversation) -> Wished | None:
        """The same where the wish is to move."""
        found = await self.wished(conversation)
        return found if found and found.wish == MOVE else None

    async def standing(self, message: Message) -> str:
        """What a mail calls off and the calendar still has, in a sentence; "" where no event is known to be that.

        It is on a day that the mail names, and has two words of the mail in its title or the sender among its guests.
        """
        text, zone = body_words(message), ZoneInfo(self.timezone)
        if message.date is None or not cancels(text):
            return ""
        written = message.date.astimezone(zone).date()
        named, _ = await asyncio.to_thread(find_days, text, written, day_first=True)
        days = [day for each in named for day in each.days if day - written <= LOOK_AHEAD]
        if not days:
            return ""
        first, last = (datetime.combine(day, time(), zone) for day in (min(days), max(days)))
        try:
            there = await self.calendar.events(first, last + timedelta(days=1))
        except (ProviderError, TransientError):
            return ""  # It is no more than a hint.
        found = [
            each for each in there if each.start.astimezone(zone).date() in days and _is_about(each, message)
        ]
        sentence = (
            f"{each.title}, {short_day(at.date())} {at:%H:%M}"
            for each in found
            if (at := each.start.astimezone(zone))
        )
        return f"Still in your calendar: {'; '.join(sentence)}." if found else ""

    async def _approved(self, message: Message) -> Mapping[str, str]:
        rows = await self.outbox.find(meeting_key(self.mailbox, message), MEETING_KIND)
        moves = [row.payload["args"] for row in rows if MeetingDetails.of_row(row).moves]
        return moves[-1] if moves else {}

    async def _of(self, conversation: Conversation, now: datetime) -> tuple[Event, ...]:
        messages = [*conversation.earlier, conversation.current][-MAX_MESSAGES:]

        async def ids() -> list[str]:
            found: dict[str, None] = {}
            for message in messages:
                for row in await self.outbox.find(meeting_key(self.mailbox, message), MEETING_KIND):
                    if row.status is OutboxStatus.done:
                        found[MeetingDetails.of_row(row).event_id] = None
            return [each for each in found if each]

        events = [await self.calendar.get(each) for each in await self.outbox.in_one_read(ids)]
        there = [each for each in events if each and not each.cancelled]
        # What this message has called off already is meant by it still, for a run that was lost and begins anew.
        for row in await self.outbox.find(cancel_key(self.mailbox, conversation.current), CANCEL_KIND):
            gone = await self.calendar.find(CancellationDetails.of_row(row).uid)
            there += [gone] if gone and gone.uid not in {each.uid for each in there} else []
        return tuple(each for each in there if each.end > now)


def meeting_key(mailbox: str, message: Message) -> str:
    """What a meeting is about, in the outbox: the message that asked for it."""
    return key_of("meeting", message_key(mailbox, message))


def cancel_key(mailbox: str, message: Message) -> str:
    """What calling off is about: the message that wishes it."""
    return key_of("cancel", message_key(mailbox, message))


def guest_keys(event: Event) -> frozenset[str]:
    """The guests' addresses, as they are compared."""
    return frozenset(each.key for each in event.attendees)


def several_meetings(wished: Wished | None) -> tuple[str, ...]:
    """A warning where nobody knows which meeting is to be moved."""
    if wished is None or wished.meeting:
        return ()
    return (
        f"The mail seems to move a meeting, and this conversation has {len(wished.meetings)}: none is moved.",
    )


def event_id_of(action_id: str) -> str:
    """An id that is the same whenever the action is replayed; hexadecimal digits are valid base32hex (RFC 4648 §7)."""
    return hashlib.sha256(action_id.encode()).hexdigest()[:32]
