"""The note about one mail."""

from dataclasses import dataclass
from datetime import datetime

from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.text import one_line

_READ = 1_000
_FIRST_YEAR, _LAST_YEAR = 1970, 9998


@dataclass(frozen=True, slots=True)
class Note:
    """What is worth keeping of one mail. Every text in it is data: a vault writes it so that none of it can act."""

    key: str
    """What the note is about: the id of one conversation."""
    title: str
    created: datetime
    """When this was noted; aware."""
    category: str
    """One of the inbox's categories; slashes make folders ("Professional/Work")."""
    sender: Address
    message_id: str
    """The mail this was noted from: its Message-ID header, or the mailbox's own id when it has none."""
    subject: str = ""
    summary: str = ""
    """Plain text, in paragraphs."""
    key_points: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Addresses to keep; those that are not plain https are left out."""
    tags: tuple[str, ...] = ()


def check_note(note: Note) -> None:
    """Raises `InputError` naming the field for a note that no vault could keep."""
    for name, text in (
        ("title", one_line(note.title[:_READ])),
        ("category", one_line(note.category[:_READ])),
        ("key", note.key.strip()),
        ("message_id", note.message_id.strip().strip("<>")),
    ):
        if not text:
            raise InputError(f"'{name}' of a note is empty")
    if note.created.utcoffset() is None:
        raise InputError(f"'created' has no time zone: {note.created.isoformat()}")
    if not _FIRST_YEAR <= note.created.year <= _LAST_YEAR:
        raise InputError(f"'created' is out of range: {note.created.isoformat()}")
