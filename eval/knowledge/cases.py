"""The labelled mail: past mails with the answers that were sent, and queries with the ids of those that help."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from email_assistant.mail.address import Address
from email_assistant.mail.message import Message

FOLDER = Path(__file__).parent
SHOP = Address("shop@speiche.example", "Speiche & Sattel")
START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Query:
    """A mail that comes in, and which past ones help with it; none for many."""

    id: str
    split: str
    """`dev`, on which the curve is fitted and the threshold chosen, or `test`."""
    message: Message
    relevant: frozenset[str]


def past() -> list[list[Message]]:
    """The conversations: a mail and its answer; the mail's id is the one that queries name."""
    return [_conversation(at, fields) for at, fields in enumerate(_lines("mails.jsonl"))]


def past_of_years(times: int) -> list[list[Message]]:
    """A mailbox in which everything has been asked so often, by other people, in nearly the same words."""
    return [
        [
            replace(
                message,
                id=f"{message.id}#{time}",
                mail_thread_id=f"{message.mail_thread_id}#{time}",
                message_id=f"{time}{message.message_id}",
                in_reply_to=message.in_reply_to and f"{time}{message.in_reply_to}",
                text=f"{message.text} Number {time}.",
            )
            for message in conversation
        ]
        for time in range(times)
        for conversation in past()
    ]


def queries() -> list[Query]:
    """All queries, both halves."""
    return [
        Query(f["id"], f["split"], _mail(f["id"], f, START + timedelta(days=200)), frozenset(f["relevant"]))
        for f in _lines("queries.jsonl")
    ]


def _conversation(at: int, fields: dict[str, Any]) -> list[Message]:
    asked = _mail(fields["id"], fields, START + timedelta(days=at))
    answer = Message(
        id=f"{fields['id']}.answer",
        mail_thread_id=asked.mail_thread_id,
        sender=SHOP,
        subject=f"Re: {fields['subject']}",
        text=fields["answer"],
        to=(asked.sender,),
        date=START + timedelta(days=at, hours=3),
        message_id=f"<{fields['id']}.answer@speiche.example>",
        in_reply_to=asked.message_id,
    )
    return [asked, answer]


def _mail(mail_id: str, fields: dict[str, Any], date: datetime) -> Message:
    local = "".join(c for c in fields["from"].lower() if c.isascii() and c.isalnum())
    return Message(
        id=mail_id,
        mail_thread_id=f"thread-{mail_id}",
        sender=Address(f"{local}@mail.example", fields["from"]),
        subject=fields["subject"],
        text=fields["text"],
        to=(SHOP,),
        date=date,
        message_id=f"<{mail_id}@mail.example>",
    )


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
