"""What a message wants of its reader, by rules that read it alone: for the words of its card, and for where it stands in the queue.

And the gaps of a letter that answers it, each with the question that it is for.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date
from functools import lru_cache
from itertools import islice, pairwise
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.clock import short_day
from email_assistant.language.days import find_days, named_days
from email_assistant.language.hours import find_hours
from email_assistant.language.measures import amounts
from email_assistant.language.text import DAY_FIRST, language_of
from email_assistant.language.time_words import SUITS
from email_assistant.language.words import WORDS
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words
from email_assistant.models.offline.asks import (
    ASKS_YOU,
    BLOCKED,
    MAX_SENTENCE,
    QUOTING,
    Ask,
    ask_of,
    core,
    lines_of,
)
from email_assistant.models.offline.courtesy import first_name
from email_assistant.models.offline.reading import (
    body_words,
    cancels,
    ordered_of,
    orders_an_assistant,
    own_words,
    sentences,
    subject_words,
)

WHOLE = "[confirm: your reply, in the language of the mail]"
OFFER = "[confirm: what you offer to do about it]"
ORDERED = "[confirm: availability, price and delivery date]"
TIME = "[confirm: a time that suits you]"
ANSWER = "[confirm: your answer to the question]"
DOING = "[confirm: what you will do, and by when]"
SENDING = "[confirm: attached, or when it comes]"
SAYING = "[confirm: what you want to say]"

MAX_POINTS = 9
MAX_QUESTIONS = 20
_MAX_READ = 12_000
_LEAST = 3
"""Words of a question that says what it asks about; a shorter one is about what stands before it."""


Lead = Literal["sorry", "item", "ordered"]


@dataclass(frozen=True, slots=True)
class Point:
    """Something to be answered."""

    asked: str
    """The question or request as the mail has it, in one line."""
    gap: str
    """"" where the next point's gap is for this one, too."""
    lead: Lead | None = None
    """Which sentence of a letter's own opens its answer; None of what is quoted before its answer, "item" of a list behind such a quote."""

    @property
    def answer(self) -> str:
        """How a letter answers it: what nobody is told anew by reading it is not repeated."""
        if self.lead is None:
            return f"> {self.asked}\n{self.gap}".rstrip()
        if self.lead == "item":
            return f"- {self.asked}: {self.gap}"
        return f"- {self.asked}\n{self.gap}".rstrip() if self.lead == "ordered" else self.gap


def points_of(message: Message, by: str = "") -> list[Point]:
    """What a letter has to answer, in the order of the mail; none where nothing is asked. `by` is a deadline in words."""
    message = beginning(message)
    points = islice(_points(message, by), MAX_POINTS)
    return [replace(point, asked=_quoted(point.asked)) for point in points]


def asked_first(message: Message) -> str:
    """What it asks first, in its own words; its subject where it asks nothing."""
    return next((each.asked for each in points_of(message)), message.subject)


def _points(message: Message, by: str) -> Iterator[Point]:
    text = " ".join(own_words(message).split())
    questions = questions_of(message)
    ask = ask_of(message, questions)
    wanted = core(ask.sentence, message) or one_line(message.subject)
    asks = words.REQUEST.search(text) or words.DEADLINE.search(text)
    if words.ORDER.search(text):
        yield from _ordered(ask, wanted, message)
    elif words.COMPLAINT.search(text):
        yield Point(wanted, OFFER, None if wanted in questions else "sorry")
    elif questions or not asks:
        pass
    elif words.MEETING.search(text) and words.REQUEST.search(text) and not cancels(text):
        yield Point(wanted, TIME)
    elif ask.items:
        yield Point(wanted, "")
        yield from (Point(each, _until(SENDING, by), "item") for each in ask.items)
    else:
        yield Point(wanted.partition(";")[0], _until(DOING, by))  # What it threatens is not thrown back.
    questions = _asked(message) if questions else ()
    several = len(questions) > 1
    for number, question in enumerate(questions, 1):
        meets = words.MEETING.search(question) and not cancels(text)
        if question != wanted or not (words.ORDER.search(text) or words.COMPLAINT.search(text)):
            yield Point(question, TIME if meets else _numbered(number) if several else ANSWER)


def _ordered(ask: Ask, wanted: str, message: Message) -> Iterator[Point]:
    """What is ordered, an item each where it is a list; the days that the mail names stand in the gap behind it."""
    text = body_words(message)
    days = dict.fromkeys(one_line(text[day.start : day.end]).strip(" .,") for day in named_days(text))
    gap = f"{ORDERED[:-1]}; the mail names {_quoted(', '.join(days))}]" if days else ORDERED
    yield from (Point(each, "", "ordered") for each in ask.items[:-1])
    yield Point(*((ask.items[-1], gap, "ordered") if ask.items else (wanted, gap)))


def _until(gap: str, by: str) -> str:
    return f"{gap[:-1]}; wanted {by}]" if by else gap


def points_besides_meeting(message: Message) -> list[Point]:
    """What it asks besides when to meet, and whether: what is left to be answered once its meeting was made."""
    questions = questions_of(beginning(message))
    timed = [each for each in questions if _names_time(each)]
    # Before any that names the time, the first that speaks of a meeting is the one that asks for it.
    before = questions[: questions.index(timed[0])] if timed else questions
    own = [*timed, *[each for each in before if words.MEETING.search(each)][:1]]
    # What is to be talked through in the meeting is answered there.
    lines = lines_of(beginning(message))
    own += [
        core(line, message)
        for line, after in pairwise(lines)
        if words.MEETING.search(after) and SUITS.match(after) and not words.QUESTION.search(after)
    ]
    others = [each for each in questions if each not in own and len(each.split()) >= _LEAST]
    return [
        Point(_quoted(each), _numbered(number) if len(others) > 1 else ANSWER)
        for number, each in enumerate(others, 1)
    ]


def _names_time(question: str) -> bool:
    """Whether it is about a time to meet, and wants nothing by then."""
    if words.DEADLINE.search(question):
        return False
    names_day = bool(named_days(question)) and not words.REQUEST.search(question)
    return names_day or bool(SUITS.search(question) or find_hours(question, UTC))


def questions_of(message: Message) -> tuple[str, ...]:
    """The sentences of the text that ask something, in order, a line each; at most `MAX_QUESTIONS`."""
    asking = [core(sentence, message) for sentence in lines_of(message) if words.QUESTION.search(sentence)]
    return tuple(asking[:MAX_QUESTIONS])


def beginning(message: Message) -> Message:
    """The message with as much of its text as is looked at for what it wants: as its card shows."""
    return replace(message, text=message.text[:_MAX_READ])


def _asked(message: Message) -> tuple[str, ...]:
    """Its questions, and among them what it asks to be told without a question mark: "I'd like to know if …"."""
    lines = (
        core(each, message) for each in lines_of(message) if words.QUESTION.search(each) or _is_indirect(each)
    )
    return tuple(islice(lines, MAX_QUESTIONS))


def _is_indirect(sentence: str) -> bool:
    return bool(words.REQUEST.search(sentence) and words.INDIRECT.search(sentence))


def asked_in(gap: str, message: Message, before: str = "") -> str:
    """What of the message is to be answered in a gap of these rules, in its own words; "" where the text `before` it says that.

    Also "" of a gap that another writer left.
    """
    message = beginning(message)
    points = points_of(message)
    asked = [
        each.asked
        for each in points
        if gap in {WHOLE, each.gap} or gap.startswith(f"{each.gap[:-1] or gap};")
    ]
    if gap == SAYING or (gap == WHOLE and not points):
        asked = [ask_of(message, questions_of(message)).gist]
    return "" if any(each in before for each in asked) else next(iter(asked), "")


def without_quotes(text: str, message: Message) -> str:
    """A letter without what it repeats of the message's points: those words are not its writer's."""
    for point in points_of(message):
        text = text.replace(point.asked, " ")
    return text


def _numbered(number: int) -> str:
    return ANSWER.replace("the question", f"question {number}")


def _quoted(text: str) -> str:
    """In one line; brackets could be taken for a gap of ours."""
    return one_line(text, limit=MAX_SENTENCE).replace("[", "(").replace("]", ")")


ORDERS, MONEY = "orders", "money"
"""Alarms: it gives orders to an assistant; it warns of a payment, or speaks of new bank details."""
_ONLY_TELLS = ("writes", "sends")
KEPT = 64
"""Messages whose wishes are kept."""
_MAX_LINES = 150
_MAX_LINE = 400
_CLOSE = 30
"""Characters between a deadline's word and its day, at most."""
_MAX_CUES = 4
"""Places in one sentence where a deadline is looked for, of each kind."""
with WORDS.section("deadlines") as section:
    _BY = section.pattern(r"\b(?:{by})\s")
    """Before a day it makes a deadline of it where something is to be done."""
    _DUE = section.pattern("{due}")
    _TO_DO = section.pattern("{to_do}")
    """Obliges the reader to do something, or names what deadlines are set for."""
    _PROMISE = section.pattern("{promise}")
    """Tells what the writer is going to do."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What was found in one message."""

    headline: str
    """What its sender does, to stand behind their name: `asks: Is it oak? (+1)`, `asks you to send the form`."""
    gist: str
    """The same in at most twelve words, as a list has it beside the name."""
    questions: tuple[str, ...]
    deadline: date | None
    """By when it wants something of its reader, in the reader's zone."""
    alarms: tuple[str, ...]
    by: str = ""
    """The deadline in words, with its year when that is not the mail's: `by Fri 27 Nov`."""


def wanted_by(message: Message, timezone: str, own: frozenset[str] = frozenset()) -> Wish:
    """What the message wants; `timezone` is the reader's IANA zone, `own` their addresses in lower case.

    A deadline that is put to others, while the reader is merely in copy, is none of the reader's. May read time zone data from disk.
    """
    return _wanted(_Asked(message), timezone, own)


@dataclass(frozen=True)
class _Asked:
    """A message, to be found again: a card is drawn when it asks, and once more when its answer comes."""

    message: Message

    def __hash__(self) -> int:
        return hash((self.message.id, self.message.text))


@lru_cache(maxsize=KEPT)
def _wanted(asked: _Asked, timezone: str, own: frozenset[str]) -> Wish:
    message = asked.message
    # Wherever they stand: what is to be overlooked stands far behind.
    alarms = [ORDERS] * orders_an_assistant(message)
    is_new_account = words.NEW_BANK_DETAILS.search(_flat(message)) is not None
    message = beginning(message)
    alarms += [MONEY] * (is_new_account or _warns_of_money(message))
    questions = questions_of(message)
    deadline = None if _is_put_to_others(message, own) else _deadline(message, timezone)
    text, gist = _described(message, questions, tuple(alarms), own)
    if deadline and text.startswith(_ONLY_TELLS):
        text = f"{text}; due {_by(deadline, message).removeprefix('by ')}"
    return Wish(text, gist, questions, deadline, tuple(alarms), _by(deadline, message))


def _described(
    message: Message, questions: tuple[str, ...], alarms: tuple[str, ...], own: frozenset[str]
) -> tuple[str, str]:
    """What the sender does, and the gist."""
    if ORDERS in alarms:  # Nothing of it is repeated.
        first, *more = ordered_of(message) or ("do things",)
        also = f", and also {' and '.join(more)}" if more else ""
        begins, ends = f"tries to make your assistant {first}", "; it did not"
        return f"{begins}{also}{ends}", f"{begins}{ends}"
    ask = ask_of(message, questions)
    if MONEY in alarms:  # No more of it than has to be.
        ask = replace(ask, others=(), whole="")
    sentence, gist = ask.headline, ask.gist
    if _is_put_to_others(message, own):
        others = ", ".join(first_name(each) or "others" for each in message.to[:2])
        sentence, gist = (each.replace(ASKS_YOU, f"asks {others} to") for each in (sentence, gist))
        return sentence.replace("asks:", f"asks {others}:"), gist
    text = _flat(message)
    named = {text[each.start : each.end] for each in amounts(text)} if MONEY in alarms else set()
    if len(named) == 1 and BLOCKED.search(text) and ask.verb in QUOTING:
        gist = f"blocked a payment of {named.pop()}"
        sentence = f"{gist} and asks you about it" if ask.verb == "asks" else gist
    elif MONEY in alarms and ask.verb in QUOTING and (amount := next(amounts(text), None)):
        gist = replace(ask, what=f"{text[amount.start : amount.end]}: {ask.what}").gist
        sentence = f"warns of {gist}"
    return sentence, gist


def _by(deadline: date | None, message: Message) -> str:
    if deadline is None:
        return ""
    is_this_year = message.date is None or message.date.year == deadline.year
    return f"by {short_day(deadline)}{'' if is_this_year else f' {deadline.year}'}"


def _flat(message: Message) -> str:
    return " ".join(own_words(message).split())


def _warns_of_money(message: Message) -> bool:
    """Whether a program warns of an amount."""
    text, bulk = _flat(message), bulk_of(message)
    by_program = bulk.is_automatic or bulk.is_no_reply
    if not by_program or bulk.to_many or not words.ALERT.search(text):
        return False
    return next(amounts(text), None) is not None


def _deadline(message: Message, timezone: str) -> date | None:
    """The first day by which it wants something."""
    if message.date is None:
        return None
    zone = ZoneInfo(timezone)
    subject = subject_words(message).strip()
    # A reply's subject is an earlier message's.
    said = (subject,) if base_subject(subject) == one_line(subject) else ()
    lines = [line[:_MAX_LINE].replace("’", "'") for line in (*said, *sentences(body_words(message)))][
        :_MAX_LINES
    ]
    day_first = language_of("\n".join(lines)) in DAY_FIRST
    return min(deadlines_in(lines, message.date.astimezone(zone).date(), day_first=day_first), default=None)


def deadlines_in(lines: Iterable[str], written: date, *, day_first: bool) -> Iterator[date]:
    """The days named right behind a word such as "by" or "due", from the day of the message on.

    What the writer promises to do by a day is none.
    """
    for line in lines:
        cues = list(islice(_DUE.finditer(line), _MAX_CUES))
        request = words.REQUEST.search(line)
        asks = request or _TO_DO.search(line) or words.QUESTION.search(line)
        if asks and not _PROMISE.search(line):
            cues += islice(_BY.finditer(line), _MAX_CUES)
        if request:  # "Please answer today."
            days, _ = find_days(line[request.start() :], written, day_first=day_first)
            yield from [written for day in days if day.days == (written,)][:1]
        for cue in cues:
            days, _ = find_days(line[cue.end() :], written, day_first=day_first)
            yield from [day.days[-1] for day in days if day.start <= _CLOSE][:1]


def _is_put_to_others(message: Message, own: frozenset[str]) -> bool:
    to, cc = ({each.key for each in some} for some in (message.to, message.cc))
    return bool(own & cc) and not own & to
