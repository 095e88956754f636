"""Mail servers on loopback: pymap (a server that can little), Dovecot where it is installed, and a relay that keeps what it is given."""

import imaplib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP

from email_assistant.mail_accounts import Account, Server

LOCAL = "127.0.0.1"
PASSWORD = "correct horse"
START_SECONDS = 60
FOLDERS = ("INBOX", "Sent", "Drafts")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind((LOCAL, 0))
        return int(found.getsockname()[1])


@dataclass(frozen=True)
class ImapServer:
    """Where it listens, and what another program of its user does there."""

    port: int
    user: str

    def account(self, relay: int | None = None) -> Account:
        """The user's account, which sends over the relay on this port."""
        server = Server(host=LOCAL, port=self.port, security="none", login=self.user)
        smtp = Server(host=LOCAL, port=relay, security="none") if relay else None
        return Account(email="robin@example.com", imap=server, smtp=smtp)

    @contextmanager
    def program(self, folder: str = "INBOX") -> Iterator[imaplib.IMAP4]:
        """Another mail program, with the folder open."""
        client = imaplib.IMAP4(LOCAL, self.port)
        try:
            client.login(self.user, PASSWORD)
            client.select(folder)
            yield client
        finally:
            with suppress(OSError, imaplib.IMAP4.error):
                client.logout()

    def put(self, raw: bytes, folder: str = "INBOX", *, flags: str = "", at: datetime | None = None) -> int:
        """A message into a folder; its number."""
        with self.program(folder) as client:
            date = imaplib.Time2Internaldate(at) if at else ""  # type: ignore[arg-type]
            typ, told = client.append(folder, flags, date, raw)
            assert typ == "OK", told
            return int(told[0].split(b"]")[0].split()[-1])

    def numbers(self, folder: str) -> list[int]:
        """What is in a folder."""
        with self.program(folder) as client:
            _, (found,) = client.uid("SEARCH", "ALL")
            return [int(each) for each in found.split()]

    def empty(self) -> None:
        """Nothing is in any folder."""
        for folder in FOLDERS:
            with self.program(folder) as client:
                if client.state == "SELECTED" and client.uid("SEARCH", "ALL")[1][0]:
                    client.uid("STORE", "1:*", "+FLAGS", "(\\Deleted)")
                    client.expunge()


@contextmanager
def pymap() -> Iterator[ImapServer]:
    """Keeps its mail in memory: no CONDSTORE, SPECIAL-USE, SORT."""
    port, program = free_port(), "from pymap.main import main; main()"
    options = [
        "--no-tls",
        "--host",
        LOCAL,
        "--port",
        str(port),
        "--no-service",
        "admin",
        "--no-service",
        "managesieve",
    ]
    user = ["dict", "--demo-user", "robin", "--demo-password", PASSWORD]
    with _process([sys.executable, "-c", program, *options, *user], port):
        yield ImapServer(port, "robin")


@contextmanager
def _process(command: Sequence[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        for _ in range(START_SECONDS * 20):
            with suppress(OSError), socket.create_connection((LOCAL, port), 1):
                break
            assert process.poll() is None, f"{command[0]} ended with {process.returncode}"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(30)


@dataclass
class Relay:
    """Takes mail, and keeps it; `X-Fault` in a mail says how it fails then."""

    port: int = field(default_factory=free_port)
    accepted: list[tuple[list[str], bytes]] = field(default_factory=list)
    """To whom, and what."""
    refused: frozenset[str] = frozenset()
    """Recipients that it does not take."""

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        """A recipient."""
        if address in self.refused:
            return f"550 5.1.1 no such user {address}"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        """The whole mail."""
        head = envelope.content.partition(b"\r\n\r\n")[0].decode("utf-8", "replace").lower()
        fault = next(
            (line.partition(":")[2].strip() for line in head.split("\r\n") if line.startswith("x-fault:")), ""
        )
        if fault.startswith(("4", "5")):
            return fault
        if fault != "lost":
            self.accepted.append((list(envelope.rcpt_tos), envelope.content))
        if fault:
            assert server.transport is not None
            server.transport.abort()
        return "250 2.0.0 queued"


@contextmanager
def relay() -> Iterator[Relay]:
    """One that runs in a thread of this process."""
    made = Relay()
    controller = Controller(made, hostname=LOCAL, port=made.port, server_hostname=LOCAL)
    controller.start()
    try:
        yield made
    finally:
        controller.stop()
