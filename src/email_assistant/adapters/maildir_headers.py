"""The headers that the index keeps of a message: those that find it and tie it to its conversation. Blocking calls."""

from dataclasses import dataclass

from email_assistant.mail import mime_parts
from email_assistant.mail.charset import decode_header
from email_assistant.mail.threading import message_ids, thread_root

MAX_MESSAGE = 32 * 1024 * 1024
"""No more than this of a message's file is read, in bytes."""

_CHUNK = 64 * 1024
_MAX_HEAD = 512 * 1024
_MAX_SEARCHED = 4_000
_MAX_REFERENCES = 200


@dataclass(frozen=True, slots=True)
class Header:
    """What the index reads of a message."""

    message_id: str
    references: tuple[str, ...]
    """The ids of the messages it builds on: References and In-Reply-To."""
    root: str
    """The Message-ID its conversation began with, as far as it knows; "" when it has no id at all."""
    searched: str
    """Sender, recipients and subject, folded for searching."""


def read_header(path: str) -> Header:
    """What the message in this file says; raises `FileNotFoundError` when it is gone.

    A file that cannot be read, or is no mail, gives one without ids, so that it is listed all the same.
    """
    try:
        with open(path, "rb") as file:
            raw = file.read(_CHUNK)
            if _end_of_head(raw) is None:
                raw += file.read(_MAX_HEAD)
    except FileNotFoundError:
        raise
    except OSError:
        return Header("", (), "", "")
    return _header(raw[: _end_of_head(raw)])


def read_message(path: str) -> tuple[bytes, bool]:
    """The message's bytes and whether they were cut; raises `OSError`."""
    with open(path, "rb") as file:
        raw = file.read(MAX_MESSAGE + 1)
    return raw[:MAX_MESSAGE], len(raw) > MAX_MESSAGE


def _end_of_head(raw: bytes) -> int | None:
    """Where the first blank line is, or None when it is not in sight."""
    start = len(raw) - len(raw.lstrip(b"\r\n"))
    ends = [end for mark in (b"\n\n", b"\n\r\n") if (end := raw.find(mark, start)) >= 0]
    return min(ends) + 1 if ends else None


def _header(head: bytes) -> Header:
    part, _ = mime_parts.parse(head)
    message_id = next(iter(message_ids(mime_parts.raw_header(part, "message-id"))), "")
    in_reply_to = message_ids(mime_parts.raw_header(part, "in-reply-to"))[:1]
    references = message_ids(mime_parts.raw_header(part, "references"))
    if len(references) > _MAX_REFERENCES:
        references = (references[0], *references[1 - _MAX_REFERENCES :])
    searched = " ".join(
        decode_header(mime_parts.raw_header(part, name)[:_MAX_SEARCHED])
        for name in ("from", "to", "cc", "subject")
    )
    return Header(
        message_id=message_id,
        references=tuple(dict.fromkeys([*references, *in_reply_to])),
        root=thread_root(message_id, next(iter(in_reply_to), ""), references),
        searched=searched.casefold(),
    )
