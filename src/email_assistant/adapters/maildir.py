"""The `Mailbox` port on a Maildir++ folder tree on this machine."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from email_assistant.adapters.files import file_errors, locked
from email_assistant.adapters.maildir_folder import DRAFT, READ, new_unique
from email_assistant.adapters.maildir_headers import read_message
from email_assistant.adapters.maildir_index import IndexEntry, MaildirIndex
from email_assistant.adapters.maildir_labels import MaildirLabels, check_labels
from email_assistant.adapters.maildir_threads import key_of
from email_assistant.clock import Clock
from email_assistant.errors import CursorExpiredError, InputError, NotFoundError, TransientError
from email_assistant.mail.compose import from_bytes, to_bytes
from email_assistant.mail.mailbox import Changes, Listed, MailQuery
from email_assistant.mail.message import Draft, Message, OutgoingMessage
from email_assistant.mail.mime import parse_message
from email_assistant.mail.threading import message_ids
from email_assistant.mail.wire import redated

_T = TypeVar("_T")

CUT_NOTE = "The message is too large to be read whole; its end was left out."
# How often a file that another program moves while we look is looked for again.
_ATTEMPTS = 10


class MaildirMailbox:
    """A local mailbox: the root is the inbox, `.Drafts` and `.Sent` are beside it, labels are in `labels/`.

    Nothing leaves the machine: sending moves a draft into Sent. Read state is the flag S. A message's id is its
    unique file name; it was received at the time of its file. Other programs may read, flag, move and deliver at
    any time, and any number of processes may use the mailbox through this class.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        """`path` need not exist; it is resolved here, so make the mailbox outside the event loop."""
        self._root = Path(os.path.realpath(path.expanduser()))
        self._clock = clock
        self._index = MaildirIndex(self._root)
        self._labels = MaildirLabels(self._root / "labels")
        self._guard = threading.Lock()
        self._prepared = False

    @classmethod
    def of(cls, built: Any, path: Path) -> "MaildirMailbox":
        """The one that settings name."""
        return cls(path, built.clock)

    @property
    def name(self) -> str:
        """ "maildir:" and the resolved path."""
        return f"maildir:{self._root}"

    async def inbox(self, query: MailQuery) -> list[str]:
        """Ids of the inbox messages that match, oldest first; raises `InputError` for naive times."""
        after, before = _nanoseconds("after", query.after), _nanoseconds("before", query.before)
        words = query.text.casefold().split()

        def matches(entry: IndexEntry) -> bool:
            received = entry.header.received_ns
            return (
                (after is None or received >= after)
                and (before is None or received < before)
                and not (query.unread_only and entry.place.read)
                and all(word in entry.header.searched for word in words)
            )

        def find(index: MaildirIndex) -> list[str]:
            found = [entry.id for entry in index.ordered(index.inbox) if matches(entry)]
            return found if query.limit is None else found[: max(0, query.limit)]

        return await self._run(find)

    async def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        """The messages of `inbox`, one at a time."""
        ids = await self.inbox(query)

        def conversations(index: MaildirIndex) -> list[Listed]:
            found = (index.entry(message_id, index.inbox) for message_id in ids)
            return [Listed(entry.id, index.threads.id_of(entry.key)) for entry in found if entry]

        for listed in await self._run(conversations, refresh=False):
            yield listed

    async def cursor(self) -> str:
        """A folder of files keeps no record of changes: it is listed anew each time."""
        return ""

    async def changes(self, cursor: str, *, unread_only: bool = False) -> Changes:
        """Raises `CursorExpiredError`."""
        raise CursorExpiredError("a local mailbox keeps no record of changes")

    async def fetch(self, message_id: str) -> Message:
        """The message, received or sent; raises `NotFoundError`."""

        def read(index: MaildirIndex) -> tuple[bytes, bool, str]:
            entry = _get(index, message_id)
            return *read_message(entry.place.path), index.threads.id_of(entry.key)

        raw, cut, mail_thread_id = await self._run(read, refresh=False)
        # Taking a message apart may take long, and others need not wait for it.
        message = await asyncio.to_thread(parse_message, raw, id=message_id, mail_thread_id=mail_thread_id)
        return replace(message, notes=(*message.notes, CUT_NOTE)) if cut else message

    async def thread(self, mail_thread_id: str) -> list[Message]:
        """Received and sent messages of the conversation, oldest first; [] when unknown.

        Ids of conversations that were joined into another one still find them.
        """
        ids = await self._run(lambda index: [entry.id for entry in index.conversation(mail_thread_id)])
        messages = []
        for message_id in ids:
            with suppress(NotFoundError):  # deleted since it was listed
                messages.append(await self.fetch(message_id))
        return messages

    async def threads(self, mail_thread_ids: Sequence[str]) -> dict[str, list[Message]]:
        """`thread` of each id."""
        return {each: await self.thread(each) for each in mail_thread_ids}

    async def mark_read(self, message_id: str) -> None:
        """Set the flag S; no error when it is set already; raises `NotFoundError`."""

        def mark(index: MaildirIndex) -> None:
            entry = _get(index, message_id)
            if not entry.place.read:
                (index.inbox if index.entry(message_id, index.inbox) else index.sent).take(
                    entry.place, add=READ
                )

        await self._run(mark, refresh=False)

    async def is_read(self, message_id: str) -> bool:
        """Whether the message has the flag S; raises `NotFoundError`."""
        return await self._run(lambda index: _get(index, message_id).place.read, refresh=False)

    async def labels(self, message_id: str) -> frozenset[str]:
        """The message's labels; raises `NotFoundError`."""
        return await self._run(lambda index: self._labels.of(_get(index, message_id).id), refresh=False)

    async def change_labels(
        self, message_id: str, *, add: frozenset[str] = frozenset(), remove: frozenset[str] = frozenset()
    ) -> None:
        """Add and remove labels; raises `NotFoundError`, and `InputError` for a label that cannot be shown."""
        check_labels(add)

        def change(index: MaildirIndex) -> None:
            self._labels.change(_get(index, message_id).id, add=add, remove=remove)

        await self._run(change, alone=True, refresh=False)

    async def save_draft(self, message: OutgoingMessage, *, replaces: str | None = None) -> Draft:
        """Save a draft, with `replaces` in place of that one and under its id, in one step.

        Raises `NotFoundError` when `replaces` names no draft, `InputError` when the message cannot be written.
        """
        now = self._clock.now()
        raw = to_bytes(message, date=now).replace(b"\r\n", b"\n")

        def save(index: MaildirIndex) -> str:
            if message.mail_thread_id and not message.in_reply_to and not message.references:
                index.threads.tie(key_of(message.message_id), message.mail_thread_id)
            if replaces is None:
                unique = new_unique(now.timestamp())
                index.drafts.add(unique, raw, flags=DRAFT + READ, received_ns=_to_ns(now))
                return unique
            entry = _get_draft(index, replaces)
            index.drafts.write(Path(entry.place.path), raw, received_ns=_to_ns(now))
            return replaces

        return Draft(await self._run(save, alone=True), message)

    async def draft(self, draft_id: str) -> Draft | None:
        """The draft as its file is now, or None when it is gone."""

        def read(index: MaildirIndex) -> Draft | None:
            entry = index.entry(draft_id, index.drafts)
            return self._draft(entry) if entry else None

        return await self._run(read)

    async def find_draft(self, message_id_header: str) -> Draft | None:
        """The draft whose Message-ID header is this, or None."""

        def find(index: MaildirIndex) -> Draft | None:
            entry = index.with_message_id(index.drafts, _normal(message_id_header))
            return self._draft(entry) if entry else None

        return await self._run(find)

    async def delete_draft(self, draft_id: str) -> None:
        """Delete the draft; no error when it is gone."""

        def delete(index: MaildirIndex) -> None:
            entry = index.entry(draft_id, index.drafts)
            if entry:
                os.unlink(entry.place.path)

        await self._run(delete, alone=True)

    async def send_draft(self, draft_id: str) -> str:
        """Move the draft into Sent, in one rename; its id stays. Raises `NotFoundError` when it is gone.

        Its Date becomes this moment (RFC 5322 §3.6.1: when it was "complete and ready"), not when the draft was written.
        Of two callers, in whatever processes, one sends; a kill leaves it either a draft or sent.
        """
        sent_at = self._clock.now()
        now = _to_ns(sent_at)

        def send(index: MaildirIndex) -> str:
            entry = _get_draft(index, draft_id)
            if index.entry(draft_id, index.sent):  # a copy that a mail program left behind while flagging it
                raise NotFoundError(f"the draft was sent already: {draft_id}")
            raw = redated(Path(entry.place.path).read_bytes(), sent_at)
            index.drafts.write(Path(entry.place.path), raw, received_ns=now)
            index.sent.take(entry.place, add=READ, remove=DRAFT)
            return draft_id

        return await self._run(send, alone=True)

    async def find_sent(self, message_id_header: str) -> str | None:
        """The id of the sent message whose Message-ID header is this, or None."""

        def find(index: MaildirIndex) -> str | None:
            entry = index.with_message_id(index.sent, _normal(message_id_header))
            return entry.id if entry else None

        return await self._run(find)

    async def deliver(self, raw: bytes, *, unique: str, received: datetime | None) -> bool:
        """Put bytes into the inbox, unread, under this unique name; False when it is there already. None means now.

        Raises `InputError` when the name cannot be one of a Maildir.
        """
        _check_unique(unique)
        received_ns = max(0, _to_ns(received or self._clock.now()))

        def add(index: MaildirIndex) -> bool:
            if index.inbox.find(unique):
                return False
            index.inbox.add(unique, raw, received_ns=received_ns)
            return True

        return await self._run(add, alone=True, refresh=False)

    async def file_sent(self, raw: bytes, *, unique: str, sent: datetime | None) -> bool:
        """Put a message of the user's into Sent under this unique name; False when it is there already. None means now.

        One that an earlier delivery has put into the inbox is moved. Raises `InputError` as `deliver` does.
        """
        _check_unique(unique)
        sent_ns = max(0, _to_ns(sent or self._clock.now()))

        def add(index: MaildirIndex) -> bool:
            if index.sent.find(unique):
                return False
            if received := index.inbox.find(unique):
                index.sent.take(received, add=READ)
                return False
            index.sent.add(unique, raw, flags=READ, received_ns=sent_ns)
            return True

        return await self._run(add, alone=True, refresh=False)

    async def _run(
        self, work: Callable[[MaildirIndex], _T], *, alone: bool = False, refresh: bool = True
    ) -> _T:
        """Do work on the index in a thread; `alone` among all processes, for what one rename cannot do."""
        return await asyncio.to_thread(self._work, work, alone, refresh)

    def _work(self, work: Callable[[MaildirIndex], _T], alone: bool, refresh: bool) -> _T:
        with self._guard, file_errors(self.name):
            if not self._prepared:
                self._index.prepare()
                self._prepared = True
            with self._alone(alone):
                for _ in range(_ATTEMPTS):
                    if refresh:
                        self._index.refresh()
                    try:
                        return work(self._index)
                    except FileNotFoundError:
                        continue  # another program moved the file: look again
        raise TransientError(f"{self.name}: files keep moving")

    @contextmanager
    def _alone(self, alone: bool) -> Iterator[None]:
        if not alone:
            yield
            return
        with locked(self._root / "write.lock"):
            yield

    def _draft(self, entry: IndexEntry) -> Draft:
        raw, _ = read_message(entry.place.path)
        keys = [entry.key, *map(key_of, reversed(entry.header.references))]
        known = (self._index.threads.id_of(key) for key in keys)
        return Draft(entry.id, from_bytes(raw, mail_thread_id=next(filter(None, known), "")))


def _get(index: MaildirIndex, message_id: str) -> IndexEntry:
    entry = index.current(message_id, index.inbox, index.sent)
    if entry is None:
        raise NotFoundError(f"no such message: {message_id[:100]}")
    return entry


def _get_draft(index: MaildirIndex, draft_id: str) -> IndexEntry:
    entry = index.entry(draft_id, index.drafts)
    if entry is None:
        raise NotFoundError(f"no such draft: {draft_id[:100]}")
    return entry


def _check_unique(unique: str) -> None:
    if not unique or unique.startswith(".") or "/" in unique or ":" in unique or len(unique) > 200:
        raise InputError(f"not a unique name of a Maildir: {unique[:40]!r}")


def _normal(message_id_header: str) -> str:
    return next(iter(message_ids(message_id_header)), "")


def _nanoseconds(field: str, instant: datetime | None) -> int | None:
    if instant is None:
        return None
    if instant.utcoffset() is None:
        raise InputError(f"'{field}' has no time zone: {instant.isoformat()}")
    return _to_ns(instant)


def _to_ns(instant: datetime) -> int:
    return int(instant.timestamp()) * 1_000_000_000 + instant.microsecond * 1_000
