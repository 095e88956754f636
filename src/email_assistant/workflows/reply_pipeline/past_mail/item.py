"""The item that the store keeps of one past message."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from email_assistant.knowledge.embedding import marked, unmarked
from email_assistant.knowledge.similarity import words_of
from email_assistant.mail.address import format_addresses
from email_assistant.mail.message import Message
from email_assistant.mail.text import clean, one_line

Role = Literal["theirs", "ours"]

MAX_TEXT = 2_000
"""Characters of a message's text that are kept and embedded, from its beginning."""
MAX_SUBJECT = 300
MAX_SENDER = 200
MAX_ID = 300
_READ = 4 * MAX_TEXT
"""Characters of a text that are looked at; what is longer has its beginning read only."""


@dataclass(frozen=True, slots=True)
class Item:
    """One past message. Its text is a stranger's: data, never instructions."""

    key: str
    role: Role
    subject: str
    text: str
    """What the message adds, without quoted history and signature."""
    sender: str
    date: str
    """ISO 8601, UTC; "" when unknown."""
    message_id: str
    """The mailbox's id of the message, to link to."""
    mail_thread_id: str
    answer_to: str = ""
    """Of ours: the key of the message it answers, when that is known."""
    answered_by: str = ""
    """Of theirs: the key of the answer that was sent."""

    @property
    def words(self) -> str:
        """What is embedded and compared."""
        return f"{self.subject}\n{self.text}"

    def value(self, embedding: str) -> dict[str, Any]:
        """What the store keeps; `text` is what it embeds."""
        kept = asdict(self) | {"text": marked(embedding, self.key, self.words), "embedding": embedding}
        del kept["key"]
        return kept


def item_from(key: str, value: dict[str, Any]) -> Item | None:
    """The item that a value of the store holds; None for one that was not written by `Item.value`."""
    names = ("subject", "text", "sender", "date", "message_id", "mail_thread_id", "answer_to", "answered_by")
    found = {name: value.get(name, "") for name in names}
    role = value.get("role")
    if role not in {"theirs", "ours"} or not all(isinstance(text, str) for text in found.values()):
        return None
    found["text"] = unmarked(found["text"]).removeprefix(found["subject"]).removeprefix("\n")
    return Item(key=key, role=role, **found)


def item_of(message: Message, role: Role) -> Item | None:
    """The item of a message; None when it has no id or no words to be found by (only emoji, only attachments)."""
    subject, text = one_line(message.subject[:_READ], limit=MAX_SUBJECT), text_of(message)
    if not message.id or not words_of(f"{subject}\n{text}"):
        return None
    return Item(
        key=key_of(message.id),
        role=role,
        subject=subject,
        text=text,
        sender=one_line(format_addresses((message.sender,)), limit=MAX_SENDER),
        date=message.date.isoformat() if message.date else "",
        message_id=bounded_id(message.id),
        mail_thread_id=bounded_id(message.mail_thread_id),
    )


def text_of(message: Message) -> str:
    """The text that is kept of a message."""
    return clean(message.text[:_READ])[0].strip()[:MAX_TEXT].rstrip()


def key_of(message_id: str) -> str:
    """The key of a message's item: the same for the same message, of one length and harmless characters."""
    return "m-" + _digest(message_id)


def bounded_id(text: str) -> str:
    """An id as it is, or its digest when it is too long or has characters that a database refuses."""
    return text if len(text) <= MAX_ID and text.isprintable() else "sha256:" + _digest(text)


def space_of(mailbox: str) -> tuple[str, ...]:
    """The namespace of a mailbox's mail; labels of the store may not hold dots, which addresses do."""
    return ("email_assistant", "knowledge", "mailbox-" + _digest(mailbox)[:16], "mail")


def pairs(messages: Sequence[Message], roles: Sequence[Role | None]) -> dict[int, int]:
    """For each message of ours, by position, which earlier one of theirs it answers (RFC 5322 §3.6.4, else the latest)."""
    by_header = {m.message_id: at for at, m in enumerate(messages) if m.message_id and roles[at] == "theirs"}
    found: dict[int, int] = {}
    latest: int | None = None
    for at, role in enumerate(roles):
        answered = by_header.get(messages[at].in_reply_to, latest) if role == "ours" else None
        if answered is not None:
            found[at] = answered
        if role == "theirs":
            latest = at
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
