"""The pipeline's tools: what they work on comes from the message and the settings, never from the model."""

from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo

from email_assistant.clock import Clock
from email_assistant.mail import compose
from email_assistant.mail.address import format_addresses
from email_assistant.models.offline.meeting import meeting_request
from email_assistant.tools.check_calendar import CheckCalendar, CheckCalendarArguments
from email_assistant.tools.lookups import GetContact, GetContactArguments
from email_assistant.tools.mail_tools import message_id
from email_assistant.tools.meeting import MAX_DAYS
from email_assistant.tools.tool import Reading, Turn

DAYS_AHEAD = 7


@dataclass(frozen=True)
class CheckDays:
    """What the calendar holds on the days that the message names, and on the coming ones."""

    calendar: CheckCalendar
    clock: Clock
    seconds: float = 20

    async def run(self, turn: Turn) -> Reading:
        """One line a day; see `CheckCalendar.read`."""
        now, zone = self.clock.now(), ZoneInfo(turn.user.timezone)
        asked = meeting_request(turn.conversation, now=now, timezone=turn.user.timezone)
        starts = (*asked.proposed, *(start for start, _ in asked.windows)) if asked else ()
        named = [*(start.astimezone(zone).date() for start in starts), *(asked.day_hints if asked else ())]
        coming = [now.astimezone(zone).date() + timedelta(days=n) for n in range(DAYS_AHEAD)]
        days = sorted(dict.fromkeys([*named, *coming][:MAX_DAYS]))
        return await self.calendar.read(CheckCalendarArguments(days=[d.isoformat() for d in days]), turn)


@dataclass(frozen=True)
class CreateDraft:
    """The envelope of the reply: to whom it goes and under which subject; the text is written after it."""

    seconds: float = 10

    async def run(self, turn: Turn) -> Reading:
        """Raises `InputError` when there is nobody to reply to."""
        message = compose.reply(
            turn.conversation.current,
            sender=turn.user.address,
            own=turn.user.own,
            body="",
            message_id=message_id(turn),
        )
        cc = f", copy to {format_addresses(message.cc)}" if message.cc else ""
        return Reading(f"The reply goes to {format_addresses(message.to)}{cc}, subject: {message.subject}")


@dataclass(frozen=True)
class LookUpSender:
    """What the contacts hold about the sender."""

    contact: GetContact
    seconds: float = 10

    async def run(self, turn: Turn) -> Reading:
        """See `GetContact.read`; raises `InputError` when the message has no usable sender address."""
        return await self.contact.read(
            GetContactArguments(address=turn.conversation.current.sender.email), turn
        )
