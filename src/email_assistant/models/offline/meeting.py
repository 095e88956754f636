"""What a message asks for when it asks for a meeting: when, how long, where."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from email_assistant.language.text import DAY_FIRST, READ, fold, language_of
from email_assistant.language.time_words import ANEW, MONTHS, MOVES, SUITS
from email_assistant.language.words import WORDS
from email_assistant.language.zones import zone_at
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words
from email_assistant.models.offline.proposed_times import (
    DEFAULT_MINUTES,
    MAX_UNREAD,
    ProposedTimes,
    proposed_times,
    written_in,
)
from email_assistant.models.offline.reading import (
    body_words,
    cancels,
    orders_an_assistant,
    sentences,
    subject_words,
)
from email_assistant.models.offline.sentence_times import MAX_PHRASE, Sentence, Written

_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
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
    _VIDEO = section.pattern("{video}")
    _PHONE = section.pattern("{phone}")
    _ASKS_WHEN = section.pattern("{asks_when}")
    """Asks the user for times, and offers none."""
    _LABEL = section.text(r"^\W{0,4}(?:{place_label})\s?[::]\s*")
    _ROOM = section.pattern(r"\b(?:(?:{at_yours})|(?P<ours>{at_ours}))\s(?P<room>{rooms})\b")
    _STREET = section.pattern(r"\b(?:{at_street})\s(?P<street>(?:\d{1,4} )?(?:{street})(?: \d{1,4}\b)?)")
    _BY_VOICE = section.pattern("{by_voice}")
    """Speaks of a call, which is at no place."""
_LOCATION = re.compile(rf"{_LABEL}(?P<place>\S.{{0,160}})$", re.IGNORECASE | re.MULTILINE)
_PART = re.compile(r"(?<=\w)\s?:\s+|\s[-–—|]\s")
_PARTS = re.compile(
    rf";\s+|(?<=\w[^\W\d_])\.\s+(?=[¿A-ZÀ-Þ])|(?<=\d)\.\s+(?=[¿A-ZÀ-Þ])(?!(?:{'|'.join(map(str.capitalize, MONTHS))})\b)"
)
"""Between parts of a sentence that may each name a time; behind the number of a day its month stands."""
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
    over: date | None = None
    """The day that it names, where there is none but that, and it is over by now: in its place nothing is proposed either."""
    asks_when: bool = False
    """Whether the sender wants the user to name times, or names none: then some are to be offered."""
    offered: tuple[datetime, ...] = ()
    """Times to come that the user has offered and the message answers: `proposed` are those it takes; where there are none and it
    does not ask for others, nobody can tell which."""

    @property
    def leaves_open(self) -> bool:
        """Whether nobody can tell which of the offered times is taken."""
        return bool(self.offered) and not (self.proposed or self.asks_when or self.over)


def request_of(
    message: Message, *, now: datetime, timezone: str, is_about: bool = False
) -> MeetingRequest | None:
    """The meeting that the message by itself asks for, or None; `is_about` where it is known to be about one.

    `timezone` is the IANA name of the user's zone. Times before `now` are left out. None also for cancellations,
    for meetings that were, and for text that gives orders to an assistant. May read time zone data from disk.
    """
    zone = ZoneInfo(timezone)
    read = _read(_Asked(message, is_about), written_at(message, now).astimezone(zone).date(), timezone)
    if read is None:
        return None
    today, found = now.astimezone(zone).date(), read.found
    proposed = tuple(start for start in found.starts if start > now)[:MAX_PROPOSED]
    windows = tuple(each for each in found.windows if each[1] > now)[:MAX_PROPOSED]
    hints = tuple(day for day in found.days if day >= today)[:MAX_HINTS]
    named = [*found.days_named, *found.loose]
    return MeetingRequest(
        title=title_of(message),
        duration_minutes=read.minutes or DEFAULT_MINUTES,
        names_length=bool(read.minutes),
        proposed=proposed,
        day_hints=hints,
        location=read.location,
        windows=windows,
        unread=tuple(found.unread)[:MAX_UNREAD],
        over=max(named) if named and not (proposed or windows or hints) else None,
        asks_when=(read.asks_when or not found.names_time) and not (proposed or windows),
    )


def offers_a_time(message: Message) -> bool:
    """Whether the message by itself names a time for a meeting, whenever that is."""
    read = _read(_Asked(message), (message.date or _SOME_DAY).date(), "UTC")
    return read is not None and bool(read.found.starts or read.found.windows or read.found.unread)


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
    is_about: bool = False
    """Whether it is known to be about a meeting."""

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
    if (language_of(text) or "en") not in READ:
        return _unread_language(lines, written)
    asked = [_asks(lines, index) for index in range(len(lines))]
    if not asked_about.is_about and (_reminds(lines) or not _asks_for_meeting(lines, asked, written)):
        return None
    texts = [(line, asks) for line, asks in zip(lines, asked, strict=True) if _is_to_come(line)]
    found = proposed_times([line for line, _ in texts], written, asked=[asks for _, asks in texts])
    # A day that it names in one breath with what was, or is called off, has not been read.
    for line in lines:
        is_needed = words.QUESTION.search(line) or not found.names_time
        if is_needed and not _is_to_come(line) and proposed_times([line], written).names_time:
            found.unread[one_line(line, limit=MAX_PHRASE)] = None
    asks_when = any(_ASKS_WHEN.search(line) for line, _ in texts)
    return _Read(found, found.named_minutes or found.minutes, location_in(message, text), asks_when)


def _unread_language(lines: list[str], written: Written) -> _Read | None:
    """What a question, or a few lines, in a language that the rules do not read say of a time: that they name one."""
    named = [line for line in lines if any(map(str.isdecimal, line)) or Sentence(fold(line), written).spans]
    is_short = len(lines) <= 1 + _NOTE_SENTENCES
    if not named or not (is_short or any(words.QUESTION.search(line) for line in lines)):
        return None
    found = ProposedTimes(unread=dict.fromkeys(one_line(line, limit=MAX_PHRASE) for line in named))
    return _Read(found, 0, "", asks_when=False)


def written_of(message: Message, text: str, *, now: datetime, zone: tzinfo) -> Written:
    """By what the times of a message are read."""
    return _written(message, text, written_at(message, now).astimezone(zone).date(), zone)


def _written(message: Message, text: str, base: date, zone: tzinfo) -> Written:
    day_first = language_of(f"{message.subject} {text}") in DAY_FIRST
    return written_in(text, base, zone, day_first=day_first, stated=stated_zone(text, zone))


def said_in(text: str) -> list[str]:
    """The sentences of a text that are looked at for times."""
    return [part[:_MAX_SENTENCE] for each in sentences(text)[:_MAX_SENTENCES] for part in _PARTS.split(each)]


def written_at(message: Message, now: datetime) -> datetime:
    """When the message was written, as far as that can be believed; else now."""
    return message.date if message.date and abs(message.date - now) < _BELIEVED else now


def _is_to_come(line: str) -> bool:
    return not PAST.search(line) and not cancels(line)


def _reminds(lines: list[str]) -> bool:
    """Whether it tells of an appointment that the user has, and asks for no other."""
    is_stated = any(words.OWN_APPOINTMENT.search(line) for line in lines)
    return is_stated and not any(ANEW.search(line) or MOVES.search(line) for line in lines)


def _asks(lines: list[str], index: int) -> bool:
    """Whether a sentence, or one near it, asks or offers."""
    near = " ".join(lines[max(0, index - 2) : index + 4])
    return any(pattern.search(near) for pattern in (words.QUESTION, words.REQUEST, ANEW, SUITS))


def _asks_for_meeting(lines: list[str], asked: list[bool], written: Written) -> bool:
    """Whether a sentence speaks of a meeting to come, and near it are both a time and a question or request."""
    for index, line in enumerate(lines):
        if not words.MEETING.search(line) or PAST.search(line):
            continue
        near = lines[max(0, index - 2) : index + 4]
        if cancels(line):
            return False
        if (asked[index] or MOVES.search(line)) and (
            _SCHEDULING.search(" ".join(near)) or _names_time(near, written)
        ):
            return True
    is_proposed = any(_proposes(lines, index, written) for index in range(len(lines)))
    return is_proposed or (_is_a_note(lines) and _names_time(lines, written))


def _proposes(lines: list[str], index: int, written: Written) -> bool:
    """Whether a question names a day and an hour, and how long it takes or whether that suits: so one asks for somebody's time."""
    line = lines[index]
    if not (words.QUESTION.search(line) and _is_to_come(line)):
        return False
    near = proposed_times(lines[max(0, index - 1) : index + 1], written)
    return bool(proposed_times([line], written).starts) and bool(near.named_minutes or SUITS.search(line))


def _is_a_note(lines: list[str]) -> bool:
    """Whether the subject says "Meeting" and little else, and the text is as short: its time is the meeting's."""
    subject, *said = lines
    short = len(subject.split()) <= _NOTE_WORDS and len(said) <= _NOTE_SENTENCES
    return short and words.MEETING.search(subject) is not None and all(map(_is_to_come, lines))


def _names_time(lines: list[str], written: Written) -> bool:
    return proposed_times(lines, written).names_time


def stated_zone(text: str, own: tzinfo) -> tzinfo | None:
    """The zone of "All times are ET"."""
    return next(
        (zone for match in _ALL_TIMES.finditer(text) if (zone := zone_at(text, match.end(), own))), None
    )


def title_of(message: Message) -> str:
    """What to call a meeting: the subject without its "Re:" and what it asks, else who wrote; bounded in length."""
    parts = [part for part in _PART.split(base_subject(message.subject)) if part]
    subject = ": ".join(part for part in parts if len(parts) == 1 or not words.QUESTION.search(part))
    who = one_line(message.sender.name) or message.sender.email
    title = subject or (f"Meeting with {who}" if who else "Meeting")
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1].rstrip()}…"


def location_in(message: Message, text: str) -> str:
    """What a line "Location: …" says, else "Video call" or "Phone" when the text speaks of one, else the place that it asks for."""
    if found := _LOCATION.search(message.text[:20_000]):
        return one_line(found["place"])[:120]
    if _VIDEO.search(f"{message.subject} {text}"):
        return "Video call"
    return "Phone" if _PHONE.search(text) else _place_in(message, text)


def _place_in(message: Message, text: str) -> str:
    """The room or the one street of the sentences that ask for something, and those near them; "" for several streets."""
    lines = said_in(text)
    said = "\n".join(line for index, line in enumerate(lines) if _asks(lines, index))
    if found := _ROOM.search(said):
        whose = f" ({one_line(message.sender.name)})" if found["ours"] and message.sender.name else ""
        return f"{found['room'].capitalize()}{whose}"
    streets = {found["street"] for found in _STREET.finditer(said) if not _BY_VOICE.search(text)}
    return one_line(streets.pop(), limit=120) if len(streets) == 1 else ""
