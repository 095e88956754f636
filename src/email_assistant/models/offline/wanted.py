"""What a message wants of its reader, by rules that read it alone: for the words of its card, and for where it stands in the queue."""

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from zoneinfo import ZoneInfo

from email_assistant.language.deadlines import WrittenWhen, deadlines_in
from email_assistant.language.languages import DAY_FIRST, language_of
from email_assistant.language.money import amounts
from email_assistant.mail.bulk import bulk_of
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line
from email_assistant.mail.threading import base_subject
from email_assistant.models.offline import words
from email_assistant.models.offline.gaps import beginning, questions_of
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.reading import body_words, own_words, sentences, subject_words

ORDERS, MONEY = "orders", "money"
"""Alarms: it gives orders to an assistant; it warns of a payment, or speaks of new bank details."""
MAX_WORDS = 160
KEPT = 64
"""Messages whose wishes are kept."""
_MAX_LINES = 150
_MAX_LINE = 400


@dataclass(frozen=True, slots=True)
class Wish:
    """What was found in one message."""

    told: str
    """What its sender does, to stand behind their name: `asks 2 questions: “…”`."""
    gist: str
    """What it wants in the fewest words, which are its own: its first question, else its subject."""
    questions: tuple[str, ...]
    deadline: date | None
    """By when it wants something of its reader, in the reader's zone."""
    alarms: tuple[str, ...]


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
    about = _short(
        base_subject(message.subject) or next(iter(sentences(body_words(message))), "") or "(no subject)"
    )
    told, gist = _told(message, questions, tuple(alarms), about)
    deadline = None if _is_put_to_others(message, own) else _deadline(message, timezone)
    return Wish(told, gist, questions, deadline, tuple(alarms))


def _told(
    message: Message, questions: tuple[str, ...], alarms: tuple[str, ...], about: str
) -> tuple[str, str]:
    """What the sender does, and the gist; the first rule that applies decides."""
    text = _flat(message)
    for applies, verb in (
        (ORDERS in alarms, "gives an assistant orders, which it does not follow:"),
        (MONEY in alarms, "writes of money, which is to be checked by another way:"),
        (words.ORDER.search(text), "wants to order:"),
        (words.COMPLAINT.search(text), "complains:"),
    ):
        if applies:
            return f"{verb} “{about}”", about
    if questions:
        first, number = _short(questions[0]), len(questions)
        return f"asks{f' {number} questions' if number > 1 else ''}: “{first}”", first
    asks = words.REQUEST.search(text) or words.DEADLINE.search(text)
    return f"{'wants something done about' if asks else 'wrote about'} “{about}”", about


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
    """The first day, not before the message's own, by which it asks for something; else the first that it names as a deadline."""
    if message.date is None:
        return None
    zone = ZoneInfo(timezone)
    subject = subject_words(message).strip()
    # A reply's subject is an earlier message's.
    said = (subject,) if base_subject(subject) == one_line(subject) else ()
    lines = [line[:_MAX_LINE].replace("’", "'") for line in (*said, *sentences(body_words(message)))][
        :_MAX_LINES
    ]
    written = WrittenWhen(message.date.astimezone(zone), zone, language_of("\n".join(lines)) in DAY_FIRST)
    found = [each for each in deadlines_in(lines, written) if each.day >= written.day]
    asked = [each.day for each in found if each.asked]
    return min(asked or [each.day for each in found], default=None)


def _is_put_to_others(message: Message, own: frozenset[str]) -> bool:
    to, cc = ({each.key for each in some} for some in (message.to, message.cc))
    return bool(own & cc) and not own & to


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= MAX_WORDS else f"{line[: MAX_WORDS - 1].rstrip()}…"
