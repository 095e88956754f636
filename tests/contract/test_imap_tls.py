"""What goes over the wire to a mail server is encrypted or is not said, and what hinders it is told in one line that says what mends it."""

import re
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.imap import tables
from email_assistant.adapters.imap.connection import Commands, Connection
from email_assistant.adapters.imap.mailbox import ImapMailbox
from email_assistant.adapters.smtp import Relay as SmtpRelay
from email_assistant.adapters.smtp import in_thread
from email_assistant.clock import FixedClock
from email_assistant.errors import AccessError, EmailAssistantError, ProviderError, TransientError
from email_assistant.journal.database import Database
from email_assistant.mail_accounts import Account, Password, Security, Server
from tests.contract.mailbox_contract import reply
from tests.support.mail_servers import DOVECOT, PASSWORD, ImapServer, Relay, dovecot, pymap, relay
from tests.support.mail_tls import LOCAL, Authority, Certified, between

CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))
EVIL = b'* LIST (\\Drafts) "/" Evil\r\n'
BOTH = pytest.mark.parametrize("protocol", ["imap", "smtp"])
NEEDS_DOVECOT = pytest.mark.skipif(
    not DOVECOT.exists(), reason="there is no Dovecot: apt-get install dovecot-imapd"
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """The firm's own."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def certified(authority: Authority) -> Certified:
    """The servers' certificate."""
    return authority.certified()


@pytest.fixture(
    scope="module",
    params=["pymap", pytest.param("dovecot", marks=[pytest.mark.whole, NEEDS_DOVECOT])],
)
def imap(request: pytest.FixtureRequest, certified: Certified) -> Iterator[ImapServer]:
    """A server of each kind that offers STARTTLS."""
    settings = f"ssl = yes\nssl_cert = <{certified.chain}\nssl_key = <{certified.key}"
    with pymap(certified) if request.param == "pymap" else dovecot(more=settings) as server:
        yield server


@pytest.fixture(scope="module")
def smtp(certified: Certified) -> Iterator[Relay]:
    """A relay that offers STARTTLS and wants to be signed in to."""
    with relay(certified, asks=True) as server:
        yield server


def secret(given: str = PASSWORD) -> Password:
    """Of the account, as the environment gives it."""
    return Password("home", given, Path("accounts"))


def said_with(password: str) -> list[bytes]:
    """What LOGIN and AUTH say."""
    return [password.encode(), b64encode(f"\0robin\0{password}".encode()), b64encode(password.encode())]


async def sign_in(
    protocol: str, port: int, security: Security, ca_file: Path | str = "", password: Any = None
) -> None:
    """Reach a server, sign in and have it do something."""
    server = Server(host=LOCAL, port=port, security=security, ca_file=str(ca_file))
    told = password or secret()
    if protocol == "smtp":
        submission = await in_thread(SmtpRelay(server, "robin", told).open)
        try:
            await in_thread(submission.envelope, "robin@example.com", ["ana@example.org"], 30)
            await in_thread(submission.text, b"Subject: x\r\n\r\nBody\r\n")
            await in_thread(submission.end)
        finally:
            await in_thread(submission.close)
        return
    connection = Connection(server, "robin", told)
    try:
        names = {name for _, _, name in await connection.run(Commands.folders)}
        assert "INBOX" in names
        assert "Evil" not in names
    finally:
        connection.close()


def port_of(protocol: str, imap: ImapServer, smtp: Relay) -> int:
    """Where it listens."""
    return imap.port if protocol == "imap" else smtp.port


def the_password_of(protocol: str, imap: ImapServer) -> Password:
    """The right one."""
    return secret(imap.password if protocol == "imap" else PASSWORD)


def line_of(error: "pytest.ExceptionInfo[EmailAssistantError]") -> str:
    """What the person reads: one line that names the host."""
    line = str(error.value)
    assert "\n" not in line
    assert LOCAL in line
    return line


@BOTH
@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_an_authority_of_the_firms_own(
    protocol: str,
    security: Security,
    imap: ImapServer,
    smtp: Relay,
    authority: Authority,
    certified: Certified,
) -> None:
    """With `ca_file` it is taken, whichever way the server is encrypted; nothing that is secret goes out in clear."""
    port, password = port_of(protocol, imap, smtp), the_password_of(protocol, imap)
    if security == "starttls":
        with between(port) as wire:
            await sign_in(protocol, wire.port, security, authority.file, password)
        assert wire.said
        assert not any(each in wire.said for each in said_with(password()))
    else:
        with between(port, shows=certified) as wire:
            await sign_in(protocol, wire.port, security, authority.file, password)
        assert any(each in wire.said for each in said_with(password())), "it was said, under TLS"


@pytest.mark.parametrize("security", ["tls", "starttls"])
@pytest.mark.parametrize(
    ("fault", "mended"),
    [
        ("unknown", "set ca_file if its authority is your firm's own"),
        ("another host", "set host to a name that it is for"),
        ("expired", "whoever runs the server has to renew it, or the clock here is wrong"),
        ("not yet valid", "whoever runs the server has to renew it, or the clock here is wrong"),
    ],
)
async def test_a_certificate_that_nobody_vouches_for(
    security: Security, fault: str, mended: str, authority: Authority, tmp_path: Path
) -> None:
    """One line says what is wrong with it and what mends it, over SMTP and IMAP alike; no password is said to whoever that is."""
    shown = {
        "unknown": lambda: Authority(tmp_path, "Somebody").certified(),
        "another host": lambda: authority.certified("192.0.2.1"),
        "expired": lambda: authority.certified(years=(-9, -1)),
        "not yet valid": lambda: authority.certified(years=(5, 9)),
    }[fault]()
    password = NeverAsked()
    with relay(shown, asks=True) as server, between(server.port, shows=shown) as wire:
        port = wire.port if security == "tls" else server.port
        for protocol in ("smtp", "imap") if security == "tls" else ("smtp",):
            with pytest.raises(AccessError, match=f"; {re.escape(mended)}$") as error:
                await sign_in(protocol, port, security, authority.file, password)
            assert "its certificate is not vouched for" in line_of(error)
    assert not wire.said
    assert not server.accepted


class NeverAsked:
    """A password that nobody should want to know."""

    def __call__(self) -> str:
        """Fail."""
        raise AssertionError("the password was asked for")


@NEEDS_DOVECOT
@pytest.mark.whole
async def test_dovecot_shows_a_certificate_for_another_host(authority: Authority) -> None:
    """Over STARTTLS it is refused as well, before anything is said."""
    shown = authority.certified("192.0.2.1")
    settings = f"ssl = yes\nssl_cert = <{shown.chain}\nssl_key = <{shown.key}"
    with dovecot(more=settings) as server:
        with pytest.raises(AccessError, match=r"set host to a name that it is for$") as error:
            await sign_in("imap", server.port, "starttls", authority.file, NeverAsked())
        line_of(error)


@BOTH
async def test_starttls_that_is_taken_out_on_the_way(
    protocol: str, imap: ImapServer, smtp: Relay, authority: Authority
) -> None:
    """Somebody in between removes the offer: nothing is signed in to, and whoever it is has not seen the password."""
    with (
        between(port_of(protocol, imap, smtp), {b"STARTTLS": b"XTARTTLX"}) as wire,
        pytest.raises(AccessError, match=r"STARTTLS.*; nothing was sent in clear$") as error,
    ):
        await sign_in(protocol, wire.port, "starttls", authority.file, NeverAsked())
    line_of(error)
    assert b"LOGIN" not in wire.said.upper()
    assert b"AUTH" not in wire.said.upper()
    assert wire.said, "it was asked what it can"


@pytest.mark.parametrize(
    ("protocol", "instead"),
    [
        pytest.param("imap", {b"* CAPABILITY": EVIL + b"* CAPABILITY"}, id="imap-before"),
        pytest.param(
            "imap",
            {b" completed.\r\n": b" completed.\r\n" + EVIL, b" now.\r\n": b" now.\r\n" + EVIL},
            id="imap-behind",
        ),
        pytest.param("smtp", {b" start TLS\r\n": b" start TLS\r\n550 no\r\n550 no\r\n"}, id="smtp-behind"),
    ],
)
async def test_what_is_said_before_tls_does_not_count_under_it(
    protocol: str, instead: dict[bytes, bytes], imap: ImapServer, smtp: Relay, authority: Authority
) -> None:
    """Lines put in beside the answers in clear are no answers to what is asked under TLS (RFC 3207 §4.2, RFC 3501 §6.2.1)."""
    port, password = port_of(protocol, imap, smtp), the_password_of(protocol, imap)
    before = len(smtp.accepted)
    with between(port, instead) as wire:
        await sign_in(protocol, wire.port, "starttls", authority.file, password)
    assert len(smtp.accepted) - before == (protocol == "smtp")


async def test_a_server_that_takes_no_password_in_clear(imap: ImapServer) -> None:
    """LOGINDISABLED is respected, also on this machine (RFC 3501 §6.2.3)."""
    with (
        between(imap.port, {b"IMAP4rev1": b"IMAP4rev1 LOGINDISABLED"}) as wire,
        pytest.raises(AccessError, match=r"set security to tls or starttls$") as error,
    ):
        await sign_in("imap", wire.port, "none", password=NeverAsked())
    line_of(error)
    assert b"LOGIN" not in wire.said.upper()


@BOTH
@pytest.mark.parametrize("is_given", [True, False])
async def test_a_wrong_password(
    protocol: str, is_given: bool, imap: ImapServer, smtp: Relay, authority: Authority, tmp_path: Path
) -> None:
    """The line names the account, and the file or setting where its password is; it does not tell it."""
    password = Password("home", "wrong one" if is_given else None, tmp_path)
    password.file.write_text("wrong one\n", encoding="utf-8")
    with pytest.raises(AccessError) as error:
        await sign_in(protocol, port_of(protocol, imap, smtp), "starttls", authority.file, password)
    line = line_of(error)
    place = "EMAIL_ASSISTANT_ACCOUNT_PASSWORD" if is_given else str(password.file)
    assert line.endswith(f"; the password of the account home is the one in {place}")
    assert "wrong one" not in line


@BOTH
async def test_a_server_that_hangs_up_meanwhile(
    protocol: str, imap: ImapServer, smtp: Relay, certified: Certified, authority: Authority
) -> None:
    """While the password is said: that may pass, and says nothing of the password."""
    port, word = port_of(protocol, imap, smtp), b"LOGIN" if protocol == "imap" else b"AUTH"
    with (
        between(port, shows=certified, hangs_up=word) as wire,
        pytest.raises(TransientError, match="cannot be reached, or hung up") as error,
    ):
        await sign_in(protocol, wire.port, "tls", authority.file)
    line_of(error)


@BOTH
async def test_a_server_that_speaks_no_tls_there(
    protocol: str, imap: ImapServer, smtp: Relay, authority: Authority
) -> None:
    """It is told which settings to look at: waiting does not mend it."""
    with pytest.raises(
        ProviderError, match=r"does not speak TLS here: .*; check port and security$"
    ) as error:
        await sign_in(protocol, port_of(protocol, imap, smtp), "tls", authority.file, NeverAsked())
    line_of(error)
    assert not isinstance(error.value, TransientError)


QUOTA = """
mail_plugins = quota
protocol imap {
  mail_plugins = quota imap_quota
}
plugin {
  quota = maildir:User quota
  quota_rule = *:bytes=3000
  quota_grace = 0
}
"""


@asynccontextmanager
async def mailbox_of(account: Account, server: ImapServer, tmp_path: Path) -> AsyncIterator[ImapMailbox]:
    """The account's mailbox."""
    database = Database(f"sqlite:///{tmp_path / 'imap.db'}", tables=(tables.__name__,))
    connection = Connection(account.imap, server.user, lambda: server.password)
    outgoing = SmtpRelay(account.smtp, server.user, lambda: server.password) if account.smtp else None
    yield ImapMailbox(account, connection, database, CLOCK, outgoing)
    connection.close()
    await database.close()


@NEEDS_DOVECOT
@pytest.mark.whole
async def test_a_mailbox_that_is_full(tmp_path: Path) -> None:
    """A draft that finds no room is told in one line; the one that it would have replaced is still there, and can be sent."""
    with dovecot(more=QUOTA) as server, relay() as sending:
        async with mailbox_of(server.account(sending.port), server, tmp_path) as mailbox:
            draft = await mailbox.save_draft(reply())
            server.put(b"Subject: much\r\n\r\n" + b"x" * 2_000 + b"\r\n")
            longer = replace(reply(), body="y" * 1_500)
            for replaces in (draft.id, None):
                with pytest.raises(ProviderError, match=r"refuses: .*\[OVERQUOTA\]") as error:
                    await mailbox.save_draft(longer, replaces=replaces)
                line_of(error)
                assert not isinstance(error.value, TransientError)
            assert (await mailbox.draft(draft.id)) == draft
