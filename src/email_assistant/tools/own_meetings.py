"""Meetings that were made on approval, found by the conversation they were made in."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.clock import Clock
from email_assistant.effects.outbox import Outbox, OutboxStatus
from email_assistant.effects.subjects import subject_key as key_of
from email_assistant.mail.identity import message_key
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.meeting_change import MOVE, MeetingChange, Wish, change_wanted

MEETING_KIND = "meeting"
"""The kind of effect in the outbox that makes or moves a meeting."""
CANCEL_KIND = "cancel"
"""The kind that calls one off."""
MAX_MESSAGES = 100
"""The latest messages of a conversation that a meeting is looked for by."""


@dataclass(frozen=True, slots=True)
class Wished:
    """A change that a message wishes, and the meetings it may mean."""

    change: MeetingChange
    meetings: tuple[Event, ...]
    """Those of its conversation that are to come; at least one."""

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
        request, meeting = self.change.request, self.meeting
        if request is None or meeting is None or meeting.all_day:
            return None
        zone = ZoneInfo(timezone)
        before = meeting.start.astimezone(zone)
        starts = [each.astimezone(zone) for each in request.proposed]
        starts += [datetime.combine(day, before.time(), zone) for day in request.day_hints]
        start = next((each for each in starts if each > now), None)
        if start is None:
            return None
        length = meeting.end - meeting.start
        if request.names_length:
            length = timedelta(minutes=request.duration_minutes)
        return {
            "title": meeting.title or "Meeting",
            "attendees": [each.email for each in meeting.attendees],
            "start": start.isoformat(),
            "end": (start + length).isoformat(),
            "timezone": timezone,
            "location": "",
        }


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
        now = self.clock.now()
        change = await asyncio.to_thread(change_wanted, conversation, now=now, timezone=self.timezone)
        if change is None:
            return None
        found = Wished(change, await self._of(conversation, now))
        if found.meeting and change.request:
            about = found.meeting.start
            again = await asyncio.to_thread(
                change_wanted, conversation, now=now, timezone=self.timezone, about=about
            )
            found = replace(found, change=again) if again and again.request else found
        return found if found.meetings else None

    async def to_move(self, conversation: Conversation) -> Wished | None:
        """The same where the wish is to move."""
        found = await self.wished(conversation)
        return found if found and found.wish == MOVE else None

    async def _of(self, conversation: Conversation, now: datetime) -> tuple[Event, ...]:
        messages = [*conversation.earlier, conversation.current][-MAX_MESSAGES:]

        async def ids() -> list[str]:
            found: dict[str, None] = {}
            for message in messages:
                for row in await self.outbox.find(meeting_key(self.mailbox, message), MEETING_KIND):
                    if row.status is OutboxStatus.done:
                        found[str(row.payload.get("facts", {}).get("event_id", ""))] = None
            return [each for each in found if each]

        events = [await self.calendar.get(each) for each in await self.outbox.in_one_read(ids)]
        there = [each for each in events if each and not each.cancelled]
        # What this message has called off already is meant by it still, for a run that was lost and begins anew.
        for row in await self.outbox.find(cancel_key(self.mailbox, conversation.current), CANCEL_KIND):
            gone = await self.calendar.find(str(row.payload["facts"]["uid"]))
            there += [gone] if gone and gone.uid not in {each.uid for each in there} else []
        return tuple(each for each in there if each.end > now)


def meeting_key(mailbox: str, message: Message) -> str:
    """What a meeting is about, in the outbox: the message that asked for it."""
    return key_of("meeting", message_key(mailbox, message))


def cancel_key(mailbox: str, message: Message) -> str:
    """What calling off is about: the message that wishes it."""
    return key_of("cancel", message_key(mailbox, message))
