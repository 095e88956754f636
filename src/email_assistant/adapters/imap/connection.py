"""One connection to an IMAP server, typed: IMAPClient in a thread, one command after another, opened when it is needed.

What IMAPClient does not give is read here: the number of what was appended, and headers and flags as records.
"""

import asyncio
import re
import selectors
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import Event
from typing import Any, TypeVar

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, LoginError, ProtocolError
from imapclient.imap_utf7 import decode

from email_assistant.adapters.imap.records import Flags, FolderState, NewMessage
from email_assistant.adapters.smtp import AccessToken, Secret, hint_of, lost, said_in, tls_context, told
from email_assistant.errors import AccessError, NotFoundError, ProviderError
from email_assistant.mail.conversation import is_writable_id, message_ids
from email_assistant.mail.mime import MAX_MESSAGE
from email_assistant.mail_accounts import Server

TOGETHER = 500
"""Messages of one command."""
LISTED_TOGETHER = 2_000
"""Numbers of one command."""
_CONNECT_SECONDS, _READ_SECONDS = 30.0, 120.0
_IDLE_SECONDS = 25.0
"""After this a connection is tried before it is used: a server may have ended it."""
_SLICE_SECONDS = 1.0
"""After this it is seen whether anybody wants to hear of news any more."""
_HEAD = "BODY.PEEK[HEADER.FIELDS (FROM TO CC SUBJECT MESSAGE-ID IN-REPLY-TO REFERENCES)]"
_APPENDED = re.compile(rb"\[APPENDUID (\d+) (\d+)\]")
_STATUS = ("UIDVALIDITY", "UIDNEXT", "MESSAGES", "UNSEEN")
_SENT_AS = ("Message-ID", "X-Microsoft-Original-Message-ID")
"""Where the id of a letter of ours is: a server may have put its own in the first."""
T = TypeVar("T")


class Commands:
    """What is asked of the server; all of it blocks."""

    def __init__(self, client: Any) -> None:
        """`client` is an `IMAPClient`, which tells no types."""
        self.client = client
        self.keeps_keywords = False
        """Whether the open folder takes any keyword."""
        self.validity = 0
        """What the open folder is numbered by."""

    def has(self, capability: str) -> bool:
        """Whether the server says that it can do this."""
        return bool(self.client.has_capability(capability))

    def folders(self) -> list[tuple[frozenset[str], str, str]]:
        """Of each folder its attributes in lower case, what separates names, and its name."""
        return [
            (frozenset(_text(flag).lower() for flag in flags), _text(delimiter or b""), str(name))
            for flags, delimiter, name in self.client.list_folders()
        ]

    def quota(self) -> tuple[int, int] | None:
        """How much of its room the inbox takes up and may, in KiB; None where the server does not tell (RFC 9208)."""
        if not self.has("QUOTA"):
            return None
        _, told = self.client.get_quota_root("INBOX")
        return next(((int(q.usage), int(q.limit)) for q in told if q.resource == "STORAGE" and q.limit), None)

    def prefix(self) -> str:
        """What begins the names of the user's own folders, like `INBOX.`."""
        if not self.has("NAMESPACE"):
            return ""
        own = self.client.namespace().personal
        return str(own[0][0]) if own else ""

    def status(self, role: str, name: str) -> FolderState:
        """How a folder stands, without opening it."""
        self.client.noop()  # Of one that is open some servers tell how it stood when they last spoke of it.
        items = (*_STATUS, *(["HIGHESTMODSEQ"] if self.has("CONDSTORE") else []))
        told = self.client.folder_status(name, items)
        numbers = [int(told.get(each.encode(), 0)) for each in (*_STATUS, "HIGHESTMODSEQ")]
        return FolderState(role, name, *numbers)

    def select(self, name: str, validity: int = 0, *, writes: bool = False) -> None:
        """Open a folder; raises `NotFoundError` when it is numbered anew."""
        told: Mapping[bytes, Any] = self.client.select_folder(name, readonly=not writes)
        self.keeps_keywords = b"\\*" in told.get(b"PERMANENTFLAGS", ())
        self.validity = int(told.get(b"UIDVALIDITY", 0))
        if validity and self.validity != validity:
            raise NotFoundError(f"the folder {name} was numbered anew")

    def uids(self, first: int = 1) -> list[int]:
        """The numbers in the open folder from this one on, ascending."""
        criteria = ["UID", f"{first}:*"] if first > 1 else "ALL"
        # "5:*" names the last message even if that is number 3.
        return sorted(uid for uid in map(int, self.client.search(criteria)) if uid >= first)

    def of_size(self, size: int) -> list[int]:
        """The numbers in the open folder of messages with exactly so many bytes."""
        return sorted(map(int, self.client.search(["LARGER", size - 1, "SMALLER", size + 1])))

    def changed_flags(self, uids: Collection[int], modseq: int) -> dict[int, Flags]:
        """The flags of those that have changed since; of all where the server counts no changes."""
        found = dict[int, Flags]()
        for some in _parts(sorted(uids), LISTED_TOGETHER):
            told = self.client.fetch(some, ["FLAGS"], [f"CHANGEDSINCE {modseq}"] if modseq else None)
            found.update((uid, _flags(each)) for uid, each in told.items() if b"FLAGS" in each)
        return found

    def flags(self, uid: int) -> frozenset[str]:
        """The flags and keywords of one; raises `NotFoundError`."""
        return frozenset(map(_text, self._fetched(uid, "FLAGS")))

    def gmail_labels(self, uid: int) -> frozenset[str]:
        """Gmail's labels of one, the system's among them; raises `NotFoundError`."""
        # A label of digits alone is read as a number.
        return frozenset(str(decode(each)) for each in self._fetched(uid, "X-GM-LABELS"))

    def _fetched(self, uid: int, item: str) -> Sequence[Any]:
        told = self.client.fetch([uid], [item]).get(uid)
        if told is None or item.encode() not in told:
            raise NotFoundError("the message is not there any more")
        return tuple(told[item.encode()])

    def store(self, uid: int, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:
        """Set and take away flags and keywords."""
        if remove:
            self.client.remove_flags([uid], list(remove), silent=True)
        if add:
            self.client.add_flags([uid], list(add), silent=True)

    def store_gmail_labels(self, uid: int, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:
        """Take away and set Gmail's labels; Gmail makes those that it does not have."""
        if remove:
            self.client.remove_gmail_labels([uid], list(remove), silent=True)
        if add:
            self.client.add_gmail_labels([uid], list(add), silent=True)

    def new_messages(self, uids: Sequence[int]) -> list[NewMessage]:
        """What the headers of messages say, in the order of their numbers."""
        told = self.client.fetch(uids, ["FLAGS", "INTERNALDATE", "RFC822.SIZE", _HEAD])
        return [_new(uid, told[uid]) for uid in sorted(told) if b"INTERNALDATE" in told[uid]]

    def texts(self, uids: Sequence[int]) -> dict[int, bytes]:
        """The bytes of messages, up to `MAX_MESSAGE` of each and one more; those that are gone are left out."""
        found = dict[int, bytes | None]()
        for some in _parts(uids, TOGETHER):
            told = self.client.fetch(some, [f"BODY.PEEK[]<0.{MAX_MESSAGE + 1}>"])
            found.update({uid: _part(each, b"BODY[]") for uid, each in told.items() if b"SEQ" in each})
        return {uid: raw for uid, raw in found.items() if raw is not None}

    def with_message_id(self, message_id: str) -> list[int]:
        """The numbers in the open folder of what bears exactly this id, and is not put away; none of an id that no header may hold."""
        if not is_writable_id(message_id):
            return []
        found = dict.fromkeys(
            uid
            for name in _SENT_AS
            for uid in self.client.search(["HEADER", name, message_id.strip("<>"), "UNDELETED"])
        )
        if not found:
            return []
        told = self.client.fetch([*found], [f"BODY.PEEK[HEADER.FIELDS ({' '.join(_SENT_AS).upper()})]"])
        return sorted(
            uid
            for uid, each in told.items()
            if message_id in message_ids_in(_part(each, b"BODY[HEADER") or b"")
        )

    def append(self, name: str, raw: bytes, flags: Sequence[str], at: datetime) -> int:
        """Put a message into a folder; its number there, 0 where the server does not tell."""
        told = self.client.append(name, raw, flags, at)
        match = _APPENDED.search(told if isinstance(told, bytes) else b"")
        return int(match[2]) if match else 0

    def put_away(self, uid: int) -> None:
        """Take this message out of the open folder, and no other: without UIDPLUS it stays, marked as deleted."""
        self.client.add_flags([uid], ["\\Deleted"], silent=True)
        if self.has("UIDPLUS"):
            self.client.uid_expunge([uid])

    def idle(self, news: Collection[bytes], seconds: float, stop: Event) -> bool:
        """Listen to what becomes of the open folder until the server says anything, so many seconds are over or `stop` is set.

        Whether one of these things was told by then.
        """
        self.client.idle()
        ends = time.monotonic() + seconds
        # Not `idle_check`, which takes half a line for a lost connection, and does not see what came along with an earlier answer.
        with selectors.DefaultSelector() as socket:
            socket.register(self.client.socket(), selectors.EVENT_READ)
            while not stop.is_set() and (left := ends - time.monotonic()) > 0:
                if socket.select(min(left, _SLICE_SECONDS)):
                    break
        _, lines = self.client.idle_done()
        return any(part in news for line in lines for part in line)

    def create(self, name: str) -> None:
        """Make a folder; no error when it is there."""
        with suppress(IMAPClientError):
            self.client.create_folder(name)
            self.client.subscribe_folder(name)


class Connection:
    """A connection that is opened when it is needed, and again when it was lost. Commands wait for one another."""

    def __init__(self, server: Server, login: str, secret: Secret) -> None:
        """Opens nothing."""
        self._server, self._login, self._secret = server, login, secret
        # One of its own: a server that does not answer keeps nobody waiting but who asks it.
        self._thread = ThreadPoolExecutor(1, "imap")
        self._client: Any = None
        self._used = 0.0

    async def run(self, work: Callable[[Commands], T]) -> T:
        """What `work` returns, in a thread. Raises `AccessError`, `NotFoundError`, `ProviderError`, `TransientError`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)

    def another(self) -> "Connection":
        """One more to the same server."""
        return Connection(self._server, self._login, self._secret)

    def close(self) -> None:
        """End the connection; the next command opens another one."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(OSError, IMAPClientError):
                client.shutdown()

    def _run(self, work: Callable[[Commands], T]) -> T:
        with self._told():
            if self._client is not None and time.monotonic() - self._used > _IDLE_SECONDS:
                self._try()
            if self._client is None:
                self._client = self._open()
            made = work(Commands(self._client))
            self._used = time.monotonic()
            return made

    def _try(self) -> None:
        try:
            self._client.noop()
        except (OSError, IMAPClientError):
            self.close()

    def _open(self) -> Any:
        server, context = self._server, tls_context(self._server)
        timeout = SocketTimeout(_CONNECT_SECONDS, _READ_SECONDS)
        is_tls = server.security == "tls"
        client = IMAPClient(server.host, server.port, ssl=is_tls, ssl_context=context, timeout=timeout)
        try:
            if server.security == "starttls":
                if not client.has_capability("STARTTLS"):
                    raise AccessError(f"{server.host} offers no STARTTLS; nothing was sent in clear")
                client.starttls(context)
                client._imap.untagged_responses.clear()  # Anybody may have said it before.
            if isinstance(self._secret, AccessToken):
                client.sasl_login("XOAUTH2", self._secret.answers(self._login))
            elif client.has_capability("LOGINDISABLED"):
                raise AccessError(f"{server.host} takes no password here: set security to tls or starttls")
            else:
                client.login(self._login, self._secret())
            client.normalise_times = False
        except BaseException:
            with suppress(OSError, IMAPClientError):
                client.shutdown()
            raise
        return client

    @contextmanager
    def _told(self) -> Iterator[None]:
        host = self._server.host
        try:
            with told(host):
                yield
        except ProviderError:
            self.close()
            raise
        except LoginError as error:
            if isinstance(error.__context__, IMAPClientAbortError) or "[UNAVAILABLE]" in str(error):
                raise lost(host, error) from error
            text = f"{host} does not let {self._login} in: {said_in(error)}"
            raise AccessError(text + hint_of(self._secret)) from error
        except (IMAPClientAbortError, ProtocolError) as error:
            self.close()
            raise lost(host, error) from error
        except IMAPClientError as error:
            raise ProviderError(f"{host} refuses: {said_in(error)}") from error


def message_ids_in(head: bytes) -> tuple[str, ...]:
    """Every Message-ID in the fields of a header."""
    return message_ids(head.decode("utf-8", "replace"))


def _new(uid: int, told: Mapping[bytes, Any]) -> NewMessage:
    return NewMessage(
        uid,
        _flags(told),
        int(told.get(b"RFC822.SIZE", 0)),
        told[b"INTERNALDATE"],
        _part(told, b"BODY[HEADER") or b"",
    )


def _flags(told: Mapping[bytes, Any]) -> Flags:
    names = {_text(each).lower() for each in told.get(b"FLAGS", ())}
    return Flags("\\seen" in names, "\\deleted" in names)


def _part(told: Mapping[bytes, Any], name: bytes) -> bytes | None:
    return next((value for key, value in told.items() if key.startswith(name)), None)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _parts(uids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (uids[start : start + size] for start in range(0, len(uids), size))
