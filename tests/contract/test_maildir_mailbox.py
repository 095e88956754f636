"""The mailbox contract on a Maildir, and what is particular to such mailboxes."""

import asyncio
import mailbox as stdlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from email_assistant.adapters.importer import deliver as deliver_mail
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import FixedClock
from email_assistant.errors import NotFoundError
from email_assistant.mail.mailbox import MailQuery, Whereabouts
from email_assistant.mail.mime import CUT_NOTE
from tests.contract.mailbox_contract import EVERYTHING, OWN, Deliver, MailboxContract, Move, mail, reply

CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the mailbox is; nothing is there yet."""
    return tmp_path / "data" / "mailbox"


@pytest.fixture
def mailbox(path: Path) -> MaildirMailbox:
    """The mailbox under test."""
    return MaildirMailbox(path, CLOCK)


@pytest.fixture
def deliver(mailbox: MaildirMailbox) -> Deliver:
    """Puts bytes into the inbox."""

    async def put(raw: bytes) -> str:
        return (await deliver_mail(mailbox, raw))[0]

    return put


@pytest.fixture
def write(path: Path) -> Deliver:
    """Puts bytes into Sent with Python's own `mailbox`, dated as the mail says."""

    async def put(raw: bytes) -> str:
        message = stdlib.MaildirMessage(raw)
        message.set_flags("S")
        message.set_date(parsedate_to_datetime(str(message["Date"])).timestamp())
        return stdlib.Maildir(path, create=True).add_folder("Sent").add(message)

    return put


@pytest.fixture
def move(path: Path) -> Move:
    """Into a folder beside the inbox and back, in a file of another name; what is deleted is flagged so until the folder is purged."""

    async def put(message_id: str, where: Whereabouts) -> None:
        folder = stdlib.Maildir(path)
        if where is Whereabouts.MOVED or where is Whereabouts.JUNK:
            other = folder.add_folder("Projects" if where is Whereabouts.MOVED else "Junk")
            file_of(path, message_id).rename(Path(other._path) / "cur" / "1700000000.other:2,S")
            return
        for found in path.glob(".*/cur/1700000000.other:2,S"):
            found.rename(path / "cur" / f"{message_id}:2,S")
        message = folder[message_id]
        (message.add_flag if where is Whereabouts.THROWN_AWAY else message.remove_flag)("T")
        folder[message_id] = message

    return put


class TestMaildirMailbox(MailboxContract):
    """The contract."""

    keeps_record_of_changes = False


async def test_what_is_sent_bears_the_moment_it_was_sent(path: Path) -> None:
    """A draft that waited over the weekend goes out with the Date of its approval."""
    draft = await MaildirMailbox(path, CLOCK).save_draft(reply())
    monday = CLOCK.instant + timedelta(days=3)
    later = MaildirMailbox(path, FixedClock(monday))
    sent = await later.fetch(await later.send_draft(draft.id))
    assert sent.date == monday
    assert (sent.text, sent.message_id) == ("Tomorrow at ten?\n\nRobin", reply().message_id)


def file_of(path: Path, message_id: str) -> Path:
    """The message's file, wherever it is."""
    (found,) = [f for f in path.rglob(f"{message_id}*") if f.is_file() and f.parent.name in ("cur", "new")]
    return found


class TestOtherPrograms:
    """A Maildir is shared with mail programs and delivery agents."""

    async def test_the_standard_library_reads_it(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """Inbox, Drafts, Sent and flags are where Python's `mailbox.Maildir` expects them; what was answered says so."""
        one = await deliver(mail(1))
        await mailbox.mark_read(one)
        await mailbox.send_draft((await mailbox.save_draft(reply(1))).id)
        draft = await mailbox.save_draft(reply(1, own="<reply-2@example.com>"))
        other = stdlib.Maildir(path, create=False)
        assert sorted(other.list_folders()) == ["Drafts", "Sent"]
        assert (other[one].get_flags(), other[one]["Subject"]) == ("RS", "Ring fitting")
        assert "D" in other.get_folder("Drafts")[draft.id].get_flags()
        assert [m.get_flags() for m in other.get_folder("Sent")] == ["S"]

    async def test_mail_delivered_by_another_program_is_seen(
        self, mailbox: MaildirMailbox, path: Path
    ) -> None:
        """A message that another program adds, flags and deletes is followed under one id."""
        assert await mailbox.inbox(EVERYTHING) == []
        other = stdlib.Maildir(path, create=False)
        key = other.add(mail(1))
        assert await mailbox.inbox(EVERYTHING) == [key]
        flagged = stdlib.MaildirMessage(other[key])
        flagged.set_subdir("cur")
        flagged.set_flags("FS")
        other[key] = flagged
        assert await mailbox.is_read(key)
        other.remove(key)
        assert await mailbox.inbox(EVERYTHING) == []
        with pytest.raises(NotFoundError):
            await mailbox.fetch(key)

    async def test_an_answer_that_names_nothing_is_in_the_conversation_all_the_same(
        self, mailbox: MaildirMailbox, deliver: Deliver, write: Deliver
    ) -> None:
        """Some programs write no reference: it goes to whoever wrote under that subject last. Another's, and a new mail, are none."""
        first = await mailbox.fetch(await deliver(mail(1)))
        await deliver(mail(2, sender="Bo <bo@example.org>"))
        reply_ = mail(3, sender=OWN, subject="Re: Ring fitting").replace(
            b"To: Robin Example <robin@example.com>", b"To: ana@example.org"
        )
        told = await write(reply_)
        await write(reply_.replace(b"ana@", b"cy@").replace(b"<3@", b"<4@"))
        await write(reply_.replace(b"Re: ", b"").replace(b"<3@", b"<5@"))
        assert [each.id for each in await mailbox.thread(first.mail_thread_id)] == [first.id, told]

    async def test_a_copy_left_behind_is_not_sent_again(self, mailbox: MaildirMailbox, path: Path) -> None:
        """When a mail program leaves a copy of a sent draft in Drafts under its name, it cannot be sent again."""
        draft = await mailbox.save_draft(reply())
        raw = file_of(path, draft.id).read_bytes()
        await mailbox.send_draft(draft.id)
        (path / ".Drafts" / "cur" / f"{draft.id}:2,D").write_bytes(raw)
        with pytest.raises(NotFoundError, match="already"):
            await mailbox.send_draft(draft.id)


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 300,
    "a header without end": b"Subject: " + b"x" * 2_000_000,
    "many references": b"References: " + b" ".join(b"<%d@example.org>" % n for n in range(50_000)) + b"\n\nx",
    "nul": b"Subject: a\0b\nMessage-ID: <\0@example.org>\n\nx\0y",
    "lone surrogates": b"Subject: =?utf-8?q?=ED=A0=80?=\nMessage-ID: <\xff\xfe@example.org>\n\nx",
    "a bad charset": b"Content-Type: text/plain; charset=nonsense\nSubject: =?nonsense?b?//8=?=\n\n\xff\xfe",
    "a date beyond all": b"Date: Mon, 31 Dec 9999 23:59:59 -1200\n\nx",
}


class TestHostileFiles:
    """Whatever lies in the folder, the listing works."""

    async def test_damaged_messages_are_listed_and_can_be_fetched(
        self, mailbox: MaildirMailbox, deliver: Deliver
    ) -> None:
        """No damaged message breaks the listing, hides another one, or fails to be fetched."""
        good = await deliver(mail(1))
        ids = [await deliver(raw) for raw in HOSTILE.values()]
        assert set(await mailbox.inbox(EVERYTHING)) == {good, *ids}
        for each in ids:
            assert (await mailbox.fetch(each)).id == each
            await mailbox.mark_read(each)
        assert await mailbox.inbox(MailQuery(unread_only=True)) == [good]

    async def test_what_is_no_plain_file_is_left_alone(
        self, mailbox: MaildirMailbox, path: Path, tmp_path: Path
    ) -> None:
        """Folders, pipes, links out of the mailbox and hidden files are no messages."""
        assert await mailbox.inbox(EVERYTHING) == []
        secret = tmp_path / "secret"
        secret.write_text("Subject: secret\n\nsecret")
        (path / "new" / "folder").mkdir()
        os.mkfifo(path / "cur" / "pipe:2,")
        (path / "new" / "link").symlink_to(secret)
        (path / "new" / ".hidden").write_bytes(mail(1))
        assert await mailbox.inbox(EVERYTHING) == []

    @pytest.mark.parametrize("unique", ["a b\nc", "x" * 250, b"\xff\xfe"])
    async def test_odd_file_names_are_ids_like_others(
        self, mailbox: MaildirMailbox, path: Path, unique: str | bytes
    ) -> None:
        """Any file name another program chose can be fetched, labelled and marked read."""
        await mailbox.inbox(EVERYTHING)
        name = os.fsdecode(unique)
        (path / "new" / name).write_bytes(mail(1))
        assert await mailbox.inbox(EVERYTHING) == [name]
        assert (await mailbox.fetch(name)).message_id == "<1@example.org>"
        await mailbox.change_labels(name, add=frozenset({"Work"}))
        await mailbox.mark_read(name)
        assert await mailbox.is_read(name)
        assert await mailbox.labels(name) == {"Work"}

    @pytest.mark.parametrize("message_id", ["../../etc/passwd", "/etc/passwd", "", "a\0b"])
    async def test_ids_cannot_lead_out_of_the_mailbox(self, mailbox: MaildirMailbox, message_id: str) -> None:
        """An id that is a path or nonsense is not found, whatever is asked of it."""
        for call in (mailbox.fetch, mailbox.mark_read, mailbox.labels, mailbox.send_draft):
            with pytest.raises(NotFoundError):
                await call(message_id)
        assert await mailbox.draft(message_id) is None
        await mailbox.delete_draft(message_id)

    async def test_an_enormous_message_is_cut_and_says_so(self, mailbox: MaildirMailbox, path: Path) -> None:
        """A file of many gigabytes does not fill the memory."""
        await mailbox.inbox(EVERYTHING)
        lines = b"QUJD" * 15 + b"\n"
        head = b"Subject: Ring fitting\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n--b\n"
        part = b"Content-Type: image/png; name=a.png\nContent-Transfer-Encoding: base64\n\n" + lines * 300_000
        file = path / "new" / "big"
        with file.open("wb") as opened:
            for piece in (head, part, b"--b\n", part):
                opened.write(piece)
        os.truncate(file, 20 * 1024**3)
        message = await mailbox.fetch("big")
        assert message.text == "Hello"
        assert CUT_NOTE in message.notes
        assert message.subject == "Ring fitting"


class TestConversations:
    """One connected set of messages is one conversation, and its id does not change."""

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        parents=st.lists(st.integers(0, 5), min_size=2, max_size=6),
        order=st.randoms(use_true_random=False),
        full=st.lists(st.booleans(), min_size=6, max_size=6),
        restart=st.booleans(),
    )
    def test_any_order_of_arrival(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        parents: list[int],
        order: random.Random,
        full: list[bool],
        restart: bool,
    ) -> None:
        """However a tree of replies arrives, with or without References, across restarts, it becomes one conversation.

        Every id that was ever given out still finds it, and an id changes only for a conversation that is joined into an older one.
        """
        path = tmp_path_factory.mktemp("mailbox")
        raws = []
        ancestors: list[tuple[int, ...]] = []
        for number, choice in enumerate(parents):
            parent = None if number == 0 else min(choice, number - 1)
            chain = () if parent is None else (*ancestors[parent], parent)
            ancestors.append(chain)
            raws.append(mail(number, reply_to=parent, references=chain if full[number] else ()))
        order.shuffle(raws)

        async def arrive() -> None:
            mailbox = MaildirMailbox(path, CLOCK)
            given: list[str] = []
            for raw in raws:
                if restart:
                    mailbox = MaildirMailbox(path, CLOCK)
                unique, _ = await deliver_mail(mailbox, raw)
                now = (await mailbox.fetch(unique)).mail_thread_id
                if now not in given:
                    given.append(now)
            everything = {
                (await mailbox.fetch(each)).mail_thread_id for each in await mailbox.inbox(EVERYTHING)
            }
            assert everything == {given[0]}, "the oldest name stays"
            for name in given:
                assert len(await mailbox.thread(name)) == len(raws)

        asyncio.run(arrive())

    async def test_a_reply_to_mail_without_message_id_is_in_its_conversation(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """Without headers to go by, the draft and what is sent stay in the conversation they were made for."""
        first = await mailbox.fetch(await deliver(b"From: ana@example.org\nSubject: x\n\nx"))
        draft = await mailbox.save_draft(
            replace(reply(), in_reply_to="", references=(), mail_thread_id=first.mail_thread_id)
        )
        found = await MaildirMailbox(path, CLOCK).draft(draft.id)
        assert found is not None
        assert found.message.mail_thread_id == first.mail_thread_id
        await mailbox.send_draft(draft.id)
        assert [m.id for m in await MaildirMailbox(path, CLOCK).thread(first.mail_thread_id)] == [
            first.id,
            draft.id,
        ]


def _send_in_process(path: str, draft_id: str, gate: object, results: object) -> None:
    """Wait at the gate, then send; run in a process of its own."""
    mailbox = MaildirMailbox(Path(path), CLOCK)
    asyncio.run(mailbox.inbox(EVERYTHING))
    gate.wait()  # type: ignore[attr-defined]
    try:
        results.put(asyncio.run(mailbox.send_draft(draft_id)))  # type: ignore[attr-defined]
    except NotFoundError:
        results.put(None)  # type: ignore[attr-defined]


async def _in_processes(target: object, *calls: tuple[object, ...]) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=target, args=args) for args in calls]  # type: ignore[arg-type]
    for process in processes:
        process.start()
    for process in processes:
        await asyncio.to_thread(process.join, 60)
        assert process.exitcode == 0


class TestProcesses:
    """Several processes on one mailbox."""

    async def test_two_processes_that_send_one_draft_send_it_once(
        self, mailbox: MaildirMailbox, path: Path
    ) -> None:
        """Of two processes let loose at the same moment on three drafts, each draft is sent by exactly one."""
        context = multiprocessing.get_context("spawn")
        for number in range(3):
            draft = await mailbox.save_draft(reply(own=f"<{number}@example.com>"))
            gate, results = context.Barrier(2), context.Queue()
            await _in_processes(_send_in_process, *[(str(path), draft.id, gate, results)] * 2)
            assert sorted([results.get(timeout=10) for _ in range(2)], key=bool) == [None, draft.id]
        assert len(list((path / ".Sent" / "cur").iterdir())) == 3
        assert list((path / ".Drafts" / "cur").iterdir()) == []

    @pytest.mark.parametrize("delay", [0.05, 0.2])
    async def test_a_writer_that_is_killed_leaves_a_readable_mailbox(self, path: Path, delay: float) -> None:
        """Killed at any moment of its work, a process leaves whole messages, each draft either waiting or sent, no lock."""
        process = await asyncio.to_thread(
            subprocess.Popen, [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE
        )
        try:
            assert process.stdout
            assert await asyncio.to_thread(process.stdout.readline) == b"writing\n"
            with pytest.raises(subprocess.TimeoutExpired):
                await asyncio.to_thread(process.wait, delay)
        finally:
            process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(process.communicate)
        mailbox = MaildirMailbox(path, CLOCK)
        for each in await mailbox.inbox(EVERYTHING):
            message = await mailbox.fetch(each)
            assert message.text.endswith("the end")
            await mailbox.labels(each)
        drafts = {f.name.partition(":")[0] for f in (path / ".Drafts" / "cur").iterdir()}
        sent = {f.name.partition(":")[0] for f in (path / ".Sent" / "cur").iterdir()}
        assert not drafts & sent
        assert len(drafts) <= 1
        for each in drafts:
            assert "the end" in ((await mailbox.draft(each)) or pytest.fail("unreadable")).message.body
            await mailbox.send_draft(each)
        await deliver_mail(mailbox, mail(99_999))


WRITER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from tests.contract.mailbox_contract import mail, reply

async def main():
    mailbox = MaildirMailbox(Path(sys.argv[1]), SystemClock())
    long = "text\\n" * 20_000 + "the end"
    for number in range(100_000):
        unique, _ = await deliver(mailbox, mail(number, body=long))
        if number == 0:
            print("writing", flush=True)
        await mailbox.change_labels(unique, add=frozenset({"Work"}))
        await mailbox.mark_read(unique)
        draft = await mailbox.save_draft(replace(reply(number, own=f"<{number}@example.com>"), body=long))
        await mailbox.save_draft(replace(draft.message, body=long + " the end"), replaces=draft.id)
        await mailbox.send_draft(draft.id)

asyncio.run(main())
"""
