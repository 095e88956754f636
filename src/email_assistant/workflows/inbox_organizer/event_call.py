"""The model call that reads an appointment out of a mail without a calendar part, beside its offline rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from email_assistant.calendars.proposal import call_link
from email_assistant.kit.conversations import conversation_text
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message
from email_assistant.meetings.guests import guests_wanted
from email_assistant.models.call import ModelCall
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.lengths import minutes_in
from email_assistant.models.offline.meeting import PAST, location_in, said_in, title_of, written_of
from email_assistant.models.offline.offers import meeting_request
from email_assistant.models.offline.proposed_times import LATEST, proposed_times
from email_assistant.models.offline.reading import body_words, subject_words
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.offline.event import about_appointment

_ONE_TIME, _STATED, _SEVERAL_TIMES = 0.6, 0.5, 0.3


class EventAnswer(BaseModel):
    """The appointment that a mail sets or proposes."""

    reasoning: str = Field(description="One sentence for the user: why this is an event, or why it is none.")
    is_event: bool = Field(description="Whether the mail sets or proposes an event with a day and a time.")
    title: str = Field("", description="What the calendar is to show; a few words.")
    start: str = Field(
        "",
        description="ISO 8601 by the clock of `timezone`, like 2026-11-26T10:00; a day alone for whole days.",
    )
    end: str = Field(
        "", description="Like `start`; of whole days the last day. Empty when the mail does not tell."
    )
    timezone: str = Field("", description="IANA name of the zone the mail names; empty when it names none.")
    location: str = Field("", description="Where; empty when the mail does not tell.")
    video_link: str = Field("", description="Address of the video call as it stands in the mail, or empty.")
    attendees: list[str] = Field(default_factory=list, description="Email addresses of who is to be there.")
    description: str = Field("", description="What else matters for the event, short; may be empty.")
    confidence: float = Field(ge=0, le=1, description="How sure you are of event, day and time: 0 to 1.")


@dataclass(frozen=True)
class EventInput:
    """What the call reads."""

    conversation: Conversation
    user: User
    now: datetime
    feedback: tuple[str, ...] = ()
    """What the person said about earlier readings."""

    def variables(self) -> Mapping[str, str]:
        """Values for event.md."""
        return {
            "name": self.user.address.name or self.user.address.email or "the user",
            "email": self.user.address.email or "unknown",
            "timezone": self.user.timezone,
            "today": self.now.astimezone(ZoneInfo(self.user.timezone)).strftime("%A, %Y-%m-%d"),
            "feedback": "".join(f"The person says: {each}\n" for each in self.feedback),
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _event_offline(inputs: EventInput) -> EventAnswer:
    """The appointment that the current message asks for or states, with the day and the time it names.

    May read time zone data from disk.
    """
    conversation, now, timezone = inputs.conversation, inputs.now, inputs.user.timezone
    message = conversation.current
    if orders_an_assistant(message):
        return _none("It contains instructions aimed at an assistant; no appointment is taken from it.")
    request = meeting_request(conversation, now=now, timezone=timezone)
    text = body_words(message)
    if request and request.proposed:
        start, several = request.proposed[0], len(request.proposed) > 1
        end = _later(start, timedelta(minutes=request.duration_minutes)) if request.names_length else None
        why = (
            f"It proposes {len(request.proposed)} times; this is the first."
            if several
            else "It takes a time that you offered."
            if request.offered
            else "It proposes a time."
        )
        sure = _SEVERAL_TIMES if several else _ONE_TIME
        guests = guests_wanted(conversation, inputs.user.own)
        return _event(message, text, start, end, why, sure, guests)
    if request:
        return _none("It asks for a meeting, but names no day and time.")
    stated = _stated(message, text, now=now, own=ZoneInfo(timezone))
    if stated is None:
        return _none("It names no single day and time of an appointment.")
    return _event(message, text, *stated, "It states the day and the time of an appointment.", _STATED)


def _none(why: str) -> EventAnswer:
    return EventAnswer(is_event=False, reasoning=why, confidence=0.0)


def _event(
    message: Message,
    text: str,
    start: datetime,
    end: datetime | None,
    why: str,
    confidence: float,
    guests: Sequence[Address] = (),
) -> EventAnswer:
    return EventAnswer(
        is_event=True,
        reasoning=why,
        title=title_of(message),
        start=start.isoformat(),
        end=end.isoformat() if end else "",
        timezone=_key(start),
        location=location_in(message, text),
        video_link=call_link(message.text),
        attendees=[each.email for each in guests],
        confidence=confidence,
    )


def _stated(
    message: Message, text: str, *, now: datetime, own: tzinfo
) -> tuple[datetime, datetime | None] | None:
    """The one future day and hour that a message about an appointment names, and its end."""
    if words.cancels(f"{subject_words(message)} {text}") or not about_appointment(message, text):
        return None
    lines = [line for line in said_in(f"{subject_words(message)}\n{text}") if not PAST.search(line)]
    found = proposed_times(lines, written_of(message, text, now=now, zone=own), asked=[False] * len(lines))
    # A party "from six" begins at six.
    starts = found.starts or {start: None for start, end in found.windows if end.time() == LATEST}
    if len(starts) != 1 or found.unread or found.days:
        return None
    ((start, until),) = starts.items()
    if start <= now:
        return None
    if until:
        return start, datetime.combine(start.date(), until, start.tzinfo)
    minutes = minutes_in(text)
    return start, _later(start, timedelta(minutes=minutes)) if minutes else None


def _later(start: datetime, by: timedelta) -> datetime:
    """So much elapsed time later, in the same zone."""
    return (start.astimezone(UTC) + by).astimezone(start.tzinfo)


def _key(start: datetime) -> str:
    """The IANA name of a time's zone; "" for one that is a mere offset."""
    return start.tzinfo.key or "" if isinstance(start.tzinfo, ZoneInfo) else ""


EVENT: ModelCall[EventInput, EventAnswer] = ModelCall(
    name="event",
    prompt="inbox_organizer/event",
    output=EventAnswer,
    tier="strong",
    offline=_event_offline,
    confidence=lambda answer: answer.confidence,
)
