"""The index of a Maildir's messages: what is where, in order, and what its headers say. Blocking calls.

Where messages are is known from the folders alone, in each process; what they say is kept in the store, so that a file which
some process has read is not read again.
"""

import contextlib
import os
import sqlite3
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from email_assistant.adapters.headers import key_of, own_key, people_and_subject, read_header
from email_assistant.adapters.maildir_folder import MaildirFolder, Place, is_put_away, is_read
from email_assistant.adapters.maildir_store import Store, is_damage, private_store, shared_store, throw_away
from email_assistant.adapters.maildir_threads import Threads
from email_assistant.mail.conversation import base_subject

_T = TypeVar("_T")

STORE = "index.db"
"""The store's file, in the mailbox."""

_TOGETHER = 500
"""Messages that are read, written to the store, or asked of it at a time."""

_OPENINGS = 2
"""How often the store that processes share is opened; the second time anew, where it was damaged."""

_UNNAMED = 50
"""Of replies that name no message, and of the messages that one could answer, so many of the newest are looked at."""

_LOOKS = 2
"""How often a message is looked for that is not where, or what, it was."""

Key = tuple[int, str]
"""When a message was received (the time of its file, in nanoseconds since 1970), and its id: the order of messages."""
Version = tuple[int, int, int]
"""Inode, time and size of a file: others when it is another file, or was edited."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A message: where its file is and what the index knows of it."""

    place: Place
    version: Version
    key: str
    """What stands for the message among conversations."""

    @property
    def id(self) -> str:
        """The message's id: its unique file name."""
        return self.place.unique


class Box:
    """The messages of one folder."""

    def __init__(self, number: int, folder: MaildirFolder, store: Store) -> None:
        """`number` is the folder's in the store."""
        self.number = number
        self.folder = folder
        self.keys: dict[str, Key] = {}
        self._store = store
        self._ordered: list[Key] = []
        self._unread: list[Key] = []

    def between(self, after: int | None, before: int | None, *, unread_only: bool) -> list[Key]:
        """Messages received at or after one time and before the other, in nanoseconds since 1970, oldest first; no deleted ones."""
        among = self._unread if unread_only else self._ordered
        start = 0 if after is None else bisect_left(among, (after, ""))
        return among[start : None if before is None else bisect_left(among, (before, ""))]

    def has(self, unique: str) -> bool:
        """Whether the message is there, and no program has deleted it."""
        place = self.folder.place(unique)
        return unique in self.keys and place is not None and not is_put_away(place.name)

    def with_words(self, words: Sequence[str]) -> set[str]:
        """Messages with all of these, folded, in sender, recipients or subject."""
        wanted = " and ".join(["folder = ?", *("instr(searched, ?)" for _ in words)])
        values = [self.number, *(_bytes(word) for word in words)]
        return {_id(row[0]) for row in self._store.execute(f"select id from message where {wanted}", values)}

    def with_message_id(self, message_id: str) -> IndexEntry | None:
        """The oldest message whose Message-ID header is this."""
        if not message_id:
            return None
        rows = self._store.execute(
            "select id from message where own = ? and folder = ?", (key_of(message_id), self.number)
        )
        found = sorted(self.keys[unique] for (raw,) in rows if (unique := _id(raw)) in self.keys)
        return self.entry(found[0][1]) if found else None

    def conversations(self, uniques: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The messages that are still there, with the ids of their conversations."""
        for few in _chunks([unique for unique in uniques if unique in self.keys]):
            rows = self._store.execute(
                "select id, name from message join tie on key = own"
                f" where folder = ? and id in ({','.join('?' * len(few))})",
                [self.number, *map(_bytes, few)],
            )
            names = {_id(raw): str(name) for raw, name in rows}
            yield from ((unique, names[unique]) for unique in few if unique in names)

    def entry(self, unique: str) -> IndexEntry | None:
        """The message of this id. Raises `FileNotFoundError` when it has to be looked for again."""
        place = self.folder.place(unique)
        if place is None or unique not in self.keys:
            return None
        row = self._row(unique)
        if row is None:  # a process for which it was gone has deleted it from the store
            self.folder.changed.add(unique)
            raise FileNotFoundError(place.path)
        return IndexEntry(place, row[:3], row[3])

    def is_current(self, entry: IndexEntry) -> bool:
        """Whether the message's file is still this one; if not, the next `update` finds out."""
        try:
            current = (
                _version(entry.place.path) == entry.version and self.keys[entry.id][0] == entry.version[1]
            )
        except FileNotFoundError:
            return False
        if not current:
            self.folder.changed.add(entry.id)
        return current

    def update(self) -> Iterator[tuple[Key, Place, Version]]:
        """Follow what happened in the folder; gives the messages whose files have to be read, which `hold` then takes in."""
        if not self.keys:
            self._load()
        self.folder.sync()
        changed, gone = self.folder.changed, []
        for unique in list(changed):
            place = self.folder.place(unique)
            if place is None:
                changed.discard(unique)
                gone += self._let_go(unique)
                continue
            try:
                version = _version(place.path)
            except FileNotFoundError:
                continue  # moved or deleted meanwhile: the next look tells
            row = self._row(unique)
            if row and row[:3] == version:
                self.hold((version[1], unique), place)
            else:
                yield (version[1], unique), place, version
        if gone:
            self._forget(gone)

    def hold(self, key: Key, place: Place) -> None:
        """Take a message in whose headers the store has, or what changed about it."""
        known = self.keys.get(key[1])
        if known != key:
            self._let_go(key[1])
            self.keys[key[1]] = key
        is_there = not is_put_away(place.name)
        _set(self._ordered, key, is_there)
        _set(self._unread, key, is_there and not place.read)
        self.folder.changed.discard(key[1])

    def _load(self) -> None:
        """Take in at once all messages that the store knows."""
        rows = self._store.execute(
            "select id, inode, mtime from message where folder = ? order by mtime, id", (self.number,)
        ).fetchall()
        # Asked before the folder is listed: what others add to the store meanwhile is not taken for gone.
        self.folder.sync()
        files, keys, gone = self.folder.files, self.keys, []
        for raw, inode, mtime in rows:
            unique = _id(raw)
            file = files.get(unique)
            if file is None or file[2] != inode:
                gone.append((mtime, unique))
                continue
            key = keys[unique] = (mtime, unique)
            if not is_put_away(file[1]):
                self._ordered.append(key)
                if not is_read(file[1]):
                    self._unread.append(key)
        self.folder.changed = files.keys() - keys.keys() if len(files) > len(keys) else set()
        if gone:
            self._forget(gone)

    def _let_go(self, unique: str) -> list[Key]:
        key = self.keys.pop(unique, None)
        if key is None:
            return []
        _take_out(self._ordered, key)
        _take_out(self._unread, key)
        return [key]

    def _forget(self, keys: Iterable[Key]) -> None:
        with self._store.transaction():
            self._store.executemany(
                "delete from message where folder = ? and id = ? and mtime = ?",
                [(self.number, _bytes(unique), mtime) for mtime, unique in keys],
            )

    def _row(self, unique: str) -> tuple[int, int, int, str] | None:
        found: tuple[int, int, int, str] | None = self._store.execute(
            "select inode, mtime, size, own from message where folder = ? and id = ?",
            (self.number, _bytes(unique)),
        ).fetchone()
        return found


class MaildirIndex:
    """What is in the inbox, in Sent and in Drafts. Not safe to use from two threads at once."""

    def __init__(self, root: Path, store: Store) -> None:
        """Makes the folders where they are missing."""
        folders = [MaildirFolder(root / name) for name in ("", ".Sent", ".Drafts")]
        for folder in folders:
            folder.prepare()
        self.store = store
        self.threads = Threads(root / "threads.log", store)
        self.threads.read()
        self.inbox, self.sent, self.drafts = (Box(n, folder, store) for n, folder in enumerate(folders))

    def box(self, *, sent: bool) -> Box:
        """Sent, or the inbox."""
        return self.sent if sent else self.inbox

    def refresh(self) -> None:
        """Notice what was added, moved, flagged or deleted since, by whomever."""
        messages = [(*each, box) for box in (self.inbox, self.sent) for each in box.update()]
        messages.sort(key=lambda message: message[0])
        for few in _chunks(messages):
            self._read(few, tied=True)
        self._read([(*each, self.drafts) for each in self.drafts.update()], tied=False)

    def current(self, unique: str) -> tuple[IndexEntry, Box] | None:
        """The message of this id, received or sent, and where it is, true of this moment."""
        refreshed = 0
        while (found := self._entry(unique)) is None or not found[1].is_current(found[0]):
            if refreshed == (1 if found is None else _LOOKS):
                break
            self.refresh()
            refreshed += 1
        return found

    def conversation(self, mail_thread_id: str) -> list[str]:
        """Ids of received and sent messages of the conversation of this present or former id, oldest first; no deleted ones."""
        rows = self.store.execute(
            "select folder, id from tie join message on own = key where name = ?",
            (self.threads.id_of(mail_thread_id),),
        )
        boxes = (self.inbox, self.sent)
        found = [(boxes[number], _id(raw)) for number, raw in rows if number < len(boxes)]
        return [unique for _, unique in sorted(box.keys[unique] for box, unique in found if box.has(unique))]

    def _entry(self, unique: str) -> tuple[IndexEntry, Box] | None:
        return next(((e, box) for box in (self.inbox, self.sent) if (e := box.entry(unique))), None)

    def _read(self, messages: Sequence[tuple[Key, Place, Version, Box]], *, tied: bool) -> None:
        """Read the files of a few messages and take them in, all of them or none."""
        read = []
        for key, place, version, box in messages:
            try:
                read.append((key, place, version, box, read_header(place.path)))
            except FileNotFoundError:
                continue  # moved or deleted meanwhile: the next look tells
        if not read:
            return
        with self.threads.writing() if tied else self.store.transaction():
            if tied:
                self.threads.add((place.unique, header) for _, place, _, _, header in read)
            self.store.executemany(
                "insert or replace into message values (?, ?, ?, ?, ?, ?, ?)",
                [
                    (box.number, _bytes(unique), *version, own_key(unique, header), _bytes(header.searched))
                    for (_, unique), _, version, box, header in read
                ],
            )
        for key, place, _, box, _ in read:
            box.hold(key, place)
        sent = [(key, place, header) for key, place, _, box, header in read if box is self.sent]
        for key, place, header in [each for each in sent if not each[2].references][-_UNNAMED:]:
            self._tie_unnamed(key, place, own_key(place.unique, header))

    def _tie_unnamed(self, key: Key, place: Place, own: str) -> None:
        """Put a reply that names no message into the conversation of the latest one of that subject from whom it goes to."""
        with contextlib.suppress(FileNotFoundError):
            _, readers, subject = people_and_subject(place.path)
            asked = base_subject(subject)
            if not asked or asked == subject:
                return
            rows = self.store.execute(
                "select id, own from message where folder = ? and mtime <= ? and instr(searched, ?)"
                " order by mtime desc limit ?",
                (self.inbox.number, key[0], _bytes(asked.casefold()), _UNNAMED),
            ).fetchall()
            for raw, answered in rows:
                there = self.inbox.folder.place(_id(raw))
                sender, _, named = people_and_subject(there.path) if there else ("", (), "")
                if sender in readers and base_subject(named) == asked:
                    self.threads.tie(own, self.threads.id_of(answered))
                    return


def open_index(root: Path, failed: sqlite3.Error | None = None) -> MaildirIndex:
    """The index with the store that processes share, or where that cannot be had, with its own.

    With `failed`, after this error of the last one's store.
    """
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = root / STORE
    for _ in range(_OPENINGS):
        try:
            if failed is not None and not is_damage(failed):
                break
            if failed is not None:
                throw_away(file)
            return MaildirIndex(root, shared_store(file))
        except sqlite3.Error as error:
            failed = error
    return MaildirIndex(root, private_store())


def _version(path: str) -> Version:
    status = os.lstat(path)
    return status.st_ino, status.st_mtime_ns, status.st_size


def _chunks(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    return (items[start : start + _TOGETHER] for start in range(0, len(items), _TOGETHER))


def _is_in(keys: list[Key], key: Key) -> bool:
    at = bisect_left(keys, key)
    return at < len(keys) and keys[at] == key


def _set(keys: list[Key], key: Key, is_there: bool) -> None:
    if not is_there:
        _take_out(keys, key)
    elif not _is_in(keys, key):
        insort(keys, key)


def _take_out(keys: list[Key], key: Key) -> None:
    if _is_in(keys, key):
        del keys[bisect_left(keys, key)]


def _bytes(text: str) -> bytes:
    # File names and headers may hold what is no UTF-8.
    return text.encode("utf-8", "surrogatepass")


def _id(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")
