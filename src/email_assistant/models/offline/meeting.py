"""What a message asks for when it asks for a meeting: when, how long, where."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

from email_assistant.language.days import FoundDay, find_days
from email_assistant.language.hours import FoundHour, find_hours
from email_assistant.language.languages import DAY_FIRST, language_of
from email_assistant.language.zones import zone_at
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.mail.threading import base_subject
from email_assistant.models.offline import words
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.lengths import DEFAULT_MINUTES, minutes_in
from email_assistant.models.offline.reading import body_words, sentences, subject_words

_BELIEVED = timedelta(days=3650)
MAX_PROPOSED = 10
MAX_HINTS = 14
MAX_TITLE = 80
_MAX_SENTENCES = 200
_MAX_SENTENCE = 1_000
_SCHEDULING = re.compile(
    r"\b(?:when|some ?time|some ?day|availab\w+|a time|a date|times?|soon|free|slot|wann|zeit|verfügbar\w*|disponib\w+|"
    r"quand|cuándo|un hueco)\b|いつ|日程|ご都合",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:thanks?|thank you) (?:\w+ )?for (?:the|our|your|coming|joining|a)\b|\bafter (?:our|the|your)\b|\byesterday\b|"
    r"\b(?:danke|merci|gracias) (?:für|pour|por)\b|\bwas\b|\bwere\b|\bmet\b|先日|昨日",
    re.IGNORECASE,
)
"""Words of a sentence about a meeting that was."""
_PROPOSES = re.compile(
    r"\b(?:let's|let us|how about|I suggest|I propose|lass(?:en)? uns|ich schlage)\b", re.IGNORECASE
)
_LOCATION = re.compile(
    r"^\W{0,4}(?:location|where|place|ort|lieu|lugar|場所)\s?[::]\s*(?P<place>\S.{0,160})$", re.I | re.M
)
_VIDEO = re.compile(
    r"\b(?:video ?call|zoom|teams|google meet|videokonferenz|visio(?:conférence)?|videollamada)\b|ビデオ|オンライン",
    re.I,
)
_PHONE = re.compile(r"\b(?:phone|telefon\w*|téléphon\w*|teléfono)\b|電話", re.I)
_LINKED = re.compile(r"[\s,/&]{0,3}(?:or|and|oder|und|ou|et|o|y)?\s?(?:on\s|am\s|le\s|el\s|the\s)?", re.I)
_THEN_DAY = re.compile(r",?\s(?:on|am|le|el)\s(?:the\s)?", re.I)
# "Move our call from Thursday to Friday": the first day is the one that is given up.
_MOVED = re.compile(
    r"\b(?:move|reschedule|postpone|shift|verschieben|verlegen|déplacer|reporter|aplazar|mover)\b.{0,80}?"
    r"(?P<old>\b(?:from|von|vom|du|del?)\b.{1,60}?)\b(?:to|auf|au|al)\b",
    re.I,
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


@dataclass(frozen=True, slots=True)
class _When:
    """The day of the message and the user's zone, by which words like "tomorrow" are read."""

    base: date
    zone: tzinfo
    day_first: bool


def meeting_request(conversation: Conversation, *, now: datetime, timezone: str) -> MeetingRequest | None:
    """The meeting that the current message asks for, or None.

    `timezone` is the IANA name of the user's zone. Times before `now` are left out. None also for cancellations,
    for meetings that were, and for text that gives orders to an assistant. May read time zone data from disk.
    """
    message = conversation.current
    if orders_an_assistant(message):
        return None
    text = body_words(message)
    lines = [s[:_MAX_SENTENCE] for s in sentences(text)[:_MAX_SENTENCES]]
    zone = ZoneInfo(timezone)
    base = written_at(message, now).astimezone(zone).date()
    when = _When(base, zone, language_of(text) in DAY_FIRST)
    lines = [subject_words(message), *lines]
    if not _asks_for_meeting(lines, when):
        return None
    today = now.astimezone(zone).date()
    starts, hints, ranged = _times(lines, when, stated_zone(text, zone))
    minutes = minutes_in(text) or ranged
    return MeetingRequest(
        title=title_of(message),
        duration_minutes=minutes or DEFAULT_MINUTES,
        names_length=bool(minutes),
        proposed=tuple(start for start in starts if start > now)[:MAX_PROPOSED],
        day_hints=tuple(day for day in hints if day >= today)[:MAX_HINTS],
        location=location_in(message, text),
    )


def written_at(message: Message, now: datetime) -> datetime:
    """When the message was written, as far as that can be believed; else now."""
    return message.date if message.date and abs(message.date - now) < _BELIEVED else now


def _asks_for_meeting(lines: list[str], when: _When) -> bool:
    """Whether a sentence speaks of a meeting to come, and near it are both a time and a question or request."""
    for index, line in enumerate(lines):
        if not words.MEETING.search(line) or PAST.search(line):
            continue
        near = " ".join(lines[max(0, index - 2) : index + 4])
        if words.CANCELLATION.search(line):
            return False
        asked = words.QUESTION.search(near) or words.REQUEST.search(near) or _PROPOSES.search(near)
        if asked and (_SCHEDULING.search(near) or _names_time(near, when)):
            return True
    return False


def _names_time(text: str, when: _When) -> bool:
    days, rest = find_days(text, when.base, day_first=when.day_first)
    return bool(days or find_hours(rest, when.zone))


def _times(lines: list[str], when: _When, stated: tzinfo | None) -> tuple[list[datetime], list[date], int]:
    """Starts, days without a time, and the length of the first range in minutes (0 without one)."""
    starts: dict[datetime, None] = {}
    single: set[date] = set()
    loose: set[date] = set()
    ranged = 0
    last: tuple[date, ...] = ()
    anchor: date | None = None
    for line in map(_without_old_time, lines):
        if PAST.search(line) or words.CANCELLATION.search(line):
            continue
        days, rest = find_days(line, when.base, day_first=when.day_first, anchor=anchor)
        for hour in find_hours(rest, when.zone):
            found = _days_for(hour, days, line)
            for day in [d for f in found for d in f.days] if found else last:
                starts[datetime.combine(day, hour.at, hour.zone or stated or when.zone)] = None
                ranged = ranged or _length(hour.at, hour.until)
        for named in days:
            (single if named.exact else loose).update(named.days)
            anchor = named.days[0]
        last = next((named.days for named in reversed(days) if named.exact), last)
    # "Next week" says less than "Thursday next week": whole weeks count only when no day is named.
    timed = {start.date() for start in starts}
    return list(starts), sorted((single or loose if not timed else single) - timed), ranged


def _without_old_time(line: str) -> str:
    """The sentence with the day that a meeting is moved away from blanked out."""
    moved = _MOVED.search(line)
    if not moved:
        return line
    start, end = moved.span("old")
    return line[:start] + " " * (end - start) + line[end:]


def _days_for(hour: FoundHour, days: tuple[FoundDay, ...], line: str) -> list[FoundDay]:
    """The days a time belongs to: the nearest one before it, with those joined to that by "or"; else the next one.

    "10:00 on Friday" belongs to Friday, whatever stands before.
    """
    exact = [day for day in days if day.exact]
    following = next((day for day in exact if day.start >= hour.end), None)
    if following and _THEN_DAY.fullmatch(line, hour.end, following.start):
        return [following]
    before = [day for day in exact if day.start < hour.start]
    if not before:
        return exact[:1]
    chosen = [before[-1]]
    for earlier, later in reversed(list(pairwise(before))):
        if not _LINKED.fullmatch(line, earlier.end, later.start):
            break
        chosen.append(earlier)
    return chosen[::-1]


def _length(start: time, until: time | None) -> int:
    if until is None:
        return 0
    minutes = (until.hour - start.hour) * 60 + until.minute - start.minute
    return minutes if 10 <= minutes <= 240 else 0


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
