"""The `Mailbox` port: what the program needs of any mailbox."""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from email_assistant.errors import InputError
from email_assistant.mail.message import Draft, Message, OutgoingMessage


@dataclass(frozen=True, slots=True)
class MailQuery:
    """Which messages to list; every condition given must hold."""

    after: datetime | None = None
    """Received at or after this instant (aware)."""
    before: datetime | None = None
    """Received before this instant (aware)."""
    unread_only: bool = False
    text: str = ""
    """Words that occur in the sender, recipients or subject, without regard to case."""
    limit: int | None = None
    sent: bool = False
    """Among what the user has sent, and not in the inbox."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A message of a listing."""

    id: str
    mail_thread_id: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What came into the inbox after a cursor."""

    messages: tuple[Listed, ...]
    """Oldest first, each once."""
    cursor: str
    """Where the mailbox stood when this was asked."""
    answered: tuple[str, ...] = ()
    """Conversations (mail thread ids) in which the user has sent something since."""
    moved: tuple[str, ...] | None = None
    """Messages that were moved since, in or out, or deleted; None where the mailbox does not tell."""


class Whereabouts(StrEnum):
    """Where a message is that was in the inbox once."""

    IN_PLACE = "in place"
    """Where it was, perhaps under another id."""
    MOVED = "moved"
    """In another folder, archived, or nobody knows where."""
    JUNK = "junk"
    THROWN_AWAY = "thrown away"
    """In the trash, marked as deleted, or nowhere any more."""


LABEL_PREFIX = "Agent/"
"""How the labels begin that this program gives; all others are the user's own, and stay as they are."""

MAX_LABEL = 200


def check_labels(labels: Iterable[str]) -> None:
    """Raise `InputError` for a label that could not be shown."""
    for label in labels:
        if not label.strip() or len(label) > MAX_LABEL or not label.isprintable():
            raise InputError(f"not a label: {label[:40]!r}")


class Mailbox(Protocol):
    """A mailbox. Every method may raise `ProviderError`; `TransientError` when trying again may help.

    Ids are opaque strings of the mailbox. Message ids stay the same for the life of the message.
    """

    @property
    def name(self) -> str:
        """A name that tells this mailbox from others, stable across restarts."""

    @property
    def sends(self) -> bool:
        """Whether letters are sent from it; False where a person sends its drafts with another program."""

    async def inbox(self, query: MailQuery) -> list[str]:
        """Ids of the messages that match, oldest first."""

    def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        """Like `inbox`, one message at a time with its conversation."""

    async def cursor(self) -> str:
        """Where the mailbox stands now, to ask `changes` from later; "" when it keeps no record of changes."""

    async def changes(self, cursor: str, *, unread_only: bool = False) -> Changes:
        """What came into the inbox after the cursor; raises `CursorExpiredError` when the mailbox cannot tell (any more)."""

    async def wait(self, seconds: float) -> None:
        """Return when something may have come in, at the latest after so long; where the mailbox cannot tell, then."""

    async def fetch(self, message_id: str) -> Message:
        """The message; raises `NotFoundError`."""

    async def in_place(self, message_ids: Collection[str]) -> frozenset[str]:
        """Those of the messages that lie in the inbox, or among what was sent, and are not marked as deleted."""

    async def where(self, message: Message) -> Whereabouts:
        """Where another program has put a message that is not in place; `MOVED` rather than a guess."""

    async def attachment(self, message_id: str, index: int) -> bytes:
        """What is in an attachment of the message, by its place in `Message.attachments`; raises `NotFoundError`."""

    async def thread(self, mail_thread_id: str) -> list[Message]:
        """Received and sent messages of the conversation in their order (`conversation.in_order`), no drafts; [] when unknown."""

    async def threads(self, mail_thread_ids: Sequence[str]) -> dict[str, list[Message]]:
        """`thread` of each id, some at a time."""

    async def mark_read(self, message_id: str) -> None:
        """Take away "unread"; no error when already read; raises `NotFoundError`."""

    async def is_read(self, message_id: str) -> bool:
        """Whether the message has been read; raises `NotFoundError`."""

    async def labels(self, message_id: str) -> frozenset[str]:
        """The message's own labels (not the system's); raises `NotFoundError`."""

    async def change_labels(
        self, message_id: str, *, add: frozenset[str] = frozenset(), remove: frozenset[str] = frozenset()
    ) -> None:
        """Add and remove labels, creating new ones on demand; raises `NotFoundError`."""

    async def save_draft(self, message: OutgoingMessage, *, replaces: str | None = None) -> Draft:
        """Save a draft; with `replaces`, that draft is replaced and keeps its id where the mailbox can.

        Raises `NotFoundError` when `replaces` names a draft that is gone.
        """

    async def draft(self, draft_id: str) -> Draft | None:
        """The draft as it is in the mailbox now (a person may have changed it), or None when it is gone."""

    async def find_draft(self, message_id_header: str) -> Draft | None:
        """The draft whose Message-ID header is this, or None."""

    async def delete_draft(self, draft_id: str) -> None:
        """Delete the draft; no error when it is gone."""

    async def send_draft(self, draft_id: str) -> str:
        """Send the draft as it is; returns the sent message's id; raises `NotFoundError` when it is gone.

        Safe to race: of two callers one sends and the other gets `NotFoundError`.
        """

    async def find_sent(self, message_id_header: str) -> str | None:
        """The id of the sent message whose Message-ID header is this, or None."""

    async def maybe_sent(self, message_id_header: str) -> str:
        """Why nobody can tell whether the letter with this Message-ID went out, in a sentence's words; "" where it is known."""
