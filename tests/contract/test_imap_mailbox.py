"""The mailbox contract over IMAP and SMTP, and what is particular to such mailboxes."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from email_assistant.adapters.imap import tables
from email_assistant.adapters.imap.connection import Connection
from email_assistant.adapters.imap.mailbox import ImapMailbox
from email_assistant.adapters.smtp import Relay as SmtpRelay
from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.mail.mailbox import MailQuery
from tests.contract.mailbox_contract import Deliver, Discard, MailboxContract
from tests.support.mail_servers import DOVECOT, ImapServer, Relay, dovecot, pymap, relay

CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))


@pytest.fixture(
    scope="module", params=[pytest.param("pymap"), pytest.param("dovecot", marks=pytest.mark.whole)]
)
def running(request: pytest.FixtureRequest) -> Iterator[ImapServer]:
    """One server of each kind for all: one that can little, and the one that most people have."""
    if request.param == "dovecot" and not DOVECOT.exists():
        pytest.skip("there is no Dovecot: apt-get install dovecot-imapd")
    with pymap() if request.param == "pymap" else dovecot() as server:
        yield server


@pytest.fixture(scope="module")
def sending() -> Iterator[Relay]:
    """One relay for all."""
    with relay() as server:
        yield server


@pytest.fixture
def server(running: ImapServer) -> ImapServer:
    """With nothing in its folders."""
    running.empty()
    return running


@pytest.fixture
async def mailbox(server: ImapServer, sending: Relay, tmp_path: Path) -> AsyncIterator[ImapMailbox]:
    """The mailbox under test."""
    account = server.account(sending.port)
    assert account.smtp is not None
    database = Database(f"sqlite:///{tmp_path / 'imap.db'}", tables=(tables.__name__,))
    connection = Connection(account.imap, server.user, lambda: server.password)
    yield ImapMailbox(
        account, connection, database, CLOCK, SmtpRelay(account.smtp, account.email, lambda: server.password)
    )
    connection.close()
    await database.close()


@pytest.fixture
def deliver(mailbox: ImapMailbox, server: ImapServer) -> Deliver:
    """Puts bytes into the inbox."""

    async def put(raw: bytes) -> str:
        before = {*await mailbox.inbox(MailQuery())}
        server.put(raw)
        (new,) = {*await mailbox.inbox(MailQuery())} - before
        return new

    return put


@pytest.fixture
def write(mailbox: ImapMailbox, server: ImapServer) -> Deliver:
    """Puts bytes into Sent, dated as the mail says."""

    async def put(raw: bytes) -> str:
        before = {*await mailbox.inbox(MailQuery(sent=True))}
        server.put(
            raw,
            server.folders[1],
            flags="(\\Seen)",
            at=parsedate_to_datetime(BytesHeaderParser().parsebytes(raw)["Date"]),
        )
        (new,) = {*await mailbox.inbox(MailQuery(sent=True))} - before
        return new

    return put


@pytest.fixture
def discard(mailbox: ImapMailbox, server: ImapServer) -> Discard:
    """Marks a message as deleted and takes it out."""

    async def throw_away(message_id: str) -> None:
        place = await mailbox._records.get(message_id)
        assert place is not None
        with server.program() as client:
            client.uid("STORE", str(place.uid), "+FLAGS", "(\\Deleted)")
            client.uid("EXPUNGE", str(place.uid))

    return throw_away


class TestImapMailbox(MailboxContract):
    """The contract."""
