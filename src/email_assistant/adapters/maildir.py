"""The `Mailbox` port on a Maildir++ folder tree on this machine."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from email_assistant.adapters.files import file_errors, locked
from email_assistant.adapters.headers import key_of, own_key, read_header
from email_assistant.adapters.maildir_beside import FILE, MaildirLabels, gone, recorded_name
from email_assistant.adapters.maildir_elsewhere import whereabouts
from email_assistant.adapters.maildir_folder import (
    ANSWERED,
    DRAFT,
    READ,
    Incoming,
    new_unique,
    read_message,
)
from email_assistant.adapters.maildir_index import Box, IndexEntry, MaildirIndex, open_index
from email_assistant.calendars.event import in_utc
from email_assistant.clock import Clock, at_seconds
from email_assistant.errors import (
    CursorExpiredError,
    EmailAssistantError,
    NotFoundError,
    TransientError,
)
from email_assistant.mail.conversation import first_id, in_order
from email_assistant.mail.mailbox import Changes, Listed, MailQuery, Whereabouts, check_labels
from email_assistant.mail.message import Draft, Message, OutgoingMessage
from email_assistant.mail.mime import attachment_content, parse_message
from email_assistant.mail.wire import from_bytes, redated, to_bytes

_T = TypeVar("_T")

# How often a file that another program moves while we look is looked for again.
_ATTEMPTS = 10


class MaildirMailbox:
    """A local mailbox: the root is the inbox, `.Drafts` and `.Sent` are beside it, labels are in `labels/`.

    Nothing leaves the machine: sending moves a draft into Sent. Read state is the flag S; what is flagged T (deleted) or D (a
    draft) is not listed, and what is answered gets R. A message's id is its unique file name; it was received at the time of its
    file. Other programs may read, flag, move and deliver at any time, and any number of processes may use the mailbox so.
    """

    def __init__(self, path: Path, clock: Clock, before_opening: Callable[[], object] = lambda: None) -> None:
        """`path` need not exist; it is resolved here, so make the mailbox outside the event loop.

        `before_opening` raises where the folder must not be made: the mailbox was there, and is gone.
        """
        self._root = Path(os.path.realpath(path.expanduser()))
        self._clock = clock
        self._before_opening = before_opening
        self._index: MaildirIndex | None = None
        self._inherited: MaildirIndex | None = None
        self._process = 0
        self._id = self._root
        """What is there as long as the mailbox is, once it was opened."""
        self._name = ""
        self._labels = MaildirLabels(self._root / "labels")
        self._guard = threading.Lock()

    sends = True

    @classmethod
    def of(cls, deps: Any, path: Path) -> "MaildirMailbox":
        """The one that settings name. One of an earlier release is looked up in the database first: it may have been moved since."""
        made = cls(path, deps.clock, deps.database.open_now)  # It knows whether there was one.
        if (made._root / FILE).exists() and not recorded_name(made._root):
            with suppress(EmailAssistantError):  # Whoever uses it is told.
                deps.database.open_now()
        return made

    @property
    def name(self) -> str:
        """The one it is on record under: "maildir:" and the resolved path where it was first opened."""
        self._name = self._name or recorded_name(self._root)
        return self._name or f"maildir:{self._root}"

    async def inbox(self, query: MailQuery) -> list[str]:
        """Ids of the messages that match, oldest first; raises `InputError` for naive times."""
        after, before = _nanoseconds("after", query.after), _nanoseconds("before", query.before)
        words = query.text.casefold().split()

        def find(index: MaildirIndex) -> list[str]:
            box = index.box(sent=query.sent)
            keys = box.between(after, before, unread_only=query.unread_only)
            if words:
                matching = box.with_words(words)
                keys = [key for key in keys if key[1] in matching]
            return [key[1] for key in (keys if query.limit is None else keys[: max(0, query.limit)])]

        return await self._run(find)

    async def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        """The messages of `inbox`, one at a time."""
        ids = await self.inbox(query)
        found = await self._run(lambda i: [*i.box(sent=query.sent).conversations(ids)], refresh=False)
        for message_id, mail_thread_id in found:
            yield Listed(message_id, mail_thread_id)

    async def cursor(self) -> str:
        """The times of the folders; "" for a moment after a change, while another one might leave them as they are."""
        folders = await self._run(lambda index: (index.inbox.folder.version, index.sent.folder.version))
        return " ".join(folders) if all(folders) else ""

    async def changes(self, cursor: str, *, unread_only: bool = False) -> Changes:
        """Nothing, while the folders are as they were; raises `CursorExpiredError` otherwise: there is no record of changes."""
        if not (unread_only and cursor and await self.cursor() == cursor):
            raise CursorExpiredError("a local mailbox keeps no record of changes")
        return Changes((), cursor, moved=())

    async def wait(self, seconds: float) -> None:
        """It says nothing by itself."""
        await asyncio.sleep(seconds)

    async def fetch(self, message_id: str) -> Message:
        """The message, received or sent; raises `NotFoundError`."""
        return await asyncio.to_thread(self._fetch, message_id)

    def _fetch(self, message_id: str) -> Message:
        def read(index: MaildirIndex) -> tuple[bytes, str, bool, int]:
            entry, box = _get(index, message_id)
            thread_id, (_, arrived, _) = index.threads.id_of(entry.key), entry.version
            return read_message(entry.place.path), thread_id, box is index.sent, arrived

        raw, mail_thread_id, sent, at = self._work(read, refresh=False)
        # Taking a message apart may take long, and others, who use the index, need not wait for it.
        message = parse_message(raw, id=message_id, mail_thread_id=mail_thread_id)
        return replace(message, sent=sent, arrived=at_seconds(at / 1e9))

    async def in_place(self, message_ids: Collection[str]) -> frozenset[str]:
        """Those in the inbox or in Sent that have no flag T."""
        return await self._run(lambda i: frozenset(e for e in message_ids if i.inbox.has(e) or i.sent.has(e)))

    async def where(self, message: Message) -> Whereabouts:
        """By the names of the folders beside the inbox, or of its siblings where it is called INBOX."""
        renamed = await self._run(lambda index: index.inbox.with_message_id(message.message_id))
        if await self.in_place([message.id, *([renamed.id] if renamed else [])]):
            return Whereabouts.IN_PLACE
        with file_errors(self.name):
            return await asyncio.to_thread(whereabouts, self._root, message)

    async def attachment(self, message_id: str, index: int) -> bytes:
        """What is in one attachment; raises `NotFoundError`."""

        def content() -> bytes:
            path = self._work(lambda found: _get(found, message_id)[0].place.path, refresh=False)
            return attachment_content(read_message(path), index)

        return await asyncio.to_thread(content)

    async def thread(self, mail_thread_id: str) -> list[Message]:
        """Received and sent messages of the conversation, oldest first; [] when unknown.

        Ids of conversations that were joined into another one still find them.
        """
        return await asyncio.to_thread(self._conversation, mail_thread_id)

    def _conversation(self, mail_thread_id: str) -> list[Message]:
        messages = []
        for message_id in self._work(lambda index: index.conversation(mail_thread_id)):
            with suppress(NotFoundError):  # deleted since it was listed
                messages.append(self._fetch(message_id))
        return in_order(messages)

    async def threads(self, mail_thread_ids: Sequence[str]) -> dict[str, list[Message]]:
        """`thread` of each id."""
        return {each: await self.thread(each) for each in mail_thread_ids}

    async def mark_read(self, message_id: str) -> None:
        """Set the flag S; no error when it is set already; raises `NotFoundError`."""

        def mark(index: MaildirIndex) -> None:
            entry, box = _get(index, message_id)
            if not entry.place.read:
                box.folder.take(entry.place, add=READ)

        await self._run(mark, refresh=False)

    async def is_read(self, message_id: str) -> bool:
        """Whether the message has the flag S; raises `NotFoundError`."""
        return await self._run(lambda index: _get(index, message_id)[0].place.read, refresh=False)

    async def labels(self, message_id: str) -> frozenset[str]:
        """The message's labels; raises `NotFoundError`."""
        return await self._run(lambda index: self._labels.of(_get(index, message_id)[0].id), refresh=False)

    async def change_labels(
        self, message_id: str, *, add: frozenset[str] = frozenset(), remove: frozenset[str] = frozenset()
    ) -> None:
        """Add and remove labels; raises `NotFoundError`, and `InputError` for a label that cannot be shown."""
        check_labels(add)

        def change(index: MaildirIndex) -> None:
            self._labels.change(_get(index, message_id)[0].id, add=add, remove=remove)

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
                target = index.drafts.folder.file(unique, DRAFT + READ)
                index.drafts.folder.write(target, raw, received_ns=_to_ns(now))
                return unique
            entry = _get_draft(index, replaces)
            index.drafts.folder.write(Path(entry.place.path), raw, received_ns=_to_ns(now))
            return replaces

        return Draft(await self._run(save, alone=True), message)

    async def draft(self, draft_id: str) -> Draft | None:
        """The draft as its file is now, or None when it is gone."""

        def read(index: MaildirIndex) -> Draft | None:
            entry = index.drafts.entry(draft_id)
            return _draft(index, entry) if entry else None

        return await self._run(read)

    async def find_draft(self, message_id_header: str) -> Draft | None:
        """The draft whose Message-ID header is this, or None."""

        def find(index: MaildirIndex) -> Draft | None:
            entry = index.drafts.with_message_id(first_id(message_id_header))
            if entry and not index.drafts.is_current(entry):
                raise FileNotFoundError  # Edited in place: it may be another message now.
            return _draft(index, entry) if entry else None

        return await self._run(find)

    async def delete_draft(self, draft_id: str) -> None:
        """Delete the draft; no error when it is gone."""

        def delete(index: MaildirIndex) -> None:
            entry = index.drafts.entry(draft_id)
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
            entry = unsent_draft(index, draft_id)
            raw = redated(Path(entry.place.path).read_bytes(), sent_at)
            # First: once it is sent, nobody comes back for this.
            answered = index.inbox.with_message_id(from_bytes(raw).in_reply_to)
            if answered and ANSWERED not in answered.place.flags:
                index.inbox.folder.take(answered.place, add=ANSWERED)
            index.drafts.folder.write(Path(entry.place.path), raw, received_ns=now)
            index.sent.folder.take(entry.place, add=READ, remove=DRAFT)
            return draft_id

        return await self._run(send, alone=True)

    async def find_sent(self, message_id_header: str) -> str | None:
        """The id of the sent message whose Message-ID header is this, or None."""
        entry = await self._run(lambda index: index.sent.with_message_id(first_id(message_id_header)))
        return entry.id if entry else None

    async def maybe_sent(self, message_id_header: str) -> str:
        """It is always known: sending takes the draft away."""
        return ""

    async def take_in(self, mails: Sequence[Incoming]) -> list[bool]:
        """Put messages into the inbox, or into Sent, with one wait for each folder; which of them were not there before.

        When it returns, all are on the disk. What was cut short has left whole messages or none, any of them: it can be
        repeated. One of the user's that lies in the inbox is moved.
        """
        now = self._clock.now()

        def add(index: MaildirIndex) -> list[bool]:
            inbox, sent = index.inbox.folder, index.sent.folder
            inbox.sync()
            sent.sync()
            files: dict[Path, tuple[bytes, int]] = {}
            new = []
            for mail in mails:
                target = sent.file(mail.unique, READ) if mail.sent else inbox.file(mail.unique)
                found = (sent if mail.sent else inbox).place(mail.unique)
                if not found and mail.sent and (received := inbox.place(mail.unique)):
                    found = received
                    sent.take(received, add=READ)
                new.append(not found and target not in files)
                if new[-1]:
                    files[target] = mail.raw, max(0, _to_ns(mail.received or now))
            inbox.write_all([(target, *content) for target, content in files.items()])
            return new

        return await self._run(add, alone=True, refresh=False)

    async def _run(
        self, work: Callable[[MaildirIndex], _T], *, alone: bool = False, refresh: bool = True
    ) -> _T:
        """Do work on the index in a thread; `alone` among all processes, for what one rename cannot do."""
        return await asyncio.to_thread(self._work, work, alone=alone, refresh=refresh)

    def _work(self, work: Callable[[MaildirIndex], _T], *, alone: bool = False, refresh: bool = True) -> _T:
        with self._guard, file_errors(self.name):
            self._open()
            if not self._id.exists():
                raise gone(self._root)
            with self._alone(alone):
                for attempt in range(_ATTEMPTS):
                    try:
                        index = self._open()
                        if refresh or attempt:
                            index.refresh()
                        try:
                            return work(index)
                        except FileNotFoundError:
                            continue  # another program moved the file: look again
                    except sqlite3.Error as error:
                        # Whatever is done asks the index first, so that it can begin again. Damage is mended once.
                        again = sqlite3.OperationalError(str(error)) if attempt else error
                        self._index = open_index(self._root, again)
        raise TransientError(f"{self.name}: files keep moving")

    def _open(self) -> MaildirIndex:
        if self._index is None or self._process != os.getpid():
            self._before_opening()
            self._id = self._root / FILE if (self._root / FILE).exists() else self._root
            # The index of the process that this one was forked from is never closed: it is not this one's.
            self._inherited, self._process = self._index, os.getpid()
            self._index = open_index(self._root)
        return self._index

    @contextmanager
    def _alone(self, alone: bool) -> Iterator[None]:
        if not alone:
            yield
            return
        with locked(self._root / "write.lock"):
            yield


def _draft(index: MaildirIndex, entry: IndexEntry) -> Draft:
    raw = read_message(entry.place.path)
    header = read_header(entry.place.path)
    keys = [own_key(entry.id, header), *map(key_of, reversed(header.references))]
    known = (index.threads.id_of(key) for key in keys)
    return Draft(entry.id, from_bytes(raw, mail_thread_id=next(filter(None, known), "")))


def _get(index: MaildirIndex, message_id: str) -> tuple[IndexEntry, Box]:
    found = index.current(message_id)
    if found is None:
        raise NotFoundError(f"no such message: {message_id[:100]}")
    return found


def _get_draft(index: MaildirIndex, draft_id: str) -> IndexEntry:
    entry = index.drafts.entry(draft_id)
    if entry is None:
        raise NotFoundError(f"no such draft: {draft_id[:100]}")
    return entry


def unsent_draft(index: MaildirIndex, draft_id: str) -> IndexEntry:
    """The draft; raises `NotFoundError` when it is gone, or was sent."""
    entry = _get_draft(index, draft_id)
    if index.sent.entry(draft_id):  # a copy that a mail program left behind while flagging it
        raise NotFoundError(f"the draft was sent already: {draft_id}")
    return entry


def _nanoseconds(field: str, instant: datetime | None) -> int | None:
    return None if instant is None else _to_ns(in_utc(field, instant))


def _to_ns(instant: datetime) -> int:
    return int(instant.timestamp()) * 1_000_000_000 + instant.microsecond * 1_000
