"""Which conversation a message belongs to, and conversation ids that outlive restarts. Blocking calls.

A conversation is one connected set of messages: each is tied to the messages it refers to. It is named after the
root that its first message knew of, and that name is written down when it is first given out: mail that arrives
later and knows of an older root joins the conversation without renaming it. When a message joins two conversations,
the older name stays and the other one still finds them.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from email_assistant.adapters.files import locked
from email_assistant.adapters.maildir_headers import Header

_LINE = re.compile(rb"([0-9a-f]{32})(?: ([0-9a-f]{32}))?")


def key_of(message_id: str) -> str:
    """The name of a Message-ID among conversations: of fixed length, whatever a sender put into the header."""
    return hashlib.sha256(message_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class _Ties:
    """The keys of a message, of the root it knows of, and of the messages it refers to."""

    own: str
    root: str
    references: tuple[str, ...]

    @classmethod
    def of(cls, unique: str, header: Header) -> "_Ties":
        own = own_key(unique, header)
        return cls(own, key_of(header.root) if header.root else own, tuple(map(key_of, header.references)))


class Threads:
    """Conversations of one mailbox. `log` is the file that names are written to, shared by all processes.

    A line of the log is a name given out, in the order of giving, or a key and the name of the conversation that
    it belongs to. Not safe to use from two threads at once.
    """

    def __init__(self, log: Path) -> None:
        self._log = log
        self._read_bytes = 0
        self._parent: dict[str, str] = {}
        self._name: dict[str, str] = {}
        self._order: dict[str, int] = {}
        self._tied: set[str] = set()

    def add(self, messages: Iterable[tuple[str, Header]]) -> None:
        """Take in messages (unique name and header) in the order in which they were received."""
        self._read_log()
        known = [_Ties.of(unique, header) for unique, header in messages]
        for ties in known:
            for other in (ties.root, *ties.references):
                self._join(ties.own, other)
        if any(self._lacks(ties) for ties in known):
            with self._writing():
                self._append([line for ties in known if self._lacks(ties) for line in self._lines(ties)])

    def id_of(self, key: str) -> str:
        """The id of the conversation that this key (or id, or former id) belongs to; "" when there is none."""
        return self._name.get(self._find(key), "") if key in self._parent else ""

    def tie(self, key: str, mail_thread_id: str) -> None:
        """Put a message that says nothing about it into a conversation, for good."""
        if not self.id_of(mail_thread_id) or self.id_of(key) == self.id_of(mail_thread_id):
            return
        with self._writing():
            self._append([f"{key} {self.id_of(mail_thread_id)}"])

    def _lacks(self, ties: "_Ties") -> bool:
        """Whether the log does not say yet to which conversation a message and its root belong."""
        name = self._name.get(self._find(ties.own))
        return name is None or (
            ties.root != name and ties.root not in self._order and ties.root not in self._tied
        )

    def _lines(self, ties: "_Ties") -> list[str]:
        top = self._find(ties.own)
        if top not in self._name:
            self._give(top, ties.root)
            return [ties.root]
        # A message that knows another root stays where it is even when what connects it is deleted.
        return [f"{ties.root} {self._name[top]}"]

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with locked(self._log.with_name(self._log.name + ".lock")):
            self._read_log()
            yield

    def _append(self, lines: list[str]) -> None:
        lines = list(dict.fromkeys(lines))
        if not lines:
            return
        descriptor = os.open(self._log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"  # a writer died in its line
            data = (b"\n" if torn else b"") + "".join(f"{line}\n" for line in lines).encode()
            os.write(descriptor, data)
            os.fsync(descriptor)
        self._read_log()

    def _read_log(self) -> None:
        """Take in the lines that were added since, by this or another process; half a line waits for its end."""
        try:
            with self._log.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size == self._read_bytes:
                    return
                file.seek(self._read_bytes if size > self._read_bytes else 0)
                added = file.read()
                self._read_bytes = file.tell() - len(added)
        except FileNotFoundError:
            return
        complete = added[: added.rfind(b"\n") + 1]
        self._read_bytes += len(complete)
        for match in filter(None, map(_LINE.fullmatch, complete.splitlines())):
            key, name = (group.decode() if group else "" for group in match.groups())
            self._tied.add(key)
            self._give(self._find(name or key), name or key)
            self._join(key, name or key)

    def _give(self, top: str, name: str) -> None:
        """Record that a conversation was given a name, unless it has an older one."""
        self._order.setdefault(name, len(self._order))
        current = self._name.get(top)
        if current is None or self._order[name] < self._order[current]:
            self._name[top] = name

    def _find(self, key: str) -> str:
        """The key that stands for the whole conversation."""
        parent = self._parent
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    def _join(self, one: str, other: str) -> None:
        left, right = self._find(one), self._find(other)
        if left == right:
            return
        self._parent[right] = left
        name = self._name.pop(right, None)
        if name is not None:
            self._give(left, name)


def own_key(unique: str, header: Header) -> str:
    """The key that stands for a message itself: of its Message-ID, or of its file when it has none."""
    return key_of(header.message_id or f"file:{unique}")
