"""What a message asks for when it asks for a meeting: when, how long, where."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from email_assistant.language.languages import DAY_FIRST, language_of
from email_assistant.language.time_words import MOVES, SUITS
from email_assistant.language.words import WORDS
from email_assistant.language.zones import zone_at
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.mail.threading import base_subject
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.lengths import DEFAULT_MINUTES, minutes_in
from email_assistant.models.offline.proposed_times import (
    MAX_UNREAD,
    ProposedTimes,
    Written,
    proposed_times,
    written_in,
)
from email_assistant.models.offline.reading import body_words, sentences, subject_words

_BELIEVED = timedelta(days=3650)
_NOTE_WORDS, _NOTE_SENTENCES = 2, 2
MAX_PROPOSED = 10
KEPT = 64
"""Messages whose times are kept."""
MAX_HINTS = 14
MAX_TITLE = 80
_MAX_SENTENCES = 200
_MAX_SENTENCE = 1_000
with WORDS.section("meetings") as section:
    _SCHEDULING = section.pattern("{scheduling}")
    PAST = section.pattern("{past}")
    """Words of a sentence about a meeting that was."""
    _PROPOSES = section.pattern(r"\b(?:{proposes})\b")
    _VIDEO = section.pattern("{video}")
    _PHONE = section.pattern("{phone}")
    _ASKS_WHEN = section.pattern("{asks_when}")
    """Asks the user for times, and offers none."""
    _ANEW = section.pattern("{anew}")
    """Asks for another time than that of an appointment."""
_LOCATION = re.compile(
    r"^\W{0,4}(?:location|where|place|ort|lieu|lugar|場所)\s?[::]\s*(?P<place>\S.{0,160})$", re.I | re.M
)
_ALL_TIMES = re.compile(r"\ball times (?:are )?(?:in |given in )?(?=\S)", re.I)


@dataclass(frozen=True, slots=True)
class MeetingRequest:
    """A meeting that somebody asks for.

    `proposed` are aware starts in the zone the sender named, else in the user's, in the order of the text;
    `day_hints` are days without a time. Both may be empty: a meeting at some time. `names_length` is whether somebody said how
    long it is to be; else it is half an hour.
    """

    title: str
    duration_minutes: int
    names_length: bool
    proposed: tuple[datetime, ...]
    day_hints: tuple[date, ...]
    location: str
    windows: tuple[tuple[datetime, datetime], ...] = ()
    """Times within which it may be: "Thursday after three"."""
    unread: tuple[str, ...] = ()
    """Words of the mail that name a time which was not understood: in their place nothing is proposed."""
    asks_when: bool = False
    """Whether the sender wants the user to name times, and names none: then some are to be offered."""


def meeting_request(conversation: Conversation, *, now: datetime, timezone: str) -> MeetingRequest | None:
    """The meeting that the current message asks for, or None.

    `timezone` is the IANA name of the user's zone. Times before `now` are left out. None also for cancellations,
    for meetings that were, and for text that gives orders to an assistant. May read time zone data from disk.
    """
    message, zone = conversation.current, ZoneInfo(timezone)
    read = _read(_Asked(message), written_at(message, now).astimezone(zone).date(), timezone)
    if read is None:
        return None
    today, found = now.astimezone(zone).date(), read.found
    proposed = tuple(start for start in found.starts if start > now)[:MAX_PROPOSED]
    windows = tuple(each for each in found.windows if each[1] > now)[:MAX_PROPOSED]
    return MeetingRequest(
        title=title_of(message),
        duration_minutes=read.minutes or DEFAULT_MINUTES,
        names_length=bool(read.minutes),
        proposed=proposed,
        day_hints=tuple(day for day in found.days if day >= today)[:MAX_HINTS],
        location=read.location,
        windows=windows,
        unread=tuple(found.unread)[:MAX_UNREAD],
        asks_when=read.asks_when and not (proposed or windows),
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """What a message says of a meeting, whenever it is read."""

    found: ProposedTimes
    minutes: int
    location: str
    asks_when: bool


@dataclass(frozen=True)
class _Asked:
    """A message, to be found again: rules, cards and checks all ask about the one they deal with."""

    message: Message

    def __hash__(self) -> int:
        return hash((self.message.id, self.message.text))


@lru_cache(maxsize=KEPT)
def _read(asked_about: _Asked, base: date, timezone: str) -> _Read | None:
    message, zone = asked_about.message, ZoneInfo(timezone)
    if orders_an_assistant(message):
        return None
    text = body_words(message)
    lines = [words.HOW_TO_CANCEL.sub(" ", line) for line in (subject_words(message), *said_in(text))]
    written = _written(message, text, base, zone)
    asked = [_asks(lines, index) for index in range(len(lines))]
    if _reminds(lines) or not _asks_for_meeting(lines, asked, written):
        return None
    told = [(line, asks) for line, asks in zip(lines, asked, strict=True) if _is_to_come(line)]
    found = proposed_times([line for line, _ in told], written, asked=[asks for _, asks in told])
    asks_when = any(_ASKS_WHEN.search(line) for line, _ in told)
    return _Read(found, minutes_in(text) or found.minutes, location_in(message, text), asks_when)


def written_of(message: Message, text: str, *, now: datetime, zone: tzinfo) -> Written:
    """By what the times of a message are read."""
    return _written(message, text, written_at(message, now).astimezone(zone).date(), zone)


def _written(message: Message, text: str, base: date, zone: tzinfo) -> Written:
    day_first = language_of(f"{message.subject} {text}") in DAY_FIRST
    return written_in(text, base, zone, day_first=day_first, stated=stated_zone(text, zone))


def said_in(text: str) -> list[str]:
    """The sentences of a text that are looked at for times."""
    return [s[:_MAX_SENTENCE] for s in sentences(text)[:_MAX_SENTENCES]]


def written_at(message: Message, now: datetime) -> datetime:
    """When the message was written, as far as that can be believed; else now."""
    return message.date if message.date and abs(message.date - now) < _BELIEVED else now


def _is_to_come(line: str) -> bool:
    return not PAST.search(line) and not words.cancels(line)


def _reminds(lines: list[str]) -> bool:
    """Whether it tells of an appointment that the user has, and asks for no other."""
    told = any(words.OWN_APPOINTMENT.search(line) for line in lines)
    return told and not any(_ANEW.search(line) or MOVES.search(line) for line in lines)


def _asks(lines: list[str], index: int) -> bool:
    """Whether a sentence, or one near it, asks or offers."""
    near = " ".join(lines[max(0, index - 2) : index + 4])
    return any(pattern.search(near) for pattern in (words.QUESTION, words.REQUEST, _PROPOSES, SUITS))


def _asks_for_meeting(lines: list[str], asked: list[bool], written: Written) -> bool:
    """Whether a sentence speaks of a meeting to come, and near it are both a time and a question or request."""
    for index, line in enumerate(lines):
        if not words.MEETING.search(line) or PAST.search(line):
            continue
        near = lines[max(0, index - 2) : index + 4]
        if words.cancels(line):
            return False
        if (asked[index] or MOVES.search(line)) and (
            _SCHEDULING.search(" ".join(near)) or _names_time(near, written)
        ):
            return True
    return _is_a_note(lines) and bool(proposed_times(lines, written).starts)


def _is_a_note(lines: list[str]) -> bool:
    """Whether the subject says "Meeting" and little else, and the text is as short: its time is the meeting's."""
    subject, *said = lines
    short = len(subject.split()) <= _NOTE_WORDS and len(said) <= _NOTE_SENTENCES
    return short and words.MEETING.search(subject) is not None and all(map(_is_to_come, lines))


def _names_time(lines: list[str], written: Written) -> bool:
    found = proposed_times(lines, written)
    return bool(found.starts or found.windows or found.single or found.loose or found.unread)


def stated_zone(text: str, own: tzinfo) -> tzinfo | None:
    """The zone of "All times are ET"."""
    return next(
        (zone for match in _ALL_TIMES.finditer(text) if (zone := zone_at(text, match.end(), own))), None
    )


def title_of(message: Message) -> str:
    """What to call a meeting: the subject without its "Re:", else who wrote; bounded in length."""
    subject = base_subject(message.subject)
    who = one_line(message.sender.name) or message.sender.email
    title = subject or (f"Meeting with {who}" if who else "Meeting")
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1].rstrip()}…"


def location_in(message: Message, text: str) -> str:
    """What a line "Location: …" says, else "Video call" or "Phone" when the text speaks of one, else ""."""
    if found := _LOCATION.search(message.text[:20_000]):
        return one_line(found["place"])[:120]
    if _VIDEO.search(f"{message.subject} {text}"):
        return "Video call"
    return "Phone" if _PHONE.search(text) else ""
