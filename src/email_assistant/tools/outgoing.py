"""A message that waits, as its action tells of it: from the one to the other, its gaps, and why a person must see it."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from email_assistant.facts.gaps import gaps_left
from email_assistant.mail.address import Address, format_addresses, parse_recipients
from email_assistant.mail.message import Message, OutgoingMessage
from email_assistant.models.offline.gaps import asked_in
from email_assistant.review.action import GAPS, Action
from email_assistant.review.card import named
from email_assistant.review.card_view import gap_line
from email_assistant.review.kinds import CardKind
from email_assistant.tools.tool import Turn

READ = "read"
"""The fact that names the other messages of the conversation which were there when the card was made."""


def answered_by(action: Action) -> Message:
    """The message answered, as far as the action tells of it: it may have been deleted."""
    facts, written = action.facts, str(action.facts.get("answered_date") or "")
    to = parse_recipients(action.args["to"])
    return Message(
        id=facts["based_on"],
        mail_thread_id=facts["mail_thread_id"],
        sender=to[0] if to else Address(""),
        reply_to=to,
        subject="",
        text="",
        date=datetime.fromisoformat(written) if written else None,
        message_id=facts["in_reply_to"],
    )


def outgoing(action: Action) -> OutgoingMessage:
    """The message an action stands for."""
    return OutgoingMessage(
        sender=Address(action.facts["sender"], action.facts["sender_name"]),
        to=parse_recipients(action.args["to"]),
        cc=parse_recipients(action.args["cc"]),
        bcc=parse_recipients(action.args.get("bcc", "")),
        subject=action.args["subject"],
        body=action.args["body"],
        message_id=action.facts["message_id"],
        in_reply_to=action.facts["in_reply_to"],
        references=tuple(action.facts["references"]),
        mail_thread_id=action.facts["mail_thread_id"],
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


def facts_of(
    message: OutgoingMessage, draft_id: str, untouched: str, subject_key: str, turn: Turn
) -> dict[str, Any]:
    """The facts of an action that sends it, beside its fields."""
    return {
        "draft_id": draft_id,
        "digest": untouched,
        "message_id": message.message_id,
        "in_reply_to": message.in_reply_to,
        "references": list(message.references),
        "mail_thread_id": message.mail_thread_id,
        "based_on": turn.conversation.current.id,
        "answered_date": date.isoformat() if (date := turn.conversation.current.date) else "",
        "sender": message.sender.email,
        "sender_name": message.sender.name,
        "own": sorted(turn.user.own),
        "subject_key": subject_key,
        "doer": asdict(turn.doer),
        "timezone": turn.user.timezone,
        READ: [each.id for each in turn.conversation.earlier],
    }


def reasons_for_a_person(action: Action) -> tuple[str, ...]:
    """Reasons why a message must not go out unseen, however sure its writer is."""
    if before := action.facts.get("before"):
        return tuple(before)
    if action.facts.get("said"):
        return ("It says what you said before: look whether it still holds.",)
    if any(gaps_left(text, action.facts.get(GAPS) or ()) for text in read_texts(action.args)):
        return ("The text has gaps that only a person can fill.",)
    return ("There is something to look at closely before it is sent.",) if action.warnings else ()


def read_texts(args: Mapping[str, str]) -> tuple[str, str]:
    """Subject and body, which its readers read."""
    return args["subject"], args["body"]


def gap_warnings(gaps: Iterable[str], args: Mapping[str, str], answered: Message) -> tuple[str, ...]:
    """A warning for each place that the writer left for the user to fill, with what of the message it is to answer."""
    words = "\n".join(read_texts(args))
    return tuple(gap_line({"text": gap, "question": asked_in(gap, answered, words)}) for gap in gaps)
