"""Mail servers on loopback: pymap (a server that can little), Dovecot where it is installed, and a relay that keeps what it is given."""

import getpass
import grp
import imaplib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult
from imapclient.imap_utf7 import encode

from email_assistant.mail_accounts import Account, ReadingServer, Server
from tests.support.dev_server import free_port
from tests.support.mail_tls import LOCAL, Certified, between

PASSWORD = "correct horse"
START_SECONDS = 60
KEPT, LOST = "kept", "lost"


def _on_the_wire(folder: str) -> str:
    return f'"{encode(folder).decode()}"'


@dataclass(frozen=True)
class ImapServer:
    """Where it listens, and what another program of its user does there."""

    port: int
    user: str
    password: str = PASSWORD
    folders: tuple[str, ...] = ("INBOX", "Sent", "Drafts")
    folder: Path | None = None
    """Where its files are."""

    def account(self, relay: int | None = None) -> Account:
        """The user's account, which sends over the relay on this port."""
        server = ReadingServer(host=LOCAL, port=self.port, security="none", login=self.user)
        smtp = Server(host=LOCAL, port=relay, security="none") if relay else None
        return Account(email="robin@example.com", imap=server, smtp=smtp)

    def settings(self, relay: int, email: str, more: str = "") -> str:
        """The same as a table of the settings; `more` are further lines of it."""
        return f"""
[accounts.main]
email = "{email}"
imap = {{ host = "{LOCAL}", port = {self.port}, security = "none", login = "{self.user}" }}
smtp = {{ host = "{LOCAL}", port = {relay}, security = "none" }}
{more}
"""

    def flags(self, uid: int, folder: str = "INBOX") -> set[str]:
        """The flags of one message."""
        with self.program(folder) as client:
            _, (told, *_) = client.uid("FETCH", str(uid), "(FLAGS)")
            return set(told.decode().partition("FLAGS (")[2].partition(")")[0].split()) - {"\\Recent"}

    @contextmanager
    def program(self, folder: str = "INBOX") -> Iterator[imaplib.IMAP4]:
        """Another mail program, with the folder open."""
        client = imaplib.IMAP4(LOCAL, self.port)
        try:
            client.login(self.user, self.password)
            client.select(_on_the_wire(folder))
            yield client
        finally:
            with suppress(OSError, imaplib.IMAP4.error):
                client.logout()

    def put(self, raw: bytes, folder: str = "INBOX", *, flags: str = "", at: datetime | None = None) -> int:
        """A message into a folder; its number."""
        with self.program(folder) as client:
            date = imaplib.Time2Internaldate(at) if at else ""  # type: ignore[arg-type]
            typ, told = client.append(_on_the_wire(folder), flags, date, raw)
            assert typ == "OK", told
            return int(told[0].split(b"]")[0].split()[-1])

    def numbers(self, folder: str) -> list[int]:
        """What is in a folder."""
        with self.program(folder) as client:
            _, (found,) = client.uid("SEARCH", "ALL")
            return [int(each) for each in found.split()]

    def text(self, uid: int, folder: str = "INBOX") -> bytes:
        """The bytes of one message."""
        with self.program(folder) as client:
            _, told = client.uid("FETCH", str(uid), "(BODY.PEEK[])")
            return bytes(told[0][1])

    def move(self, uid: int, source: str, target: str) -> None:
        """From one folder into another, which is made where it is missing."""
        with self.program(source) as client:
            client.create(_on_the_wire(target))
            client.uid("COPY", str(uid), _on_the_wire(target))
            client.uid("STORE", str(uid), "+FLAGS", "(\\Deleted)")
            client.uid("EXPUNGE", str(uid))

    def rename(self, old: str, new: str) -> None:
        """A folder gets another name."""
        with self.program() as client:
            told = client.rename(_on_the_wire(old), _on_the_wire(new))
            assert told[0] == "OK", told

    def number_anew(self) -> None:
        """The inbox is, as after a backup was put back: Dovecot's list of numbers begins again."""
        assert self.folder is not None
        box = self.folder / "mail" / self.user / "Maildir"
        version, validity, *_ = (box / "dovecot-uidlist").read_text(encoding="ascii").split()
        for file in box.glob("dovecot*"):
            file.unlink()
        (box / "dovecot-uidlist").write_text(f"{version} V{int(validity[1:]) + 1_000} N1\n", encoding="ascii")
        owner = box.stat()
        os.chown(box / "dovecot-uidlist", owner.st_uid, owner.st_gid)

    def empty(self) -> None:
        """Nothing is in any folder."""
        for folder in self.folders:
            with self.program(folder) as client:
                if client.state == "SELECTED" and client.uid("SEARCH", "ALL")[1][0]:
                    client.uid("STORE", "1:*", "+FLAGS", "(\\Deleted)")
                    client.expunge()


@contextmanager
def pymap(
    shows: Certified | None = None,
    *,
    program: Sequence[str] = ("-c", "from pymap.main import main; main()"),
    user: str = "robin",
) -> Iterator[ImapServer]:
    """Keeps its mail in memory: no CONDSTORE, SPECIAL-USE, SORT; with a certificate it offers STARTTLS."""
    port = free_port()
    options = [
        *(["--cert", str(shows.chain), "--key", str(shows.key)] if shows else ["--no-tls"]),
        "--host",
        LOCAL,
        "--port",
        str(port),
        "--no-service",
        "admin",
        "--no-service",
        "managesieve",
    ]
    login = ["dict", "--demo-user", user, "--demo-password", PASSWORD]
    with server_process([sys.executable, *program, *options, *login], port):
        yield ImapServer(port, user)


DOVECOT = Path("/usr/sbin/dovecot")
_CONFIG = """
base_dir = {run}
state_dir = {run}
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = {user}
default_login_user = {user}
default_internal_group = {group}
first_valid_uid = 0
first_valid_gid = 0
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/mail/%u
}}
mail_location = maildir:~/Maildir
namespace inbox {{
  inbox = yes
  mailbox Entwürfe {{
    special_use = \\Drafts
    auto = subscribe
  }}
  mailbox Gesendet {{
    special_use = \\Sent
    auto = subscribe
  }}
  mailbox Trash {{
    special_use = \\Trash
    auto = create
  }}
  mailbox Archive {{
    auto = create
  }}
}}
mail_max_userip_connections = 100
{more}
"""


@contextmanager
def dovecot(user: str = "robin", more: str = "") -> Iterator[ImapServer]:
    """Debian's, which has to be installed, in a folder of its own; `more` is added to its settings."""
    folder, port = (
        Path(tempfile.mkdtemp(prefix="dv", dir="/tmp")),
        free_port(),
    )  # Short: sockets have paths of 108 bytes at most.
    own, group = (
        ("nobody", "nogroup") if os.getuid() == 0 else (getpass.getuser(), grp.getgrgid(os.getgid()).gr_name)
    )
    config = _CONFIG.format(
        run=folder / "run",
        folder=folder,
        user=own,
        group=group,
        port=port,
        password=PASSWORD.replace(" ", "_"),
        more=more,
    )
    (folder / "dovecot.conf").write_text(config, encoding="utf-8")
    for each in ("run", "mail"):
        (folder / each).mkdir()
    if os.getuid() == 0:
        for each in (folder, folder / "mail"):
            shutil.chown(each, own, group)
    try:
        with server_process([str(DOVECOT), "-F", "-c", str(folder / "dovecot.conf")], port):
            yield ImapServer(
                port, user, PASSWORD.replace(" ", "_"), ("INBOX", "Gesendet", "Entwürfe"), folder
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


HIDDEN = {
    b"UIDPLUS": b"XX-PLUS", b"CONDSTORE": b"XX-DSTORE", b"SPECIAL-USE": b"XX-CIAL-USE", b"\\*": b"\\X", b"\\Sent": b"\\Ten1",
    b"\\Drafts": b"\\Nothin", b"HIGHESTMODSEQ": b"XX-HESTMODSEQ",
}  # fmt: skip
"""What a poor server does not say, and what stands in its place."""


@contextmanager
def poor(server: ImapServer) -> Iterator[ImapServer]:
    """The server behind a proxy that hides what it can: no mail server that tests can have is so poor."""
    with between(server.port, HIDDEN) as proxy:
        yield replace(server, port=proxy.port)


@contextmanager
def server_process(command: Sequence[str], port: int) -> Iterator[None]:
    """A server that runs until the end, once it listens on its port."""
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
    """Takes mail, and keeps it."""

    port: int = field(default_factory=free_port)
    accepted: list[tuple[list[str], bytes]] = field(default_factory=list)
    """To whom, and what."""
    refused: frozenset[str] = frozenset()
    """Recipients that it does not take."""
    fault: str = ""
    """How the next mail fails: the answer to it, or `KEPT` or `LOST`: it hangs up, and has it or has not."""

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        """A recipient."""
        if address in self.refused:
            return f"550 5.1.1 no such user {address}"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        """The whole mail."""
        fault, self.fault = self.fault, ""
        if fault in {"", KEPT} or fault.startswith("421"):
            self.accepted.append((list(envelope.rcpt_tos), envelope.content))
        if fault in {KEPT, LOST}:
            assert server.transport is not None
            server.transport.abort()
        return "250 2.0.0 queued" if fault in {"", KEPT, LOST} else fault


def _lets_in(server: Any, session: Any, envelope: Any, mechanism: str, given: Any) -> AuthResult:
    return AuthResult(success=given.password == PASSWORD.encode(), handled=False)


@contextmanager
def relay(
    shows: Certified | None = None, *, asks: bool = False, made: Relay | None = None
) -> Iterator[Relay]:
    """One that runs in a thread of this process; with a certificate it offers STARTTLS, and it may ask for `PASSWORD`."""
    made = made or Relay()
    access = {"authenticator": _lets_in, "auth_require_tls": False, "auth_required": True} if asks else {}
    context = shows.context if shows else None
    controller = Controller(
        made,
        hostname=LOCAL,
        port=made.port,
        server_hostname=LOCAL,
        ready_timeout=START_SECONDS,
        tls_context=context,
        **access,
    )
    controller.start()
    try:
        yield made
    finally:
        controller.stop()
