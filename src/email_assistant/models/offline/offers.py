"""What a mail asks for when it asks for a meeting or answers times that the user has offered: understood, or asked about, never guessed.

What was offered is read from the user's own message, which lies among the sent ones; what somebody else quotes of it counts for nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from email_assistant.clock import day_in_words
from email_assistant.language import time_words
from email_assistant.language.text import fold
from email_assistant.language.words import WORDS
from email_assistant.language.zones import sender_zone
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words
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
from email_assistant.models.offline.wanted import points_of

Slot = tuple[datetime, datetime]
_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_MAX_SENTENCES = 20
_FEW = 4
"""Words of a clause that names a time and says nothing of it."""
MAX_SLOTS = 10
WHICH = "The mail answers the times that you offered, and does not say for certain which one it takes"


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


_OTHER_CLOCK = re.compile(r"(?<=:\d\d)(?P<unit>\s(?:Uhr|h))?\s\([^()\n]{0,80}\)")
with WORDS.section("offers") as section:
    _CHOICE = section.pattern(
        r"(?<!\w)(?:(?:{number})\s?(?P<digit>[1-9])(?![\w:]|[.,]\d)"
        r"|(?P<article>(?:{article})\s)?(?P<nth>[^\W\d_]{4,}|\d[^\W\d_]+)(?P<thing>\s(?:{thing}))?(?!\w)"
        r"(?P<end>(?=\W*$|\s(?:{verb})(?!\w)))?)"
    )
    _NTH = {
        word: at
        for text in section.by_file("nth").values()
        for at, forms in zip((0, 1, 2, 3, 4, -1), text.split(), strict=True)
        for word in forms.split("/")
    }
    """Words for the first to the fifth, and the last."""
    _ANY, _NONE, _AGREES, _UNSURE = (
        section.pattern(rf"(?<!\w)(?:{{{key}}})(?!\w)") for key in ("any", "none", "agrees", "unsure")
    )


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
    taken = tuple(start for start, _ in answer.taken if start > now)
    places = (location_in(each, body_words(each)) for each in (message, *reversed(conversation.earlier)))
    coming = tuple(start for start, _ in answer.offered if start > now)
    return MeetingRequest(
        title_of(message), minutes, names_length=True, proposed=taken, day_hints=(), location=next(filter(None, places), ""),
        over=start.date() if answer.taken and not taken else None, asks_when=answer.declined, offered=coming,
    )  # fmt: skip


def answer_to_offer(conversation: Conversation, timezone: str = "UTC") -> OfferAnswer | None:
    """What the current message says of times that the user has offered in this conversation; None where it says nothing of them."""
    message, zone = conversation.current, ZoneInfo(timezone)
    slots = _open_offer(conversation, zone)
    if not slots or orders_an_assistant(message):
        return None
    text, theirs = body_words(message), their_zone(conversation)
    written = written_of(message, text, now=message.date or _SOME_DAY, zone=zone)
    offered = _Offered(slots, written, [zone, theirs] if theirs else [zone])
    return _answer(said_in(text)[:_MAX_SENTENCES], offered)


def their_zone(conversation: Conversation) -> tzinfo | None:
    """The zone of the place where the writer of the current message says to be, there or before; None where nobody knows."""
    written = [each for each in conversation.earlier if each.sender.key == conversation.current.sender.key]
    zones = (sender_zone(body_words(each)) for each in (conversation.current, *reversed(written)))
    return next(filter(None, zones), None)


def stated_times(text: str, written: Written) -> Iterator[tuple[datetime, datetime, str]]:
    """The times that a text of the user's own names, each with its end and the line where it stands."""
    for line in map(fold, said_in(_by_one_clock(text))):
        # Of one that refuses something another clause may name a time.
        for clause in _clauses(line, written) if refuses(line) else (line,):
            for start, until in () if refuses(clause) else Sentence(clause, written).moments():
                yield *_slot(start, until), clause


def _by_one_clock(text: str) -> str:
    """The text without hours in brackets behind others: they are the same by another clock."""
    return _OTHER_CLOCK.sub(lambda found: found["unit"] or "", text)


def _slot(start: datetime, until: time | None) -> Slot:
    """From a start to the end that is named, or as long as a meeting is."""
    end = start.replace(hour=until.hour, minute=until.minute) if until else start
    return start, end if end > start else start + timedelta(minutes=DEFAULT_MINUTES)


def _open_offer(conversation: Conversation, zone: ZoneInfo) -> tuple[Slot, ...]:
    """What the user's own letter offers that the message answers: the latest that does; an invitation has settled it."""
    current, earlier = conversation.current, conversation.earlier
    named = [each for each in earlier if current.in_reply_to and each.message_id == current.in_reply_to]
    if any(not each.sent and each.sender.key != current.sender.key for each in named):
        return ()  # It answers somebody else.
    last = next((earlier.index(each) + 1 for each in named if each.sent), len(earlier))
    if any(each.sent and each.calendars for each in earlier[last:]):
        return ()
    for letter in (each for each in reversed(earlier[:last]) if each.sent):
        if letter.calendars or (slots := _offered_in(letter, conversation, zone)):
            return () if letter.calendars else slots
    return ()


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
    lines = said_in(_by_one_clock(text))
    requests = [request_of(each, now=each.date or _SOME_DAY, timezone="UTC") for each in asking]
    starts = proposed_times(lines, written).starts
    if not starts and any(each and each.asks_when for each in requests):
        starts = _answering_when(lines, written)
    found = {start.astimezone(UTC): _slot(start, until) for start, until in starts.items()}
    is_meeting = words.MEETING.search(text) or any(requests)
    return tuple(found.values())[:MAX_SLOTS] if is_meeting else ()


def _answering_when(lines: Sequence[str], written: Written) -> dict[datetime, time | None]:
    """The times of lines that say hardly more than a time, from which each offered one runs."""
    reads = (Sentence(fold(line), written) for line in lines if not refuses(line))
    return {
        start: until for read in reads if len(read.other_words()) <= _FEW for start, until in read.moments()
    }


@dataclass(frozen=True, slots=True)
class _Offered:
    """What was offered, and by what the answer is read: a day is the offer's, an hour by a clock that may be meant."""

    slots: tuple[Slot, ...]
    written: Written
    clocks: Sequence[tzinfo]

    def at(self, clause: str) -> set[int]:
        """The slots at the days and hours that a clause names."""
        return {number for number, (start, _) in enumerate(self.slots) if self._fits(clause, start)}

    def _fits(self, clause: str, start: datetime) -> bool:
        read = Sentence(clause, self.written, start.date())
        rest = time_words.GREETING.sub(" ", clause)
        parts = [(first, last) for pattern, first, last in PARTS if pattern.search(rest)]
        for wall in (start, *map(start.astimezone, self.clocks)):
            # Of an hour that may be of either half of the day, it is the one that was offered.
            at_hour = any(
                hour.at in {wall.time(), (wall + timedelta(hours=12)).time() if hour.unclear else None}
                and (hour.zone is None or wall.utcoffset() == wall.astimezone(hour.zone).utcoffset())
                for hour in read.hours
            )
            in_part = not parts or any(first <= wall.time() < last for first, last in parts)
            on_day = not read.days or any(wall.date() in day.days for day in read.days)
            if read.spans and on_day and (at_hour if read.hours else in_part):
                return True
        return False

    def numbered(self, clause: str) -> list[set[int] | None]:
        """The slots that it calls by their number, each by itself; None of a "first" that may count something else."""
        found, known = list[set[int] | None](), range(len(self.slots))
        for match in _CHOICE.finditer(clause):
            word = (match["nth"] or "").lower()
            at = int(match["digit"]) - 1 if match["digit"] else _NTH.get(word, _NTH.get(word[:-1]))
            is_plain = match["end"] is not None and (match["article"] or match["thing"])
            found += [] if at is None else [{*known[at:][:1]} if match["digit"] or is_plain else None]
        return found


def _said(line: str, offered: _Offered) -> Iterator[tuple[str, set[int]]]:
    """What the clauses of a sentence say, each with the slots that it says that of; "open" where more is said than is understood."""
    for clause in _clauses(line, offered.written):
        read, at, numbered = Sentence(clause, offered.written), offered.at(clause), offered.numbered(clause)
        picks = [each for each in (at or None, *numbered) if each is not None]
        is_open = None in numbered or _UNSURE.search(clause) is not None
        if _NONE.search(clause):
            yield "declines", set()
        elif refuses(clause):
            yield from [("refuses", each) for each in picks if each]
            yield from [("agrees", set())] if _ANY.search(clause) else []
            is_open |= not any(picks)
        elif (picks and not read.spans) or (read.spans and _says_yes(clause, read)):
            yield from [("takes", each) for each in picks] or [("names another", set())]
            is_open |= read.leaves_open
        elif not read.spans:
            yield from [("takes", {*range(len(offered.slots))})] if _ANY.search(clause) else []
            yield from [("agrees", set())] if _AGREES.search(clause) else []
            is_open |= time_words.DENIES.search(clause) is not None
        yield from [("open", set())] if is_open else []
    if line.rstrip().endswith("?"):
        yield "asks" if time_words.ANEW.search(line) else "open", set()


def _says_yes(clause: str, read: Sentence) -> bool:
    """Whether it agrees, asks, or is hardly more than a time: a dentist's is none of those."""
    asks = offers_in(clause) or words.QUESTION.search(clause) or _AGREES.search(clause)
    return bool(asks) or len(read.other_words()) <= _FEW


def _answer(lines: Iterable[str], offered: _Offered) -> OfferAnswer | None:
    """What the sentences say together; those that contradict each other leave it open."""
    slots, said = offered.slots, [[*_said(fold(line), offered)] for line in lines]
    kinds = {kind for each in said for kind, _ in each}
    left = {*range(len(slots))}.difference(*(at for each in said for kind, at in each if kind == "refuses"))
    another, odd = "names another" in kinds, kinds & {"names another", "declines"}
    if "takes" in kinds:
        is_open = odd or any({"takes", "open"} <= dict(each).keys() for each in said)
        both = left.intersection(*(at for each in said for kind, at in each if kind == "takes"))
        is_clear = not is_open and (len(both) == 1 or both == left)
        return OfferAnswer(slots, tuple(slots[each] for each in sorted(both)) if is_clear else ())
    if odd or not left:
        return OfferAnswer(slots, declined=not another, names_another=another)
    is_open = len(slots) > 1 or kinds & {"open", "asks"}
    return OfferAnswer(slots, () if is_open else slots) if kinds & {"agrees", "refuses"} else None


def _clauses(line: str, written: Written) -> Iterator[str]:
    """The clauses of a line; the comma of "Monday, 23 November" ends none."""
    start, named = 0, Sentence(line, written).spans
    for match in time_words.CLAUSE_END.finditer(line):
        if not any(first <= match.start() < last for first, last in named):
            yield line[start : match.start()]
            start = match.end()
    yield line[start:]


def refuses(text: str) -> bool:
    """Whether it says that something does not suit."""
    return time_words.REFUSES.search(text) is not None


def not_understood(conversation: Conversation, *, now: datetime, timezone: str) -> str:
    """A sentence on the time for a meeting that the current message names and that is over, or nobody has understood, else ""."""
    request = meeting_request(conversation, now=now, timezone=timezone)
    if request and request.leaves_open:
        times = " or ".join(time_in_words(each, timezone) for each in spans(request, request.offered))
        return f"{WHICH}: {times}."
    if request is None or not (request.unread or request.over):
        return ""
    if request.over:
        return f"The mail names a day that is over: {day_in_words(request.over)}."
    quoted = " and ".join(f"“{words}”" for words in request.unread)
    return f"The mail names a time that was not understood: {quoted}."


def spans(request: MeetingRequest, starts: Sequence[datetime]) -> list[str]:
    """Meetings that begin then, in ISO 8601: `start/end` in UTC."""
    length = timedelta(minutes=request.duration_minutes)
    return [f"{_in_utc(start)}/{_in_utc(start + length)}" for start in starts]


def time_in_words(named: str, own: str) -> str:
    """A day, or the begin of a span, like `Tuesday 24 November 2026, 17:00` by the clock of the IANA zone."""
    start, slash, _ = named.partition("/")
    if not slash:
        return day_in_words(date.fromisoformat(named))
    local = datetime.fromisoformat(start).astimezone(ZoneInfo(own))
    return f"{day_in_words(local.date())}, {local:%H:%M}"


def _in_utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
