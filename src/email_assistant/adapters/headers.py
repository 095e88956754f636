"""What an index reads of a message's header: which messages it builds on, by whom, to whom and about what it is."""

import hashlib
from dataclasses import dataclass

from email_assistant.mail import mime_parts
from email_assistant.mail.address import parse_addresses
from email_assistant.mail.conversation import message_ids, thread_root
from email_assistant.mail.mime_parts import decode_header
from email_assistant.mail.text import one_line

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
    return header_of(raw[: _end_of_head(raw)])


def _end_of_head(raw: bytes) -> int | None:
    """Where the first blank line is, or None when it is not in sight."""
    start = len(raw) - len(raw.lstrip(b"\r\n"))
    ends = [end for mark in (b"\n\n", b"\n\r\n") if (end := raw.find(mark, start)) >= 0]
    return min(ends) + 1 if ends else None


def header_of(head: bytes) -> Header:
    """The same of the bytes of a header."""
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


def people_and_subject(path: str) -> tuple[str, frozenset[str], str]:
    """Sender and recipients (`Address.key`s), and the subject, of the message in this file; raises `FileNotFoundError` when it is gone."""
    with open(path, "rb") as file:
        raw = file.read(_CHUNK)
    return people_and_subject_of(raw[: _end_of_head(raw)])


def people_and_subject_of(head: bytes) -> tuple[str, frozenset[str], str]:
    """The same of the bytes of a header."""
    part, _ = mime_parts.parse(head)
    sender, *others = (
        [each.key for each in parse_addresses(mime_parts.raw_header(part, name)[:_MAX_SEARCHED])]
        for name in ("from", "to", "cc")
    )
    subject = decode_header(mime_parts.raw_header(part, "subject")[:_MAX_SEARCHED])
    return next(iter(sender), ""), frozenset(key for some in others for key in some), one_line(subject)


def key_of(message_id: str) -> str:
    """The name of a Message-ID among conversations: of fixed length, whatever a sender put into the header."""
    return hashlib.sha256(message_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def own_key(unique: str, header: Header) -> str:
    """The key that stands for a message itself: of its Message-ID, or of its file when it has none."""
    return key_of(header.message_id or f"file:{unique}")
