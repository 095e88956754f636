"""A stand-in for the labels of Gmail over IMAP."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from imapclient.imap_utf7 import decode, encode

from tests.support.mail_servers import ImapServer
from tests.support.mail_tls import LOCAL

_FETCH = re.compile(rb"(\S+ UID FETCH (\d+)) \(X-GM-LABELS\)\r\n")
_STORE = re.compile(rb"(\S+) UID STORE (\d+) ([+-])X-GM-LABELS(?:\.SILENT)? \((.*)\)\r\n", re.IGNORECASE)
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"|([^\s"]+)')
_FLAGS = re.compile(rb"FLAGS \([^)]*\)")


@dataclass(frozen=True)
class GmailServer(ImapServer):
    """A server that says X-GM-EXT-1; labels are the same in every folder."""

    labels: dict[int, list[str]] = field(default_factory=dict)
    """By the numbers of messages, in the order in which they were given."""


@contextmanager
def gmail_labels(server: ImapServer) -> Iterator[GmailServer]:
    """The server behind a proxy that announces X-GM-EXT-1, and keeps X-GM-LABELS in memory as Google's documentation describes them.

    Labels are astrings in modified UTF-7, atoms where they may be, and `[Box]` as well, as Gmail is known to write it. Names are compared
    without regard to case. The real Gmail was not tried: what else it does, like refusing names of its own, is not here.
    """
    with socket.create_server((LOCAL, 0)) as listener:
        made = GmailServer(listener.getsockname()[1], server.user, server.password, server.folders)

        def serve() -> None:
            with suppress(OSError):
                while True:
                    client = listener.accept()[0]
                    behind = socket.create_connection((LOCAL, server.port))
                    session = _Session(made.labels, client, behind)
                    threading.Thread(target=session.pass_on, daemon=True).start()
                    threading.Thread(target=session.answer, daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield made


@dataclass
class _Session:
    """One connection: it waits for the answer to each command before the next one."""

    labels: dict[int, list[str]]
    client: socket.socket
    behind: socket.socket
    asked: int = 0
    """Whose labels the next line of flags stands for."""

    def pass_on(self) -> None:
        """What the program says; labels are asked for as flags, and given in as nothing."""
        with suppress(OSError), self.behind:
            for line in self.client.makefile("rb"):
                self.behind.sendall(self._asked(line))

    def answer(self) -> None:
        """What the server says."""
        with suppress(OSError), self.client:
            for line in self.behind.makefile("rb"):
                self.client.sendall(self._told(line))

    def _asked(self, line: bytes) -> bytes:
        fetch, store = _FETCH.fullmatch(line), _STORE.fullmatch(line)
        self.asked = int(fetch[2]) if fetch else 0
        if fetch:
            return fetch[1] + b" (FLAGS)\r\n"  # It tells which messages there are.
        if store:
            self._store(int(store[2]), store[3] == b"+", store[4])
            return store[1] + b" NOOP\r\n"
        return line

    def _told(self, line: bytes) -> bytes:
        if self.asked and b" FETCH (" in line and b"UID %d" % self.asked in line:
            told = b"X-GM-LABELS (%s)" % b" ".join(map(_astring, self.labels.get(self.asked, [])))
            return _FLAGS.sub(lambda _: told, line)
        return line.replace(b"CAPABILITY IMAP4rev1", b"CAPABILITY IMAP4rev1 X-GM-EXT-1")

    def _store(self, uid: int, is_added: bool, told: bytes) -> None:
        names = [decode(re.sub(rb"\\(.)", rb"\1", quoted) or atom) for quoted, atom in _QUOTED.findall(told)]
        there = self.labels.setdefault(uid, [])
        for name in names:
            same = [each for each in there if each.casefold() == name.casefold()]
            if is_added and not same:
                there.append(name)
            elif not is_added:
                there[:] = [each for each in there if each not in same]


def _astring(label: str) -> bytes:
    written = encode(label)
    if re.fullmatch(rb'[^\s(){%*"\\]+', written):
        return written
    return b'"%s"' % re.sub(rb'(["\\])', rb"\\\1", written)
