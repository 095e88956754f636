"""A message, received, sent or yet to be sent, as the rest of the program sees it; and the key by which one is recognised."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from email_assistant.mail.address import Address


@dataclass(frozen=True, slots=True)
class Attachment:
    """A part that is listed: file name, media type, size in bytes (decoded)."""

    name: str
    content_type: str
    size: int
    text: str = ""
    """The beginning of what stands in it; "" for what was not read."""
    unread: str = ""
    """Why it could not be read, though files of its kind are."""


@dataclass(frozen=True, slots=True)
class Message:
    """One email, decoded.

    Text fields hold what a reader of the rendered mail can see; hidden text is gone and said so in `notes`.
    """

    id: str
    """The mailbox's own id of the message (not the Message-ID header)."""
    mail_thread_id: str
    """The mailbox's id of the conversation."""
    sender: Address
    subject: str
    text: str
    """What this message adds: body without quoted history and signature."""
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    reply_to: tuple[Address, ...] = ()
    date: datetime | None = None
    """Aware, UTC; None when the Date header is missing or unreadable."""
    message_id: str = ""
    """The Message-ID header with its angle brackets, or ""."""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    """Message-IDs of the References header, oldest first (RFC 5322 §3.6.4)."""
    quoted: str = ""
    signature: str = ""
    attachments: tuple[Attachment, ...] = ()
    calendars: tuple[str, ...] = ()
    """The text of its calendar parts (iCalendar, RFC 5545), unread; bounded by `mime.kept_calendars`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Other headers that rules look at, names in lower case (list-id, auto-submitted …).

    Authentication-Results may occur several times: the values from the top down, a newline between two.
    """
    notes: tuple[str, ...] = ()
    """What was odd about the message, one plain sentence each ("Hidden text was removed.")."""
    sent: bool = False
    """Whether it lies in the mailbox among the sent ones: only that, and no From, says that the user wrote it."""
    form: Address | None = None
    """The address of the web site's form that sent it, where `sender` is whom that names; None for all other mail."""
    arrived: datetime | None = field(default=None, compare=False)
    """When it came into the mailbox, aware, UTC; None where the mailbox does not tell."""


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A message to be saved as a draft or sent; every field is final."""

    sender: Address
    to: tuple[Address, ...]
    subject: str
    body: str
    message_id: str
    """Message-ID header, chosen by us so that a repeated send can be recognised."""
    cc: tuple[Address, ...] = ()
    bcc: tuple[Address, ...] = ()
    """Only what another program put into a draft: nothing here writes to anybody unseen."""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    mail_thread_id: str = ""
    """The mailbox's id of the conversation answered; "" starts a new one."""
    calendar: str = ""
    """A scheduling message that goes with the text: one VCALENDAR with a METHOD, lines ended by CRLF (RFC 6047); "" for none."""

    @property
    def recipients(self) -> tuple[Address, ...]:
        """Everybody who gets it."""
        return (*self.to, *self.cc, *self.bcc)


@dataclass(frozen=True, slots=True)
class Draft:
    """A message waiting in the mailbox's drafts."""

    id: str
    message: OutgoingMessage


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of one mail thread: the `current` one to deal with, the `earlier` ones oldest first.

    Behind them stands what was written since, where that leaves standing what the current one asks (`since`).
    """

    current: Message
    earlier: tuple[Message, ...] = ()

    @property
    def mail_thread_id(self) -> str:
        """The mailbox's id of the conversation."""
        return self.current.mail_thread_id

    def has_part_of(self, own: Collection[str]) -> bool:
        """Whether one of its earlier messages is from one of these addresses (lower case)."""
        return any(each.sender.key in own for each in self.earlier)

    @property
    def since(self) -> tuple[Message, ...]:
        """What others have written after the current message."""
        now = self.current.date
        return tuple(e for e in self.earlier if not e.sent and now and e.date and e.date > now)

    @property
    def words(self) -> str:
        """All that stands in its messages."""
        texts = ((m.subject, m.text, m.quoted, m.signature) for m in (*self.earlier, self.current))
        return "\n".join(each for some in texts for each in some if each)

    @property
    def arrived(self) -> datetime | None:
        """When the current message came in, see `Message.arrived`."""
        return self.current.arrived


def message_key(mailbox: str, message: Message) -> str:
    """32 hexadecimal digits, the same for one message of the mailbox of that name for ever.

    By the mailbox's own id; mail that was given without one goes by its Message-ID, else by what it says.
    """
    if message.id:
        return key_of_id(mailbox, message.id)
    if message.message_id:
        return _digest(mailbox, "message-id", message.message_id)
    date = message.date.isoformat() if message.date else ""
    return _digest(
        mailbox, "content", message.sender.key, message.subject, message.text, message.quoted, date
    )


def key_of_id(mailbox: str, message_id: str) -> str:
    """`message_key` of the message that the mailbox knows by this id."""
    return _digest(mailbox, "id", message_id)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
