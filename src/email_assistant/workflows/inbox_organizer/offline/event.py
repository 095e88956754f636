"""The appointment that a message sets or asks for, by rule; and whether it may be about one at all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from email_assistant.calendars.video_link import call_link
from email_assistant.language.days import find_days
from email_assistant.language.hours import FoundHour, find_hours
from email_assistant.language.languages import DAY_FIRST, language_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.lengths import minutes_in
from email_assistant.models.offline.meeting import (
    PAST,
    location_in,
    meeting_request,
    stated_zone,
    title_of,
    written_at,
)
from email_assistant.models.offline.reading import body_words, sentences, subject_words

_MAX_SENTENCES = 200
_MAX_SENTENCE = 1_000
_MAX_EARLIER = 8
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


@dataclass(frozen=True, slots=True)
class NamedTimes:
    """The days and hours that a conversation's texts name, as far as rules can read them."""

    days: frozenset[date]
    hours: tuple[FoundHour, ...]
    has_digits: bool


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


def named_times(conversation: Conversation, *, now: datetime, timezone: str) -> NamedTimes:
    """Every day and hour that the conversation names, quoted text included: what an answer can be held against."""
    own = ZoneInfo(timezone)
    days: set[date] = set()
    hours: list[FoundHour] = []
    texts: list[str] = []
    for message in (*conversation.earlier[-_MAX_EARLIER:], conversation.current):
        base = written_at(message, now).astimezone(own).date()
        for text in (f"{subject_words(message)}\n{body_words(message)}", message.quoted[:20_000]):
            texts.append(text)
            for found_days, found_hours in _found(text, base, own):
                days.update(found_days)
                hours.extend(found_hours)
    return NamedTimes(frozenset(days), tuple(hours), any(c.isdigit() for text in texts for c in text))


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
    if words.CANCELLATION.search(f"{subject_words(message)} {text}") or not _about_appointment(message, text):
        return None
    base = written_at(message, now).astimezone(own).date()
    days: set[date] = set()
    hours: dict[str, FoundHour] = {}
    for line in (line for line in _lines(f"{subject_words(message)}\n{text}") if not PAST.search(line)):
        found, rest = find_days(line, base, day_first=language_of(text) in DAY_FIRST)
        days.update(day for named in found if named.exact for day in named.days)
        hours |= {f"{h.at} {h.zone}": h for h in find_hours(rest, own)}
    if len(days) != 1 or len(hours) != 1:
        return None
    (day,), (hour,) = days, hours.values()
    start = datetime.combine(day, hour.at, hour.zone or stated_zone(text, own) or own)
    if start <= now:
        return None
    if hour.until:
        return start, datetime.combine(day, hour.until, start.tzinfo)
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
    for days, hours in _found(f"{subject_words(message)}\n{text}", base, UTC):
        if days and hours:
            return True
        named = named or bool(days or hours)
    return named and _about_appointment(message, text)


def _found(text: str, base: date, own: tzinfo) -> Iterator[tuple[list[date], tuple[FoundHour, ...]]]:
    """The days and the hours of each sentence."""
    day_first = language_of(text) in DAY_FIRST
    for line in _lines(text):
        found, rest = find_days(line, base, day_first=day_first)
        yield [day for named in found for day in named.days], find_hours(rest, own)


def _lines(text: str) -> list[str]:
    return [sentence[:_MAX_SENTENCE] for sentence in sentences(text)[:_MAX_SENTENCES]]
