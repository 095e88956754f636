"""What a message wants of its reader, by rules that read it alone: for the words of its card, and for where it stands in the queue."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import islice
from zoneinfo import ZoneInfo

from email_assistant.clock import short_day
from email_assistant.language.days import find_days
from email_assistant.language.measures import amounts
from email_assistant.language.text import DAY_FIRST, language_of
from email_assistant.language.words import WORDS
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline import words
from email_assistant.models.offline.asks import ASKS_YOU, BLOCKED, QUOTING, ask_of
from email_assistant.models.offline.courtesy import first_name
from email_assistant.models.offline.gaps import beginning, questions_of
from email_assistant.models.offline.reading import (
    body_words,
    ordered_of,
    orders_an_assistant,
    own_words,
    sentences,
    subject_words,
)

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
