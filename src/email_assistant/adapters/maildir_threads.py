"""Which conversation a message belongs to by its headers, and conversation ids that outlive restarts. Blocking calls.

A conversation is one connected set of messages: each is tied to the messages it refers to. It is named after the
root that its first message knew of, and that name is written down when it is first given out: mail that arrives
later and knows of an older root joins the conversation without renaming it. When a message joins two conversations,
the older name stays and the other one still finds them.
"""

import contextlib
import errno
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from email_assistant.adapters.files import locked
from email_assistant.adapters.headers import Header, key_of, own_key
from email_assistant.adapters.maildir_store import Store

_LINE = re.compile(rb"^([0-9a-f]{32})(?: ([0-9a-f]{32}))?\n", re.MULTILINE)


class Threads:
    """Conversations of one mailbox. `log` is the file that names are written to, shared by all processes.

    A line of the log is a name given out, in the order of giving, or a key and the name of the conversation that
    it belongs to. The log is kept for ever, since others know conversations by these names; the store has, for each key
    of a message, the name of its conversation, and where in the log the key is, as far as the log was read.
    """

    def __init__(self, log: Path, store: Store) -> None:
        self._log = log
        self._store = store
        self._lines: list[str] = []
        self._end = 0

    def add(self, messages: Iterable[tuple[str, Header]]) -> None:
        """Take in messages (unique name and header) in the order in which they were received, within `writing`."""
        for unique, header in messages:
            own = own_key(unique, header)
            root = key_of(header.root) if header.root else own
            keys = list(dict.fromkeys([own, root, *map(key_of, header.references)]))
            name = self._join(keys)
            # A message that knows another root stays where it is even when what connects it is deleted.
            if not name or (root != name and not self._is_logged(root)):
                self._note(root, name or root)
                keys.remove(root)
            self._tie(keys, name or root)

    def id_of(self, key: str) -> str:
        """The id of the conversation that this key (or id, or former id) belongs to; "" when there is none."""
        found = self._store.execute("select name from tie where key = ?", (key,)).fetchone()
        return str(found[0]) if found else ""

    def tie(self, key: str, mail_thread_id: str) -> None:
        """Put a message that says nothing about it into a conversation, for good."""
        if not self.id_of(mail_thread_id) or self.id_of(key) == self.id_of(mail_thread_id):
            return
        with self.writing():
            name = self.id_of(mail_thread_id)
            self._note(key, name)
            self._join([key, name])

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Alone among all processes, and knowing the whole log. What was added is in the log at the end, or nothing of it is kept."""
        with contextlib.ExitStack() as stack:
            refused = None
            try:
                stack.enter_context(locked(self._log.with_name(self._log.name + ".lock")))
            except (
                OSError
            ) as error:  # a mailbox that can only be read: what is in the log already is known all the same
                refused = error
            stack.enter_context(self._store.transaction())
            self._end = self._read_log()
            self._lines = []
            yield
            if self._lines and refused:
                raise refused
            if self._lines:
                self._append()

    def read(self) -> None:
        """Take in what is in the log."""
        with self._store.transaction():
            self._read_log()

    def _join(self, keys: list[str]) -> str:
        """Make one conversation of those that the keys belong to; gives its name, the oldest, or "" when there is none."""
        marks = ",".join("?" * len(keys))
        found = self._store.execute(
            "select distinct tie.name from tie left join tie as named on named.key = tie.name"
            f" where tie.key in ({marks}) order by named.place is null, named.place",
            keys,
        ).fetchall()
        for (other,) in found[1:]:
            self._store.execute("update tie set name = ? where name = ?", (found[0][0], other))
        return str(found[0][0]) if found else ""

    def _tie(self, keys: list[str], name: str, place: int | None = None) -> None:
        """Say to which conversation the keys belong that belong to none yet, and where the log says so if it does."""
        self._store.executemany(
            "insert into tie values (?, ?, ?) on conflict do update set place = coalesce(place, excluded.place)",
            [(key, name, place) for key in keys],
        )

    def _is_logged(self, key: str) -> bool:
        found = self._store.execute("select place from tie where key = ?", (key,)).fetchone()
        return bool(found and found[0] is not None)

    def _note(self, key: str, name: str) -> None:
        """Say to which conversation the key belongs, in the log too."""
        self._lines.append(f"{key} {name}\n" if key != name else f"{key}\n")
        self._tie([key], name, self._end + len(self._lines))

    def _append(self) -> None:
        descriptor = os.open(self._log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"  # a writer died in its line
            data = (b"\n" if torn else b"") + "".join(self._lines).encode()
            if file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
            if torn:
                self._read_log()
            else:
                self._have_read(os.fstat(descriptor).st_ino, file.tell())

    def _read_log(self) -> int:
        """Take in the lines that were added since, by this or another process; half a line waits for its end.

        Gives the log's size. Raises `sqlite3.DatabaseError` when the store has read another log than this one.
        """
        of, start = self._store.execute("select inode, read_bytes from log").fetchone()
        try:
            with self._log.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_size == start and status.st_ino == of:
                    return int(start)
                if start and (status.st_size < start or status.st_ino != of):
                    raise sqlite3.DatabaseError(f"{self._log} is another one")
                file.seek(start)
                added = file.read()
        except FileNotFoundError:
            if start:
                raise sqlite3.DatabaseError(f"{self._log} is gone") from None
            return 0
        for match in _LINE.finditer(added):
            key, name = (group.decode() if group else "" for group in match.groups())
            name, place = name or key, start + match.start()
            self._tie([name], name, place)
            if key != name:
                self._tie([key], name, place)
                self._join([key, name])
        read = start + added.rfind(b"\n") + 1
        self._have_read(status.st_ino, read)
        return status.st_size

    def _have_read(self, inode: int, size: int) -> None:
        self._store.execute("update log set inode = ?, read_bytes = ?", (inode, size))
