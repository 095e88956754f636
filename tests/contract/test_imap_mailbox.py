"""The mailbox contract over IMAP and SMTP, and what is particular to such mailboxes."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from email_assistant.adapter_registry import MAILBOXES
from email_assistant.adapters.imap.connection import Commands, Connection
from email_assistant.adapters.imap.idle import Idle
from email_assistant.adapters.imap.mailbox import ImapMailbox
from email_assistant.adapters.smtp import Relay as SmtpRelay
from email_assistant.adapters.smtp import Submission
from email_assistant.clock import FixedClock
from email_assistant.errors import (
    AccessError,
    CursorExpiredError,
    InputError,
    NotFoundError,
    ProviderError,
    TransientError,
)
from email_assistant.journal.database import Database
from email_assistant.mail.address import Address
from email_assistant.mail.mailbox import MailQuery, Whereabouts
from email_assistant.review.action import Action
from email_assistant.tools.mail_tools import SendEmailArguments
from email_assistant.tools.outgoing import LetterDetails
from email_assistant.tools.sending import LEFT
from email_assistant.tools.tool import AskAgain, Done
from tests.contract.mailbox_contract import (
    EVERYTHING,
    Deliver,
    MailboxContract,
    Move,
    mail,
    reply,
    sends_over,
    turn_on,
)
from tests.support.gmail_labels import GmailServer, gmail_labels
from tests.support.mail_servers import DOVECOT, KEPT, LOST, ImapServer, Relay, dovecot, poor, pymap, relay

TABLES = MAILBOXES["imap"].tables
CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))


@pytest.fixture(
    scope="module",
    params=["pymap", *(pytest.param(each, marks=pytest.mark.whole) for each in ("dovecot", "poor"))],
)
def running(request: pytest.FixtureRequest) -> Iterator[ImapServer]:
    """One server of each kind for all: one that can little, the one that most people have, and one that can nothing."""
    if request.param in {"dovecot", "poor"} and not DOVECOT.exists():
        pytest.skip("there is no Dovecot: apt-get install dovecot-imapd")
    with ExitStack() as stack:
        server = stack.enter_context(dovecot() if request.param in {"dovecot", "poor"} else pymap())
        before = {"poor": poor, "gmail": gmail_labels}.get(request.param)
        yield stack.enter_context(before(server)) if before else server


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
def record(server: ImapServer, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of what is on record: with Dovecot on PostgreSQL, which several servers share."""
    if server.folder is None or "postgres" in request.node.name:
        return f"sqlite:///{tmp_path / 'imap.db'}"
    return str(request.getfixturevalue("fresh_postgres")())


@pytest.fixture
async def mailbox(server: ImapServer, sending: Relay, record: str) -> AsyncIterator[ImapMailbox]:
    """The mailbox under test."""
    account = server.account(sending.port)
    assert account.smtp is not None
    database = Database(record, tables=TABLES)
    connection = Connection(account.imap, server.user, lambda: server.password)
    relay = SmtpRelay(account.smtp, account.email, lambda: server.password)
    yield ImapMailbox(account, connection, database, CLOCK, relay)
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
def move(mailbox: ImapMailbox, server: ImapServer) -> Move:
    """From folder to folder."""
    folder, names = {}, dict(zip(Whereabouts, ("INBOX", "Projects", "Junk", "Trash"), strict=True))

    async def put(message_id: str, where: Whereabouts) -> None:
        source, place = folder.get(message_id, "INBOX"), await mailbox._records.get(message_id)
        assert place is not None
        uid = place.uid if source == "INBOX" else server.numbers(source)[-1]
        folder[message_id] = names[where]
        server.move(uid, source, names[where])

    return put


@pytest.fixture
def idle(mailbox: ImapMailbox) -> Iterator[Idle]:
    """What hears of new mail."""
    yield mailbox._idle
    mailbox._idle.close()


async def heard(
    mailbox: ImapMailbox, server: ImapServer, meanwhile: Callable[[], object] = lambda: None
) -> None:
    """New mail ends a wait that would last for an hour."""
    waits = asyncio.create_task(mailbox.wait(3_600))
    await asyncio.wait([waits], timeout=0.3)
    meanwhile()
    for number in range(20):  # What came before the wait began is no news.
        await asyncio.to_thread(server.put, mail(number))
        await asyncio.wait([waits], timeout=1)
        if waits.done():
            return
    waits.cancel()
    pytest.fail("new mail was not heard of")


class TestImapMailbox(MailboxContract):
    """The contract."""


@pytest.mark.parametrize("running", ["gmail"], indirect=True)
class TestLabelsOfGmail:
    """Where the server has labels of its own, they are the labels."""

    test_labels = MailboxContract.test_labels
    test_unknown_ids_are_not_found = MailboxContract.test_unknown_ids_are_not_found

    async def test_names_are_gmails(
        self, mailbox: ImapMailbox, server: GmailServer, deliver: Deliver
    ) -> None:
        """In the user's spelling; the system's are neither told nor touched, what others gave stays, and no keyword is set."""
        one = await deliver(mail(1))
        (uid,) = server.numbers("INBOX")
        server.labels[uid] = ["\\Inbox", "\\Important", "[Box]", "2024", 'say "hi" \\o']
        given = {"[Box]", "2024", 'say "hi" \\o'}
        assert await mailbox.labels(one) == given
        wanted = frozenset({"Zu erledigen", "Größe/R&D", "日本"})
        await mailbox.change_labels(one, add=wanted | {"Later"}, remove=frozenset({"LATER", "Never there"}))
        assert await mailbox.labels(one) == given | wanted
        await mailbox.change_labels(
            one, add=frozenset({"größe/r&d"}), remove=frozenset({"zu Erledigen", *given})
        )
        assert await mailbox.labels(one) == {"Größe/R&D", "日本"}
        for own in ("\\Inbox", "\\mine"):
            with pytest.raises(InputError, match="Gmail's own, and no label of yours"):
                await mailbox.change_labels(one, remove=frozenset({own}))
        assert server.labels[uid] == ["\\Inbox", "\\Important", "Größe/R&D", "日本"]
        assert server.flags(uid) == set()


class TestElsewhere:
    """What other programs and the server do meanwhile."""

    async def test_what_is_moved_is_the_same_mail(
        self, mailbox: ImapMailbox, server: ImapServer, deliver: Deliver
    ) -> None:
        """It is not in the inbox any more and can be read; when it comes back it has the id it had, and nothing is new."""
        one, two = await deliver(mail(1)), await deliver(mail(2))
        cursor = await mailbox.cursor()
        server.move(server.numbers("INBOX")[0], "INBOX", "Projects")
        assert await mailbox.inbox(EVERYTHING) == [two]
        assert (await mailbox.fetch(one)).message_id == "<1@example.org>"
        server.move(server.numbers("Projects")[0], "Projects", "INBOX")
        assert {*await mailbox.inbox(EVERYTHING)} == {one, two}
        assert [each.id for each in (await mailbox.changes(cursor)).messages] == [one]

    async def test_a_folder_that_is_renamed_is_found_again(
        self, mailbox: ImapMailbox, server: ImapServer
    ) -> None:
        """What was sent is still known."""
        if server.folder is not None:
            pytest.skip("this server makes a new folder in its place")
        sent = await mailbox.send_draft((await mailbox.save_draft(reply())).id)
        server.rename(server.folders[1], "Sent Items")
        try:
            assert await mailbox.inbox(MailQuery(sent=True)) == [sent]
            assert (await mailbox.fetch(sent)).message_id == reply().message_id
        finally:
            server.rename("Sent Items", server.folders[1])

    async def test_folders_that_the_settings_name(self, mailbox: ImapMailbox, server: ImapServer) -> None:
        """They count before what the server or a name tells; one that is not there is told in one line, and never made."""

        def name(sent: str, drafts: str) -> None:
            imap = mailbox._account.imap
            imap = imap and imap.model_copy(update={"sent": sent, "drafts": drafts})
            mailbox._account, mailbox._found = mailbox._account.model_copy(update={"imap": imap}), None

        await mailbox._folders()  # The usual ones are there.
        with server.program() as client:
            client.create("Notizen")
            client.create("Verschickt")
            name("Verschickt", "Notizen")
            draft = await mailbox.save_draft(reply())
            assert [len(server.numbers(each)) for each in ("Notizen", *server.folders)] == [1, 0, 0, 0]
            sent = await mailbox.send_draft(draft.id)
            assert [len(server.numbers(each)) for each in ("Verschickt", *server.folders)] == [1, 0, 0, 0]
            assert await mailbox.inbox(MailQuery(sent=True)) == [sent]
            mailbox._connection.close()  # A server may end one whose folder goes.
            client.delete("Notizen")
            mailbox._found = None
            with pytest.raises(
                AccessError, match=r"^imap\.drafts of \S+ is \"Notizen\", and .*there are: .*Verschickt"
            ):
                await mailbox.save_draft(reply())
            client.delete("Verschickt")
            there = {name for _, _, name in await mailbox._connection.run(Commands.folders)}
            assert not there & {"Notizen", "Verschickt"}

    @pytest.mark.whole
    async def test_a_mailbox_that_is_numbered_anew(
        self, mailbox: ImapMailbox, server: ImapServer, deliver: Deliver
    ) -> None:
        """Every message keeps its id, what is new gets one of its own, and the old cursor has expired."""
        if server.folder is None:
            pytest.skip("this server numbers nothing anew")
        ids = [await deliver(mail(number)) for number in (1, 2, 3)]
        cursor = await mailbox.cursor()
        mailbox._connection.close()
        server.number_anew()
        server.put(mail(4))
        assert {*await mailbox.inbox(EVERYTHING)} >= {*ids}
        assert len(await mailbox.inbox(EVERYTHING)) == 4
        assert (await mailbox.fetch(ids[1])).message_id == "<2@example.org>"
        with pytest.raises(CursorExpiredError):
            await mailbox.changes(cursor)

    async def test_a_wait_for_news_ends(self, mailbox: ImapMailbox, idle: Idle) -> None:
        """Whether the server tells any or not, and whether it can be reached or not."""
        await mailbox.wait(1)
        if idle._connection._client is not None:
            idle._connection._client.socket().shutdown(socket.SHUT_RDWR)
        await mailbox.wait(1)

    async def test_new_mail_is_heard_of(self, mailbox: ImapMailbox, server: ImapServer, idle: Idle) -> None:
        """At once, also when the connection is lost on which it is waited."""
        await heard(mailbox, server)
        await heard(mailbox, server, lambda: idle._connection._client.socket().shutdown(socket.SHUT_RDWR))

    async def test_a_connection_that_is_lost_is_opened_again(
        self, mailbox: ImapMailbox, deliver: Deliver
    ) -> None:
        """By the next command, or told as what may pass; nothing is lost."""
        one = await deliver(mail(1))
        mailbox._connection._client.socket().shutdown(socket.SHUT_RDWR)
        with suppress(TransientError):
            await mailbox.inbox(EVERYTHING)
        assert await mailbox.inbox(EVERYTHING) == [one]


class TestSending:
    """What the relay does."""

    @pytest.mark.parametrize(
        ("fault", "error"),
        [
            ("451 4.3.0 try later", TransientError),
            ("550 5.7.1 no", ProviderError),
            ("552 5.2.3 too large", ProviderError),
        ],
    )
    async def test_what_is_refused_is_not_sent(
        self, mailbox: ImapMailbox, sending: Relay, fault: str, error: type[Exception]
    ) -> None:
        """One line that says so; the draft stays, and is sent when it is tried again."""
        draft, before = await mailbox.save_draft(reply()), len(sending.accepted)
        sending.fault = fault
        with pytest.raises(error, match=f"^not sent: 127.0.0.1: {fault}$"):
            await mailbox.send_draft(draft.id)
        assert await mailbox.find_sent(draft.message.message_id) is None
        assert await mailbox.maybe_sent(draft.message.message_id) == ""
        assert len(sending.accepted) == before
        assert await mailbox.find_sent(draft.message.message_id) != await mailbox.send_draft(draft.id)
        assert len(sending.accepted) == before + 1

    async def test_one_recipient_who_is_refused_stops_the_letter(
        self, mailbox: ImapMailbox, sending: Relay
    ) -> None:
        """Nobody gets it: a part of the readers is not what was approved."""
        message = replace(reply(), cc=(Address("gone@example.org", ""),))
        draft, before = await mailbox.save_draft(message), len(sending.accepted)
        sending.refused = frozenset({"gone@example.org"})
        try:
            with pytest.raises(
                ProviderError, match=r"^not sent: 127\.0\.0\.1: gone@example\.org: 550 5\.1\.1 no such user"
            ):
                await mailbox.send_draft(draft.id)
        finally:
            sending.refused = frozenset()
        assert len(sending.accepted) == before

    @pytest.mark.parametrize("fault", [KEPT, LOST, "421 4.4.0 lost connection to relay"])
    async def test_what_nobody_can_tell_is_not_sent_again_by_itself(
        self, mailbox: ImapMailbox, deliver: Deliver, sending: Relay, tmp_path: Path, fault: str
    ) -> None:
        """The person is asked, and who accepts again sends it again, under the same Message-ID."""
        message = await mailbox.fetch(await deliver(mail(1)))
        database = Database(f"sqlite:///{tmp_path / 'journal.db'}")
        sends = sends_over(mailbox, database)
        action = await sends.prepare(SendEmailArguments(body="Tomorrow at ten."), turn_on(message))
        assert isinstance(action, Action)
        before, sending.fault = len(sending.accepted), fault
        again = await sends.perform(action, acknowledged=frozenset())
        assert isinstance(again, AskAgain)
        assert again.problem.startswith("This may have been sent: ")
        handed_over = len(sending.accepted) - before
        assert handed_over == (0 if fault == LOST else 1)
        assert isinstance(await sends.perform(action, acknowledged=frozenset()), AskAgain), (
            "asked as often as it is tried"
        )
        assert len(sending.accepted) - before == handed_over
        assert isinstance(await sends.perform(again.action, acknowledged=frozenset(again.concerns)), Done)
        assert len(sending.accepted) - before == handed_over + 1
        ids = {message_from_bytes(raw)["Message-ID"] for _, raw in sending.accepted[before:]}
        assert ids == {LetterDetails.of(action).message.message_id}
        await database.close()

    async def test_an_account_that_sends_nothing_leaves_a_draft(
        self, mailbox: ImapMailbox, deliver: Deliver, server: ImapServer, tmp_path: Path
    ) -> None:
        """The card says so, and accepting it leaves the draft as it was accepted; sent by another program, the matter is done."""
        mailbox._posting = replace(mailbox._posting, relay=None)
        message = await mailbox.fetch(await deliver(mail(1)))
        sends = sends_over(mailbox, Database(f"sqlite:///{tmp_path / 'journal.db'}"))
        action = await sends.prepare(SendEmailArguments(body="Tomorrow at ten."), turn_on(message))
        assert isinstance(action, Action)
        assert action.effects == (LEFT,)
        edited = await sends.revise(action, {**action.args, "body": "Tomorrow at eleven."})
        assert isinstance(edited, Action)
        again = await sends.perform(edited, acknowledged=frozenset())
        assert isinstance(again, AskAgain)
        assert again.problem == LEFT
        _, sent, drafts = server.folders
        *_, uid = server.numbers(drafts)
        text = server.text(uid, drafts)
        assert b"Tomorrow at eleven." in text
        server.put(text, sent, flags="\\Seen")
        await mailbox.delete_draft(LetterDetails.of(again.action).draft_id)
        assert isinstance(await sends.perform(again.action, acknowledged=frozenset(again.concerns)), Done)

    async def test_who_loses_a_draft_to_another_one_does_not_end_it(
        self, mailbox: ImapMailbox, sending: Relay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Another process has taken over while the text was on its way: the end is that one's to give."""
        draft, before = await mailbox.save_draft(reply()), len(sending.accepted)
        text, loop = Submission.text, asyncio.get_running_loop()

        def slowly(submission: Submission, raw: bytes) -> None:
            text(submission, raw)
            claim = mailbox._posting.sends.claim(draft.id, draft.message.message_id)
            assert asyncio.run_coroutine_threadsafe(claim, loop).result(30)

        monkeypatch.setattr(Submission, "text", slowly)
        with pytest.raises(NotFoundError):
            await mailbox.send_draft(draft.id)
        assert len(sending.accepted) == before

    async def test_who_gets_it_secretly_is_told_nobody(
        self, mailbox: ImapMailbox, server: ImapServer, sending: Relay
    ) -> None:
        """The relay is told, the letter does not say it, and the copy in Sent does."""
        message = replace(reply(), bcc=(Address("hidden@example.com", ""),))
        await mailbox.send_draft((await mailbox.save_draft(message)).id)
        people, raw = sending.accepted[-1]
        assert people == ["ana@example.org", "hidden@example.com"]
        assert b"hidden@" not in raw
        (uid,) = server.numbers(server.folders[1])
        assert b"Bcc: hidden@example.com" in server.text(uid, server.folders[1])
