"""What a message asks for when it asks for a meeting: when, how long, where."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from email_assistant.language.languages import DAY_FIRST, language_of
from email_assistant.language.time_words import MOVES, SUITS
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
_SCHEDULING = re.compile(
    r"\b(?:when|some ?time|some ?day|availab\w+|a time|a date|times?|soon|free|slot|wann|zeit|verfügbar\w*|disponib\w+|"
    r"quand|cuándo|un hueco|quando|quand'è|wanneer|tempo|tijd)\b|いつ|日程|ご都合",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:thanks?|thank you) (?:\w+ )?for (?:the|our|your|coming|joining|a)\b|\bafter (?:our|the|your)\b|\byesterday\b|"
    r"\b(?:danke|merci|gracias|grazie|bedankt|dank|obrigad[oa]) (?:für|pour|por|per|voor|pel[ao])\b|\bwas\b|\bwere\b|\bmet\b|先日|昨日"
    r"|\b(?:we|I) (?:\w+ )?(?:called|tried|spoke|talked|discussed|saw|missed|had)\b|\bas (?:discussed|agreed)\b|\bgood to see you\b"
    r"|\b(?:war|waren|gesprochen|besprochen|telefoniert|getroffen|angerufen|gestern|vorgestern)\b"
    r"|\b(?:hier|était|étions|étiez|avons (?:eu|parlé|discuté)|nous sommes (?:vus|parlé)|s'est tenue?)\b"
    r"|\b(?:ayer|fue|estuvo|hablamos (?:el|ayer)|nos vimos|tuvimos)\b"
    r"|\b(?:ieri|è stat[oa]|era|eravamo|abbiamo|ci siamo)\b"
    r"|\b(?:gisteren|hebben we|was|waren|hadden)\b"
    r"|\b(?:ontem|foi|estivemos|tivemos|conversámos|falámos)\b",
    re.IGNORECASE,
)
"""Words of a sentence about a meeting that was."""
_PROPOSES = re.compile(
    r"\b(?:let's|let us|how about|I suggest|I propose|lass(?:en)? uns|ich schlage|treffen wir|voyons-nous|retrouvons-nous|nos vemos"
    r"|quedamos"
    r"|vediamoci|sentiamoci|incontriamoci|laten we|encontremo-nos|falamos|vamos)\b",
    re.IGNORECASE,
)
_LOCATION = re.compile(
    r"^\W{0,4}(?:location|where|place|ort|lieu|lugar|場所)\s?[::]\s*(?P<place>\S.{0,160})$", re.I | re.M
)
_VIDEO = re.compile(
    r"\b(?:video ?call|zoom|teams|google meet|videokonferenz|visio(?:conférence)?|videollamada)\b|ビデオ|オンライン",
    re.I,
)
_PHONE = re.compile(r"\b(?:phone|telefon\w*|téléphon\w*|teléfono)\b|電話", re.I)
_ASKS_WHEN = re.compile(
    r"\bwhen (?:are|would|will|might) you (?:be )?(?:free|available|around)\b"
    r"|\bwhen (?:would|does|do|could|can) (?:it |that )?(?:suit|work|you)\b"
    r"|\b(?:what|which) (?:times?|days?|dates?|slots?)\b.{0,30}\b(?:suits?|works?|you|best|free|available)\b"
    r"|\byour (?:availability|free slots)\b"
    r"|\b(?:send|suggest|offer|propose|give|share)\b.{0,20}\b(?:some|a few|a couple of|two|three|possible|available|your) "
    r"(?:\w+ )?(?:times|dates|slots|options)\b"
    r"|\bwann (?:passt|haben sie|hast du|hätten sie|hättest du|könnten sie|kannst du|können sie|wäre)\b"
    r"|\b(?:terminvorschläge|ihre verfügbarkeit)\b"
    r"|\bquand (?:êtes-vous|seriez-vous|es-tu|serais-tu|pouvez-vous|pourriez-vous)\b|\b(?:vos|tes) (?:disponibilités|créneaux)\b"
    r"|\bcuándo (?:puede|puedes|podría|podrías|está|estás|tiene|tienes|le viene|te viene)\b|\bsu disponibilidad\b"
    r"|\bquando (?:è|sei|sareste|saresti|può|puoi|potrebbe|potresti|avete|ha tempo|hai tempo|pode|podes|podia|está|estás|tem|tens)\b"
    r"|\bwanneer (?:kunt u|kun je|kan je|heeft u|heb je|bent u|ben je|schikt|past)\b",
    re.IGNORECASE,
)
"""Asks the user for times, and offers none."""
_ANEW = re.compile(
    r"\b(?:can|could|shall|should|may|might) (?:we|I)\b|\b(?:would|could|can) you\b|\bhow about\b|\b(?:können|könnten|wollen"
    r"|sollen) wir\b|\bpasst\b"
    r"|\b(?:pouvons|pourrions)-nous\b|\bpeut-on\b|\b¿?podemos\b|\bpossiamo\b|\b(?:kunnen|zullen) we\b",
    re.IGNORECASE,
)
"""Asks for another time than that of an appointment."""
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
