"""The appointment that a message sets or asks for, by rule; and whether it may be about one at all."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from email_assistant.calendars.video_link import call_link
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.lengths import minutes_in
from email_assistant.models.offline.meeting import (
    PAST,
    location_in,
    meeting_request,
    said_in,
    title_of,
    written_of,
)
from email_assistant.models.offline.named_times import days_and_hours
from email_assistant.models.offline.proposed_times import LATEST, proposed_times
from email_assistant.models.offline.reading import body_words, subject_words

_SHORT_REPLY = 600
_ONE_TIME, _STATED, _SEVERAL_TIMES = 0.6, 0.5, 0.3
_SOME_DAY = date(2000, 1, 1)

APPOINTMENT = re.compile(
    r"\b(?:appointments?|reservations?|bookings?|booked|scheduled?|webinars?|workshops?|conferences?|events?|invit\w+|"
    r"save the date|rsvp|check-?in|flights?|departs?|departure|interview|concert|party|dinner|breakfast|hearing|session)\b"
    r"|\b(?:termin\w*|einladung\w*|eingeladen|veranstaltung\w*|seminar\w*|feier|reservierung\w*|buchung\w*|flug|abflug|"
    r"verabredung\w*|vorstellungsgespräch\w*|abendessen|mittagessen|treffen|sitzung|vortrag)\b"
    r"|\b(?:citas?|reunión|reuniones|eventos?|invitación|invitad[oa]s?|reservas?|vuelo|cena|almuerzo|entrevista|taller)\b"
    r"|\b(?:rendez-vous|rdv|réunions?|événements?|invitations?|invitée?s?|réservations?|vol|dîner|déjeuner|entretien|"
    r"atelier|soirée)\b",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"\b(?:works|suits?|see you|confirm\w*|sounds good|perfect|agreed|ok(?:ay)?|yes|fine|let's do|passt|bis dann|"
    r"einverstanden|bestätig\w*|gerne|ja|de acuerdo|perfecto|nos vemos|me va bien|sí|parfait|entendu|d'accord|"
    r"ça me va|convient|oui)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class EventRule:
    """What the rules make of a message; without `is_event` only the reason holds."""

    is_event: bool
    reasoning: str
    title: str = ""
    start: datetime | None = None
    """Aware, in the zone the sender named, else in the user's."""
    end: datetime | None = None
    """None when the message names neither an end nor a length."""
    location: str = ""
    video_link: str = ""
    with_sender: bool = False
    """Whether the sender is to be there."""
    confidence: float = 0.0


def event_rule(conversation: Conversation, *, now: datetime, timezone: str) -> EventRule:
    """The appointment that the current message asks for or states, with the day and the time it names.

    `timezone` is the IANA name of the user's zone. May read time zone data from disk.
    """
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
            else "It proposes a time."
        )
        sure = _SEVERAL_TIMES if several else _ONE_TIME
        return _event(message, text, start, end, why, sure, with_sender=True)
    if request:
        return _none("It asks for a meeting, but names no day and time.")
    stated = _stated(message, text, now=now, own=ZoneInfo(timezone))
    if stated is None:
        return _none("It names no single day and time of an appointment.")
    return _event(message, text, *stated, "It states the day and the time of an appointment.", _STATED)


def mentions_meeting(conversation: Conversation) -> bool:
    """Whether the current message could be about an appointment, so that it is worth asking a model.

    True for a calendar part, for a day with a time, for words about appointments beside a day or a time, and for a
    short answer that agrees to what the message before proposed. Reads English, German, Spanish and French.
    """
    current = conversation.current
    if current.calendars or _speaks_of_meeting(current):
        return True
    own = f"{current.subject[:500]} {current.text[:_SHORT_REPLY]}"
    if len(current.text) > _SHORT_REPLY or not _AGREES.search(own):
        return False
    return any(_speaks_of_meeting(m) for m in conversation.earlier[-1:])


def _none(why: str) -> EventRule:
    return EventRule(is_event=False, reasoning=why)


def _event(
    message: Message,
    text: str,
    start: datetime,
    end: datetime | None,
    why: str,
    confidence: float,
    *,
    with_sender: bool = False,
) -> EventRule:
    return EventRule(
        is_event=True,
        reasoning=why,
        title=title_of(message),
        start=start,
        end=end,
        location=location_in(message, text),
        video_link=call_link(message.text),
        with_sender=with_sender,
        confidence=confidence,
    )


def _stated(
    message: Message, text: str, *, now: datetime, own: tzinfo
) -> tuple[datetime, datetime | None] | None:
    """The one future day and hour that a message about an appointment names, and its end."""
    if words.cancels(f"{subject_words(message)} {text}") or not _about_appointment(message, text):
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


def _about_appointment(message: Message, text: str) -> bool:
    said = f"{subject_words(message)} {text}"
    return bool(words.MEETING.search(said) or APPOINTMENT.search(said))


def _speaks_of_meeting(message: Message) -> bool:
    text = body_words(message)
    base = message.date.date() if message.date else _SOME_DAY
    named = False
    for days, hours in days_and_hours(f"{subject_words(message)}\n{text}", base, UTC):
        if days and hours:
            return True
        named = named or bool(days or hours)
    return named and _about_appointment(message, text)
