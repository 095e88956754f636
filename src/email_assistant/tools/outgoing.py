"""A message that waits, as its action tells of it: from the one to the other, its gaps, and why a person must see it.

Concerns that a person who has accepted is asked about once more: gaps, other runs' work on the message, the user's own mail since.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from email_assistant.effects.outbox import Outbox
from email_assistant.errors import NotFoundError
from email_assistant.facts.fact import gaps_left
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.mail.address import Address, format_addresses, parse_recipients
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Message, OutgoingMessage
from email_assistant.mail.text import one_line
from email_assistant.models.offline.gaps import asked_in
from email_assistant.review.action import Action, Details
from email_assistant.review.card import named
from email_assistant.review.card_facts import local_time
from email_assistant.review.card_view import gap_line
from email_assistant.review.kinds import CardKind
from email_assistant.tools.tool import AskAgain, Turn


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


ACCEPTED = "done:"
"""The beginning of the key of a concern about an earlier effect; the effect's action id follows."""
LIVE = (OutboxStatus.started, OutboxStatus.done)
"""Of what may have happened."""
MAX_TOLD = 3
_SHOWN = 120
"""Characters of what was done or written."""


@dataclass(frozen=True, slots=True)
class Concern:
    """One finding."""

    key: str
    """The same for the same finding, so that whoever accepts all the same is not asked about it again."""
    text: str
    """For the card's first line."""


def asked_about(
    action: Action, concerns: Iterable[Concern], acknowledged: Collection[str]
) -> AskAgain | None:
    """The card again when there is a finding that is new, with every one: somebody else may be asked now; None when there is none."""
    found = list(concerns)
    new = [concern for concern in found if concern.key not in acknowledged]
    if not new:
        return None
    problem = " ".join(each.text for each in found if each.text)
    return AskAgain(action, problem, tuple(each.key for each in new))


def until_complete(action: Action, again: AskAgain | None) -> AskAgain | None:
    """The card again, however often, as long as a text has a gap in it; `again` is what else it is asked again for."""
    left = [text[start:end] for text in action.args.values() for start, end in gaps_left(text, action.gaps)]
    if not left:
        return again
    fill = (
        "1 gap is left: fill it, or take it out"
        if len(left) == 1
        else f"{len(left)} gaps are left: fill them, or take them out"
    )
    problem = f"{fill}, with edit ({one_line(', '.join(left), limit=_SHOWN)})."
    return replace(again, problem=f"{problem} {again.problem}") if again else AskAgain(action, problem)


@dataclass(frozen=True)
class Wording:
    """The sentences about one kind of effect."""

    done: str
    """Like "A reply to this message was sent"."""
    begun: str
    """Like "A reply to this message is being sent": its end was not seen."""
    again: str
    """The effect of accepting once more, like "send this one as well"."""
    details: Callable[[OutboxRow], str]
    """Its details in a few words."""


def sentence(row: OutboxRow, wording: Wording, timezone: str) -> str:
    """The sentence on what was done, when, and by whom."""
    by = f"by {row.graph}" if row.graph else "by another run"
    what = wording.done if row.status is OutboxStatus.done else wording.begun
    details = one_line(wording.details(row), limit=_SHOWN)
    return f"{what} on {local_time(row.updated_at, timezone)} {by}: {details}"


def own_sentence(row: OutboxRow, wording: Wording, timezone: str) -> str:
    """The sentence on what the run itself has done, in the words that went out."""
    what = wording.done if row.status is OutboxStatus.done else wording.begun
    return f"{what} on {local_time(row.updated_at, timezone)}: {one_line(wording.details(row), limit=_SHOWN)}"


def accepted_in(acknowledged: Iterable[str]) -> list[str]:
    """Ids of the earlier effects that a person knows of and goes on all the same."""
    return [key.removeprefix(ACCEPTED) for key in acknowledged if key.startswith(ACCEPTED)]


def earlier_concerns(rows: Iterable[OutboxRow], action: Action, wording: Wording) -> list[Concern]:
    """Concerns about effects on the same subject that are not of the action's own work."""
    found = [row for row in rows if row.status in LIVE and not row.doer.is_work_of(action.doer)]
    texts = [sentence(row, wording, action.timezone) for row in found[:-1][-MAX_TOLD:]]
    texts = [""] * (len(found) - 1 - len(texts)) + texts
    texts += [
        f"{sentence(row, wording, action.timezone)} Accept again to {wording.again}." for row in found[-1:]
    ]
    return [Concern(f"{ACCEPTED}{row.action_id}", text) for row, text in zip(found, texts, strict=True)]


def forgotten(row: OutboxRow, turn: Turn) -> bool:
    """Whether this run thread has done it and does not remember: the server has lost its last seconds."""
    return row.doer.is_run_of(turn.doer) and row.action_id not in turn.known_actions


def others(rows: Sequence[OutboxRow], turn: Turn) -> list[OutboxRow]:
    """Rows of effects done, or begun, in other work than the turn's."""
    return [row for row in rows if row.status in LIVE and not row.doer.is_work_of(turn.doer)]


async def conversation_with(mailbox: Mailbox, message: Message) -> tuple[Message, list[Message]]:
    """The message as the mailbox has it, if it has, and its conversation, by whatever id the run's caller knows that; [] when unknown."""
    conversation = await mailbox.thread(message.mail_thread_id)
    if not conversation and message.id:
        with suppress(NotFoundError):
            conversation = await mailbox.thread((await mailbox.fetch(message.id)).mail_thread_id)
    return next((each for each in conversation if each.id == message.id), message), conversation


async def written_elsewhere(
    messages: Sequence[Message], outbox: Outbox, ours: Collection[str] = ()
) -> list[Message]:
    """Those of the messages that lie in Sent and that no effect of ours has sent; `ours` are Message-IDs of what we have begun to send."""
    sent = [each for each in messages if each.sent and each.message_id not in ours]
    by_us = await outbox.sent_by_us([each.id for each in sent]) if sent else frozenset()
    return [each for each in sent if each.id not in by_us]


def elsewhere_concerns(
    written: Sequence[Message], replies: Sequence[Message], timezone: str
) -> list[Concern]:
    """Concerns that the user has written in the conversation since, and which of it answers the message: the latest is told."""
    what = "You answered this" if replies else "You wrote in this conversation"
    texts = {each.id: "" for each in written}
    for last in (replies or written)[-1:]:
        words = one_line(last.text or last.subject, limit=_SHOWN)
        texts[last.id] = (
            f"{what} on {local_time(last.date, timezone)}: “{words}”. Accept again to send this one as well."
        )
    return [Concern(f"own:{message_id}", text) for message_id, text in texts.items()]
