"""What a mail asks for when it asks for a meeting or answers times that the user has offered: understood, or asked about, never guessed.

What was offered is read from the user's own message, which lies among the sent ones; what somebody else quotes of it counts for nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import filterfalse
from zoneinfo import ZoneInfo

from email_assistant.language import time_words
from email_assistant.language.text import fold, language_of
from email_assistant.language.words import WORDS
from email_assistant.language.zones import sender_zone
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
from email_assistant.models.offline.gaps import points_of
from email_assistant.models.offline.meeting import (
    MeetingRequest,
    location_in,
    request_of,
    said_in,
    title_of,
    written_of,
)
from email_assistant.models.offline.proposed_times import DEFAULT_MINUTES, proposed_times
from email_assistant.models.offline.reading import body_words, orders_an_assistant
from email_assistant.models.offline.sentence_times import PARTS, Sentence, Written, offers_in

Slot = tuple[datetime, datetime]
_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_MAX_SENTENCES = 20
_FEW = 4
"""Words of a clause that names a time and says nothing of it."""
MAX_SLOTS = 10


@dataclass(frozen=True, slots=True)
class OfferAnswer:
    """What a mail says of the times that it was offered; where it neither takes one nor declines all, it does not say which."""

    offered: tuple[Slot, ...]
    """Aware, in the order in which they were offered."""
    taken: tuple[Slot, ...] = ()
    """Several where any of them suits the writer."""
    declined: bool = False
    names_another: bool = False
    """Whether it names a time that was not offered."""
    location: str = ""


@dataclass(frozen=True, slots=True)
class _Forms:
    """How one language says it."""

    choice: re.Pattern[str]
    any: re.Pattern[str]
    none: re.Pattern[str]
    agrees: re.Pattern[str]
    unsure: re.Pattern[str]
    but_not: re.Pattern[str]
    """Ends right before what is refused."""


with WORDS.section("offers") as section:
    _FORMS = {
        language: _Forms(
            # "First," alone begins a list of something else.
            forms.pattern(
                r"(?:(?P<article>(?<!\w)(?:{article})\s)|^\W*)(?:{nth})(?:\s(?:{thing}))?"
                r"(?:(?=\s(?:{after})(?!\w))|(?(article)(?=\W*$|\s?[^\w\s])|(?=[.!\s]*$)))"
                r"|(?<!\w)(?:{number})\s?(?P<digit>[1-9])(?![\w:]|[.,]\d)"
            ),
            *(
                forms.pattern(rf"(?<!\w)(?:{{{key}}})(?!\w)")
                for key in ("any", "none", "agrees", "unsure", "but_not")
            ),
        )
        for language in section.by_file("nth")
        for forms in [section.of(language)]
    }
    AGREES = section.pattern(r"\b(?:{agrees})\b")


def meeting_request(conversation: Conversation, *, now: datetime, timezone: str) -> MeetingRequest | None:
    """The meeting that the current message asks for, or agrees to where it takes a time that the user has offered; else None.

    `timezone` is the IANA name of the user's zone. See `request_of`.
    """
    message, answer = conversation.current, answer_to_offer(conversation, timezone)
    asked = request_of(message, now=now, timezone=timezone, is_about=answer is not None)
    if answer is None:
        return asked
    start, end = (answer.taken or answer.offered)[0]
    minutes = round((end - start) / timedelta(minutes=1))
    if answer.names_another:
        # Another time is as long as those that were offered.
        if asked is None or asked.names_length:
            return asked
        return replace(asked, duration_minutes=minutes, names_length=True)
    coming = [start for start, _ in answer.offered if start > now]
    taken = tuple(start for start, _ in answer.taken if start > now)
    return MeetingRequest(
        title=title_of(message),
        duration_minutes=minutes,
        names_length=True,
        proposed=taken,
        day_hints=(),
        location=answer.location,
        over=start.date() if answer.taken and not taken else None,
        asks_when=answer.declined,
        offered=tuple(coming),
    )


def answer_to_offer(conversation: Conversation, timezone: str = "UTC") -> OfferAnswer | None:
    """What the current message says of times that the user has offered in this conversation; None where it says nothing of them."""
    message, zone = conversation.current, ZoneInfo(timezone)
    if not any(each.sent for each in conversation.earlier) or orders_an_assistant(message):
        return None
    letter, slots = _open_offer(conversation, zone)
    if letter is None:
        return None
    text = body_words(message)
    written = written_of(message, text, now=message.date or _SOME_DAY, zone=zone)
    clocks = [zone, *filter(None, [their_zone(conversation)])]
    lines = [fold(each) for each in said_in(text)[:_MAX_SENTENCES]]
    reader = _Reader(slots, [(line, _by_time(line, slots, written, clocks)) for line in lines])
    # What a few words are written in they do not say for certain, and the words of one language may be others in another.
    tried = dict.fromkeys((language_of(text), language_of(letter.text), *_FORMS))
    answer = next(filter(None, (reader.read(_FORMS[each]) for each in tried if each in _FORMS)), None)
    messages = [message, letter, *reversed(conversation.earlier)]
    places = (place for each in messages if (place := location_in(each, body_words(each))))
    return replace(answer, location=next(places, "")) if answer else None


def their_zone(conversation: Conversation) -> tzinfo | None:
    """The zone of the place where the writer of the current message says to be, there or before; None where nobody knows."""
    written = [each for each in conversation.earlier if each.sender.key == conversation.current.sender.key]
    zones = (sender_zone(body_words(each)) for each in (conversation.current, *reversed(written)))
    return next(filter(None, zones), None)


def stated_times(text: str, written: Written) -> Iterator[tuple[datetime, datetime, str]]:
    """The times that a text of the user's own names, each with its end and the line where it stands."""
    for line in filterfalse(refuses, _with_clauses(map(fold, said_in(text)), written)):
        for start, until in Sentence(line, written).moments():
            end = start.replace(hour=until.hour, minute=until.minute) if until else start
            yield start, end if end > start else start + timedelta(minutes=DEFAULT_MINUTES), line


def _with_clauses(lines: Iterable[str], written: Written) -> Iterator[str]:
    """The lines; of one that refuses something its clauses, of which another may name a time."""
    for line in lines:
        yield from _clauses(line, Sentence(line, written).spans) if refuses(line) else (line,)


def _open_offer(conversation: Conversation, zone: ZoneInfo) -> tuple[Message | None, tuple[Slot, ...]]:
    """The user's own letter that the message answers, and what it offers: the latest that does; an invitation has settled it."""
    current, earlier = conversation.current, conversation.earlier
    named = [each for each in earlier if current.in_reply_to and each.message_id == current.in_reply_to]
    if any(not each.sent and each.sender.key != current.sender.key for each in named):
        return None, ()  # It answers somebody else.
    last = next((earlier.index(each) + 1 for each in named if each.sent), len(earlier))
    if any(each.sent and each.calendars for each in earlier[last:]):
        return None, ()
    for letter in (each for each in reversed(earlier[:last]) if each.sent):
        slots = () if letter.calendars else _offered_in(letter, conversation, zone)
        if letter.calendars or slots:
            return (letter, slots) if slots else (None, ())
    return None, ()


def _offered_in(letter: Message, conversation: Conversation, zone: ZoneInfo) -> tuple[Slot, ...]:
    """The times that a letter offers for a meeting."""
    before = [each for each in conversation.earlier if not each.sent]
    asking = [each for each in before if each.message_id == letter.in_reply_to] or before[-1:]
    text = body_words(letter)
    for asked in (point.asked for each in asking for point in points_of(each)):
        text = text.replace(asked, " ")  # A letter repeats what it answers, in the words of whoever asked.
    # Where clocks differ, a letter was written no later than its answer.
    dates = [each.date for each in (letter, conversation.current) if each.date]
    dated = replace(letter, date=min(dates, default=None))
    written = written_of(dated, text, now=_SOME_DAY, zone=zone)
    found: dict[datetime, Slot] = {}
    for start, until in proposed_times(said_in(text), written).starts.items():
        end = start.replace(hour=until.hour, minute=until.minute) if until else start
        end = end if end > start else start + timedelta(minutes=DEFAULT_MINUTES)
        found.setdefault(start.astimezone(UTC), (start, end))
    is_meeting = words.MEETING.search(text) or any(
        request_of(each, now=each.date or _SOME_DAY, timezone="UTC") for each in asking
    )
    return tuple(found.values())[:MAX_SLOTS] if is_meeting else ()


@dataclass(frozen=True, slots=True)
class _Named:
    """The slots that a sentence names by day and hour: those that it offers, and those that it says do not suit."""

    taken: frozenset[int]
    refused: frozenset[int]
    others: bool
    """Whether it offers a time, and none of them."""
    is_open: bool
    """Whether more is said of those it offers than was understood."""


def _by_time(line: str, slots: Sequence[Slot], written: Written, clocks: Sequence[tzinfo]) -> _Named:
    """The slots that the clauses of a sentence name; one that refuses and names no time is said of the clause before it."""
    taken, refused, before = set[int](), set[int](), set[int]()
    others = is_open = False
    for clause in _clauses(line, Sentence(line, written).spans):
        # The offer is what was named before: "Thursday" is the one of its week.
        read = [Sentence(clause, written, slot[0].date()) for slot in slots]
        named = {at for at, slot in enumerate(slots) if _fits(read[at], slot, clocks)}
        has_time = bool(read[0].spans)
        if refuses(clause):
            refused |= named if has_time else before
        elif has_time and _says_yes(clause, read[0]):
            taken |= named
            others |= not named
            is_open |= any(read[at].leaves_open for at in named)
        elif not has_time:
            is_open |= time_words.DENIES.search(clause) is not None
        before = named
    taken -= refused
    return _Named(frozenset(taken), frozenset(refused), others and not taken, is_open)


def _says_yes(clause: str, read: Sentence) -> bool:
    """Whether it agrees, asks, or is hardly more than a time: a dentist's is none of those."""
    asks = offers_in(clause) or words.QUESTION.search(clause) or AGREES.search(clause)
    return bool(asks) or len(read.other_words()) <= _FEW


def _clauses(line: str, named: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The clauses of a line with days and hours at the `named` places; the comma of "Monday, 23 November" ends none."""
    start = 0
    for match in time_words.CLAUSE_END.finditer(line):
        if not any(first <= match.start() < last for first, last in named):
            yield line[start : match.start()]
            start = match.end()
    yield line[start:]


def refuses(text: str) -> bool:
    """Whether it says that something does not suit."""
    return time_words.REFUSES.search(text) is not None


def _fits(sentence: Sentence, slot: Slot, clocks: Sequence[tzinfo]) -> bool:
    """Whether a slot is on one of its days at one of its hours, by a clock that may be meant."""
    days, hours = sentence.days, sentence.hours
    rest = time_words.GREETING.sub(" ", sentence.text)
    parts = [(first, last) for pattern, first, last in PARTS if pattern.search(rest)]
    for wall in (slot[0], *(slot[0].astimezone(clock) for clock in clocks)):
        # Of an hour that may be of either half of the day, it is the one that was offered.
        at_hour = any(
            hour.at
            in {wall.time(), wall.time().replace(hour=(wall.hour + 12) % 24) if hour.unclear else None}
            and (hour.zone is None or wall.utcoffset() == slot[0].astimezone(hour.zone).utcoffset())
            for hour in hours
        )
        in_part = not parts or any(first <= wall.time() < last for first, last in parts)
        on_day = not days or any(wall.date() in day.days for day in days)
        if (days or hours) and on_day and (at_hour if hours else in_part):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Said:
    """What a sentence says: which slots it takes (none of them where nobody can tell), or what else."""

    taken: frozenset[int] | None = None
    is_any: bool = False
    declines: bool = False
    agrees: bool = False
    refused: frozenset[int] = frozenset()
    """Which slots it says do not suit."""


@dataclass(frozen=True, slots=True)
class _Reader:
    slots: tuple[Slot, ...]
    lines: Sequence[tuple[str, _Named]]

    def read(self, forms: _Forms) -> OfferAnswer | None:
        """What the sentences say together, in one language; those that contradict each other leave it open."""
        said, offered = [self._said(*line, forms) for line in self.lines], self.slots
        refused = frozenset[int]().union(*(each.refused for each in said))
        another, declines = any(named.others for _, named in self.lines), any(each.declines for each in said)
        if taking := [each for each in said if each.taken is not None]:
            both = frozenset.intersection(*(each.taken or frozenset() for each in taking)) - refused
            is_clear = not (another or declines) and (len(both) == 1 or all(each.is_any for each in taking))
            return OfferAnswer(offered, tuple(offered[each] for each in sorted(both)) if is_clear else ())
        if another:
            return OfferAnswer(offered, names_another=True)
        if declines or len(refused) == len(offered):
            return OfferAnswer(offered, declined=True)
        is_said = refused or any(each.agrees for each in said)
        return OfferAnswer(offered, offered if len(offered) == 1 else ()) if is_said else None

    def _said(self, line: str, named: _Named, forms: _Forms) -> _Said:
        if forms.none.search(line):
            return _Said(declines=True)
        number, not_these = self._by_number(line, forms)
        refused = named.refused | not_these
        picks = [each for each in (named.taken or None, number) if each is not None]
        is_any = not picks and forms.any.search(line) is not None
        every = frozenset(range(len(self.slots)))
        taken = frozenset.intersection(*picks) if picks else every if is_any else None
        agrees = forms.agrees.search(line) is not None
        asks = line.rstrip().endswith("?") and not time_words.ANEW.search(line)
        is_refused = not picks and refuses(forms.any.sub(" ", line))
        if named.is_open or asks or is_refused or forms.unsure.search(line):
            # Nobody can tell which, or whether, it takes.
            return _Said(frozenset() if taken is not None else None, refused=refused)
        return _Said(taken, is_any, agrees=agrees, refused=refused)

    def _by_number(self, line: str, forms: _Forms) -> tuple[frozenset[int] | None, frozenset[int]]:
        """The slot that a sentence calls by its number, and those that it refuses so.

        None where it calls none so, and none of them where several or another.
        """
        gone = [clause for clause in _clauses(line, ()) if refuses(clause)]
        found, refused = set[int](), set[int]()
        for match in forms.choice.finditer(line):
            is_gone = any(match.group() in clause for clause in gone)
            is_gone = is_gone or forms.but_not.search(line[: match.start()]) is not None
            (refused if is_gone else found).add(_index(match.groupdict(), len(self.slots)))
        known = frozenset(found) if len(found) == 1 and max(found) < len(self.slots) else frozenset[int]()
        return known if found else None, frozenset(refused & set(range(len(self.slots))))


def _index(groups: dict[str, str | None], slots: int) -> int:
    """Which slot is meant, counted from 0; groups of a pattern are called after their number."""
    if digit := groups["digit"]:
        return int(digit) - 1
    named = next(name for name, text in groups.items() if text and name != "article")
    return slots - 1 if named == "last" else int(named.removeprefix("n")) - 1
