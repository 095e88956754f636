"""Mail from files into the local mailbox, each message once however often it is imported."""

import hashlib
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.adapters.maildir_folder import Incoming
from email_assistant.errors import InputError
from email_assistant.mail import mime_parts
from email_assistant.mail.authenticity import is_sent
from email_assistant.mail.message import Message
from email_assistant.mail.mime import parse_date, parse_message

_SEPARATOR = re.compile(rb"From \S*\s+.*\d{1,2}:\d{2}.*\d{4}")
_QUOTED_FROM = re.compile(rb">+From ")
_HEADER_LINE = re.compile(rb"[!-9;-~]+[ \t]*:")
_PEEK = 64 * 1024
_MAX_LINE = 1024 * 1024
_MAX_MESSAGE = 256 * 1024 * 1024
# Messages that are brought in together: files that are open, and bytes in memory.
_TOGETHER = 100
_TOGETHER_BYTES = 16 * 1024 * 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_source(path: Path) -> Iterator[bytes]:
    """The raw messages of an mbox file (RFC 4155), an `.eml` file, a folder of `.eml` files, or a Maildir.

    A Maildir gives its inbox, a folder its files by name, subfolders included. One message at a time is in memory.
    Raises `InputError` that names the path when it does not exist, cannot be read or is none of these, before
    anything is given.
    """
    try:
        return _messages(path.expanduser())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True)
class ImportedMail:
    """A message that was brought in from a file."""

    id: str
    is_new: bool
    """Whether it was not in the mailbox before."""
    sent: Message | None = None
    """Its headers, when it is the user's own and lies in Sent."""


async def bring_in(mailbox: MaildirMailbox, raw: bytes, own: frozenset[str]) -> ImportedMail:
    """Put the message where it belongs: into Sent when the user wrote it, else into the inbox.

    `own` holds the user's addresses as `Address.key`s. A mail under the user's address that has traces of a delivery came
    from outside, where anybody may have written it (`is_sent`): it stays in the inbox, as somebody else's.
    """
    return (await _bring_in_together(mailbox, [raw], own))[0]


async def bring_in_all(
    mailbox: MaildirMailbox, raws: Iterable[bytes], own: frozenset[str]
) -> AsyncIterator[ImportedMail]:
    """`bring_in` of each, in their order, many with one wait for the disk.

    What is given is on the disk, whole. Of what is under way at a crash any part may be there: when the same messages are
    brought in again, these are known and the others are added. When the source fails, what it gave before is brought in first.
    """
    for few in _batches(raws):
        for imported in await _bring_in_together(mailbox, few, own):
            yield imported


async def _bring_in_together(
    mailbox: MaildirMailbox, raws: Sequence[bytes], own: frozenset[str]
) -> list[ImportedMail]:
    mails, messages = [], []
    for raw in raws:
        plain, head = _plain(raw)
        message = parse_message(head, id="", mail_thread_id="") if own else None
        sent = bool(message and is_sent(message, own))
        messages.append(message if sent else None)
        mails.append(Incoming(raw, *_named(plain, head), sent=sent))
    new = await mailbox.take_in(mails)
    return [ImportedMail(m.unique, n, sent) for m, n, sent in zip(mails, new, messages, strict=True)]


def _batches(raws: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    try:
        for raw in raws:
            batch.append(raw)
            size += len(raw)
            if len(batch) == _TOGETHER or size > _TOGETHER_BYTES:
                yield batch
                batch, size = [], 0
    except InputError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


async def deliver(mailbox: MaildirMailbox, raw: bytes) -> tuple[str, bool]:
    """Put the message into the inbox; gives its id and whether it was not there before."""
    imported = await bring_in(mailbox, raw, frozenset())
    return imported.id, imported.is_new


def _plain(raw: bytes) -> tuple[bytes, bytes]:
    """The message with plain line ends, and the first of its headers."""
    plain = raw.replace(b"\r\n", b"\n").strip(b"\n")
    return plain, plain.partition(b"\n\n")[0][:_PEEK]


def _named(plain: bytes, head: bytes) -> tuple[str, datetime | None]:
    """The message's unique name, made from its date and content alone, line ends apart; and its Date, when it was received."""
    date, _ = parse_date(mime_parts.header(mime_parts.parse(head)[0], "date"))
    at = max(date, _EPOCH) if date else None
    return f"{int(at.timestamp()) if at else 0}.M{hashlib.sha256(plain).hexdigest()[:40]}.import", at


def _messages(path: Path) -> Iterator[bytes]:
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise InputError(f"{path}: not a file or folder")
    with path.open("rb") as file:
        start = file.read(_PEEK).lstrip(b"\r\n")
    first = start.partition(b"\n")[0].rstrip(b"\r")
    if _SEPARATOR.match(first):
        return _mbox(path)
    if path.suffix.lower() == ".eml" or (path.suffix.lower() != ".mbox" and _HEADER_LINE.match(first)):
        return _files([path])
    if not start and path.suffix.lower() == ".mbox":
        return iter(())
    raise InputError(f"{path}: not an mbox file, an .eml file, a folder of .eml files, or a Maildir")


def _folder(path: Path) -> Iterator[bytes]:
    if (path / "cur").is_dir() and (path / "new").is_dir():
        found = [f for name in ("cur", "new") for f in (path / name).iterdir() if not f.name.startswith(".")]
        return _files(sorted(found, key=lambda f: f.name))
    found = sorted(f for f in path.rglob("*") if f.suffix.lower() == ".eml" and f.is_file())
    if not found:
        raise InputError(f"{path}: neither a Maildir nor a folder with .eml files")
    return _files(found)


def _files(paths: Iterable[Path]) -> Iterator[bytes]:
    for path in paths:
        if not path.is_file():  # a pipe, or moved away since it was listed
            continue
        try:
            with path.open("rb") as file:
                raw = file.read(_MAX_MESSAGE + 1)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from error
        if len(raw) > _MAX_MESSAGE:
            raise InputError(f"{path}: larger than {_MAX_MESSAGE // 1024 // 1024} MiB")
        yield raw


def _mbox(path: Path) -> Iterator[bytes]:
    """Messages begin at a "From " line after a blank one; ">From " lines lose one ">" (the mboxrd convention)."""
    with path.open("rb") as file:
        lines: list[bytes] = []
        size = 0
        after_blank = True
        for line in _lines(file):
            if after_blank and _SEPARATOR.match(line.rstrip(b"\r\n")):
                if lines:
                    yield _whole(lines)
                lines, size = [], 0
            elif size > _MAX_MESSAGE:
                raise InputError(f"{path}: a message is larger than {_MAX_MESSAGE // 1024 // 1024} MiB")
            else:
                lines.append(line[1:] if _QUOTED_FROM.match(line) else line)
                size += len(line)
            after_blank = not line.strip(b"\r\n")
        if lines:
            yield _whole(lines)


def _whole(lines: list[bytes]) -> bytes:
    """The message without the blank line that separates it from the next one."""
    if len(lines) > 1 and not lines[-1].strip(b"\r\n"):
        lines.pop()
    return b"".join(lines)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The file's lines; a line of absurd length comes in pieces."""
    while line := file.readline(_MAX_LINE):
        yield line
