"""A message that waits, as its action tells of it: from the one to the other, its gaps, and why a person must see it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.clock import short_day
from email_assistant.facts.fact import gaps_left
from email_assistant.mail.address import Address, format_addresses, parse_recipients, unique
from email_assistant.mail.email_input import FOLLOWS_UP
from email_assistant.mail.message import Conversation, Message, OutgoingMessage
from email_assistant.mail.text import one_line
from email_assistant.models.offline.triage import TriageRule
from email_assistant.models.offline.wanted import asked_in
from email_assistant.review.action import Action, Details
from email_assistant.review.card import named
from email_assistant.review.card_view import gap_line
from email_assistant.review.kinds import CardKind
from email_assistant.tools.tool import User


@dataclass(frozen=True, slots=True)
class AskedGap:
    """A place of a letter where a question was asked of the user."""

    start: int
    text: str
    """The gap, or what fills it."""
    question: str
    asker: str
    """The `Address.key` of who asks."""


@dataclass(frozen=True, slots=True)
class LetterDetails(Details):
    """What a letter's card carries. The outbox keeps the first two: all else may come out otherwise when the card is made again."""

    message: OutgoingMessage
    """The letter without the fields of its card."""
    based_on: str
    """The mailbox's own id of the message that it answers, or that it was written on."""
    draft_id: str = ""
    digest: str = ""
    """Of the draft as it was saved; with another one a person has changed it."""
    about: str = ""
    """What the title says that it is about."""
    answered_date: datetime | None = None
    own: tuple[str, ...] = ()
    """The user's addresses, lower case."""
    read: tuple[str, ...] = ()
    """Ids of the other messages of the conversation that were there when the card was made."""
    before: tuple[str, ...] = ()
    """What other work has done about the message, a sentence each."""
    quoted: tuple[str, ...] = ()
    """What the text repeats of the message's own words."""
    times_taken: tuple[str, ...] | None = None
    """What of the calendar was told to be in the way of the text's times, see `TimesInDraft.keys`; None where nobody has looked."""
    proposed: str = ""
    """The text as it was proposed, where questions were asked in it."""
    asked: tuple[AskedGap, ...] = ()
    said: int = 0
    """How many things that the user said before are in it."""


def answered_by(action: Action) -> Message:
    """The message answered, as far as the action tells of it: it may have been deleted."""
    letter, to = LetterDetails.of(action), parse_recipients(action.args["to"])
    return Message(
        id=letter.based_on,
        mail_thread_id=letter.message.mail_thread_id,
        sender=to[0] if to else Address(""),
        reply_to=to,
        subject="",
        text="",
        date=letter.answered_date,
        message_id=letter.message.in_reply_to,
    )


def outgoing(action: Action) -> OutgoingMessage:
    """The message an action stands for."""
    return replace(
        LetterDetails.of(action).message,
        to=parse_recipients(action.args["to"]),
        cc=parse_recipients(action.args["cc"]),
        bcc=parse_recipients(action.args.get("bcc", "")),
        subject=action.args["subject"],
        body=action.args["body"],
    )


def called(recipient: Address) -> str:
    """The name, unless it could be taken for another address."""
    return recipient.email if "@" in recipient.name else recipient.name or recipient.email


def addressed(kind: CardKind, message: OutgoingMessage, about: str) -> str:
    """What its card's title says after the verb: who gets it, and what it is about."""
    people = message.to or message.recipients
    return named(kind.begins, ", ".join(map(called, people[:2])) or "nobody", about)


def shown_fields(message: OutgoingMessage) -> dict[str, str]:
    """The fields of its card; `bcc` where there is one."""
    return {
        "to": format_addresses(message.to),
        "cc": format_addresses(message.cc),
        **({"bcc": format_addresses(message.bcc)} if message.bcc else {}),
        "subject": message.subject,
        "body": message.body,
    }


def reasons_for_a_person(action: Action) -> tuple[str, ...]:
    """Reasons why a message must not go out unseen, however sure its writer is."""
    letter = LetterDetails.of(action)
    if letter.before:
        return letter.before
    if letter.said:
        return ("It says what you said before: look whether it still holds.",)
    if any(gaps_left(text, action.gaps) for text in read_texts(action.args)):
        return ("The text has gaps that only a person can fill.",)
    return ("There is something to look at closely before it is sent.",) if action.warnings else ()


def read_texts(args: Mapping[str, str]) -> tuple[str, str]:
    """Subject and body, which its readers read."""
    return args["subject"], args["body"]


def gap_warnings(gaps: Iterable[str], args: Mapping[str, str], answered: Message) -> tuple[str, ...]:
    """A warning for each place that the writer left for the user to fill, with what of the message it is to answer."""
    words = "\n".join(read_texts(args))
    return tuple(gap_line({"text": gap, "question": asked_in(gap, answered, words)}) for gap in gaps)


def addressees(letter: Message, own: frozenset[str]) -> list[Address]:
    """Whom a letter of the user's went to, those in To first."""
    return [each for each in unique((*letter.to, *letter.cc)) if each.key not in own]


def unanswered_since(letter: Message, own: frozenset[str], timezone: str) -> str:
    """Who has not answered since when, like "Ana Petrova has not answered since Thu 12 Nov"."""
    people = addressees(letter, own)
    names = [one_line(each.name) or each.email for each in people[:2]]
    who = " and ".join([*names, *([f"{len(people) - 2} more"] if len(people) > 2 else [])])
    day = day_written(letter, timezone)
    since = f" since {short_day(day)}" if day else ""
    return f"{who} {'has' if len(people) == 1 else 'have'} not answered{since}"


def day_written(letter: Message, timezone: str) -> date | None:
    """The day of its Date header; None without one."""
    return letter.date.astimezone(ZoneInfo(timezone)).date() if letter.date else None


def follows_up(email_input: Mapping[str, Any], conversation: Conversation, user: User) -> TriageRule | None:
    """That a letter of the user's own is to be followed up; None of all other mail."""
    letter = conversation.current
    if (
        not email_input.get(FOLLOWS_UP)
        or letter.sender.key not in user.own
        or not addressees(letter, user.own)
    ):
        return None
    return TriageRule("respond", f"{unanswered_since(letter, user.own, user.timezone)}.", asks=True)
