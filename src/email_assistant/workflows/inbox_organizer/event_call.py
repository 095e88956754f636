"""The model call that reads an appointment out of a mail without a calendar part, beside its offline rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from email_assistant.kit.reading import conversation_text
from email_assistant.mail.message import Conversation
from email_assistant.models.call import ModelCall
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.offline.event import event_rule


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
    rule = event_rule(inputs.conversation, now=inputs.now, timezone=inputs.user.timezone)
    sender = inputs.conversation.current.sender
    guests = [sender.email] if rule.with_sender and sender.key not in inputs.user.own else []
    return EventAnswer(
        reasoning=rule.reasoning,
        is_event=rule.is_event,
        title=rule.title,
        start=rule.start.isoformat() if rule.start else "",
        end=rule.end.isoformat() if rule.end else "",
        timezone=_key(rule.start),
        location=rule.location,
        video_link=rule.video_link,
        attendees=guests if sender.email else [],
        confidence=rule.confidence,
    )


def _key(start: datetime | None) -> str:
    """The IANA name of a time's zone; "" for one that is a mere offset."""
    return start.tzinfo.key or "" if start and isinstance(start.tzinfo, ZoneInfo) else ""


EVENT: ModelCall[EventInput, EventAnswer] = ModelCall(
    name="event",
    prompt="inbox_organizer/event",
    output=EventAnswer,
    tier="strong",
    offline=_event_offline,
    confidence=lambda answer: answer.confidence,
)
