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
from email_assistant.adapters.maildir import CUT_NOTE, MaildirMailbox
from email_assistant.clock import FixedClock
from email_assistant.errors import InputError, NotFoundError, ProviderError
from email_assistant.mail.mailbox import MailQuery
from tests.contract.mailbox_contract import (
    EVERYTHING,
    NINE,
    OWN,
    Deliver,
    Discard,
    MailboxContract,
    mail,
    reply,
)

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
def discard(path: Path) -> Discard:
    """Flags a message deleted, as mail programs do until they purge the folder."""

    async def flag(message_id: str) -> None:
        folder = stdlib.Maildir(path)
        message = folder[message_id]
        message.add_flag("T")
        folder[message_id] = message

    return flag


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

    async def test_flags_of_others_survive(self, mailbox: MaildirMailbox, path: Path) -> None:
        """Marking a message read keeps the flags that it has, in order."""
        await mailbox.inbox(EVERYTHING)
        (path / "cur" / "1.host:2,FRa").write_bytes(mail(1))
        await mailbox.mark_read("1.host")
        assert [f.name for f in (path / "cur").iterdir()] == ["1.host:2,FRSa"]

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

    async def test_a_draft_among_the_mail_is_none(self, mailbox: MaildirMailbox, path: Path) -> None:
        """Some programs keep drafts in the inbox, with the flag D."""
        await mailbox.inbox(EVERYTHING)
        (path / "cur" / "1.host:2,DS").write_bytes(mail(1))
        assert await mailbox.inbox(EVERYTHING) == []

    async def test_a_draft_edited_in_place_is_read_anew(self, mailbox: MaildirMailbox, path: Path) -> None:
        """A person who edits a draft's file with an editor is not overlooked."""
        draft = await mailbox.save_draft(reply())
        file = file_of(path, draft.id)
        file.write_bytes(file.read_bytes().replace(b"<reply-1@", b"<reply-9@").replace(b"ten", b"six"))
        found = await mailbox.find_draft("<reply-9@example.com>")
        assert found is not None
        assert "six" in found.message.body
        assert await mailbox.find_draft("<reply-1@example.com>") is None

    async def test_a_copy_left_behind_is_not_sent_again(self, mailbox: MaildirMailbox, path: Path) -> None:
        """When a mail program leaves a copy of a sent draft in Drafts under its name, it cannot be sent again."""
        draft = await mailbox.save_draft(reply())
        raw = file_of(path, draft.id).read_bytes()
        await mailbox.send_draft(draft.id)
        (path / ".Drafts" / "cur" / f"{draft.id}:2,D").write_bytes(raw)
        with pytest.raises(NotFoundError, match="already"):
            await mailbox.send_draft(draft.id)

    async def test_two_mailboxes_on_one_folder_agree(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """What one does the other sees at once: mail, flags, labels, drafts replaced and sent."""
        other = MaildirMailbox(path, CLOCK)
        one = await deliver(mail(1))
        assert await other.inbox(EVERYTHING) == [one]
        await mailbox.mark_read(one)
        await mailbox.change_labels(one, add=frozenset({"Work"}))
        assert await other.is_read(one)
        assert await other.labels(one) == {"Work"}
        draft = await mailbox.save_draft(reply(1))
        for number in range(3):
            text = f"Version {number}"
            await mailbox.save_draft(replace(reply(1), body=text), replaces=draft.id)
            found = await other.find_draft("<reply-1@example.com>")
            assert found is not None
            assert found.message.body == text
        await other.send_draft(draft.id)
        assert await mailbox.find_sent("<reply-1@example.com>") == draft.id


class TestReceived:
    """When a message was received."""

    async def test_after_and_before(self, mailbox: MaildirMailbox, deliver: Deliver) -> None:
        """The period holds its first instant and not its last."""
        ids = [await deliver(mail(number)) for number in (1, 2, 3)]
        minute = timedelta(minutes=1)
        assert await mailbox.inbox(MailQuery(after=NINE + 2 * minute)) == ids[1:]
        assert await mailbox.inbox(MailQuery(before=NINE + 2 * minute)) == ids[:1]
        with pytest.raises(InputError, match="after"):
            await mailbox.inbox(MailQuery(after=datetime(2026, 11, 20)))

    async def test_a_sent_message_is_as_new_as_its_sending(self, path: Path) -> None:
        """A draft that waited while mail came in stands behind that mail once it is sent."""
        early, late = (MaildirMailbox(path, FixedClock(NINE + timedelta(minutes=m))) for m in (5, 30))
        first = await early.fetch((await deliver_mail(early, mail(1)))[0])
        draft = await early.save_draft(reply(1, mail_thread_id=first.mail_thread_id))
        await deliver_mail(late, mail(20, reply_to=1))
        await late.send_draft(draft.id)
        ids = [m.message_id for m in await late.thread(first.mail_thread_id)]
        assert ids == ["<1@example.org>", "<20@example.org>", "<reply-1@example.com>"]


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 300,
    "no headers": b"\n\njust text",
    "a header without end": b"Subject: " + b"x" * 2_000_000,
    "many references": b"References: " + b" ".join(b"<%d@example.org>" % n for n in range(50_000)) + b"\n\nx",
    "many headers": b"X-A: b\n" * 100_000 + b"\nx",
    "folded for ever": b"To: a\n" + b" b@example.org,\n" * 50_000 + b"\nx",
    "nul": b"Subject: a\0b\nMessage-ID: <\0@example.org>\n\nx\0y",
    "lone surrogates": b"Subject: =?utf-8?q?=ED=A0=80?=\nMessage-ID: <\xff\xfe@example.org>\n\nx",
    "a bad charset": b"Content-Type: text/plain; charset=nonsense\nSubject: =?nonsense?b?//8=?=\n\n\xff\xfe",
    "a bad date": b"Date: never\nSubject: x\n\nx",
    "a date beyond all": b"Date: Mon, 31 Dec 9999 23:59:59 -1200\n\nx",
    "a date before all": b"Date: Mon, 1 Jan 0001 00:00:00 +1200\n\nx",
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

    @pytest.mark.parametrize(
        "unique", ["1", "1.host,S=10", "a b\nc", "ü" * 60, "x" * 250, "-rf", "%00", b"\xff\xfe"]
    )
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

    @pytest.mark.parametrize(
        "message_id", ["../../etc/passwd", "/etc/passwd", "", ".", "..", "a\0b", "x" * 5000, "new/1"]
    )
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

    async def test_broken_labels_are_an_error_that_names_the_file(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """A labels file that is not ours is neither taken for no labels nor overwritten."""
        one = await deliver(mail(1))
        await mailbox.change_labels(one, add=frozenset({"Work"}))
        (file,) = (path / "labels").iterdir()
        file.write_text('{"labels": 3}')
        with pytest.raises(ProviderError, match="labels"):
            await mailbox.change_labels(one, add=frozenset({"Later"}))
        assert file.read_text() == '{"labels": 3}'

    @pytest.mark.parametrize("label", ["", " ", "a\nb", "x" * 1000])
    async def test_labels_that_cannot_be_shown_are_refused(
        self, mailbox: MaildirMailbox, deliver: Deliver, label: str
    ) -> None:
        """Empty, endless and multi-line labels are wrong input."""
        with pytest.raises(InputError):
            await mailbox.change_labels(await deliver(mail(1)), add=frozenset({label}))

    async def test_messages_without_an_id_are_not_found_by_it(
        self, mailbox: MaildirMailbox, deliver: Deliver
    ) -> None:
        """An empty Message-ID matches nothing in Sent or Drafts."""
        await deliver(b"Subject: x\n\nx")
        assert await mailbox.find_sent("") is None
        assert await mailbox.find_draft("") is None

    async def test_a_file_in_place_of_the_mailbox_is_an_error(self, tmp_path: Path) -> None:
        """A path that is a file is a provider error that names it."""
        (tmp_path / "file").write_text("x")
        with pytest.raises(ProviderError, match="file"):
            await MaildirMailbox(tmp_path / "file", CLOCK).inbox(EVERYTHING)

    async def test_a_mailbox_that_disappears_is_an_error(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """A folder that is gone is not taken for an empty inbox."""
        await deliver(mail(1))
        path.rename(path.with_name("elsewhere"))
        with pytest.raises(ProviderError):
            await mailbox.inbox(EVERYTHING)


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

    async def test_it_keeps_its_id_when_its_root_arrives_late(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """A reply to a reply that arrives first names the conversation; its elders join it, also for a new process."""
        last = await mailbox.fetch(await deliver(mail(3, reply_to=2)))
        await deliver(mail(2, reply_to=1, references=(1,)))
        await deliver(mail(1))
        for box in (mailbox, MaildirMailbox(path, CLOCK)):
            ids = [m.message_id for m in await box.thread(last.mail_thread_id)]
            assert ids == ["<1@example.org>", "<2@example.org>", "<3@example.org>"]
            assert (await box.fetch(last.id)).mail_thread_id == last.mail_thread_id

    async def test_it_stays_together_when_a_message_in_its_middle_is_deleted(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """Deleting the message that ties a reply to its conversation does not rename that reply's conversation."""
        first = await mailbox.fetch(await deliver(mail(1)))
        second = await deliver(mail(2, reply_to=1))
        third = await mailbox.fetch(await deliver(mail(3, reply_to=2)))
        file_of(path, second).unlink()
        again = await MaildirMailbox(path, CLOCK).fetch(third.id)
        assert again.mail_thread_id == third.mail_thread_id == first.mail_thread_id

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

    async def test_mail_without_any_id_is_a_conversation_of_its_own(
        self, mailbox: MaildirMailbox, deliver: Deliver
    ) -> None:
        """Two messages without Message-ID are not thrown together."""
        one = await mailbox.fetch(await deliver(b"Subject: x\n\none"))
        two = await mailbox.fetch(await deliver(b"Subject: x\n\ntwo"))
        assert one.mail_thread_id
        assert one.mail_thread_id != two.mail_thread_id

    async def test_a_damaged_log_of_names_does_no_harm(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """Nonsense and half a line in the log are passed over, and the next name is still written whole."""
        one = await mailbox.fetch(await deliver(mail(1)))
        with (path / "threads.log").open("ab") as log:
            log.write(b"nonsense\n\xff\xfe\n" + b"0" * 20)
        two = await mailbox.fetch(await deliver(mail(2)))
        again = MaildirMailbox(path, CLOCK)
        assert (await again.fetch(one.id)).mail_thread_id == one.mail_thread_id
        assert (await again.fetch(two.id)).mail_thread_id == two.mail_thread_id


def _send_in_process(path: str, draft_id: str, gate: object, results: object) -> None:
    """Wait at the gate, then send; run in a process of its own."""
    mailbox = MaildirMailbox(Path(path), CLOCK)
    asyncio.run(mailbox.inbox(EVERYTHING))
    gate.wait()  # type: ignore[attr-defined]
    try:
        results.put(asyncio.run(mailbox.send_draft(draft_id)))  # type: ignore[attr-defined]
    except NotFoundError:
        results.put(None)  # type: ignore[attr-defined]


def _label_in_process(path: str, message_id: str, labels: list[str]) -> None:
    """Add labels one by one; run in a process of its own."""
    mailbox = MaildirMailbox(Path(path), CLOCK)
    for label in labels:
        asyncio.run(mailbox.change_labels(message_id, add=frozenset({label})))


def _import_in_process(path: str, numbers: list[int]) -> None:
    """Deliver messages and look at their conversations; run in a process of its own."""
    mailbox = MaildirMailbox(Path(path), CLOCK)
    for number in numbers:
        unique, _ = asyncio.run(deliver_mail(mailbox, mail(number, reply_to=number - 1)))
        asyncio.run(mailbox.fetch(unique))


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

    async def test_labels_of_two_processes_are_all_kept(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """Two processes that label one message do not overwrite one another."""
        one = await deliver(mail(1))
        names = [[f"{who}{n}" for n in range(15)] for who in "ab"]
        await _in_processes(_label_in_process, *((str(path), one, labels) for labels in names))
        assert await mailbox.labels(one) == {*names[0], *names[1]}

    async def test_two_processes_that_import_the_same_mail_import_it_once(
        self, mailbox: MaildirMailbox, path: Path
    ) -> None:
        """Equal mail from two processes is there once, and both agree on its one conversation."""
        await _in_processes(
            _import_in_process, (str(path), [*range(1, 13)]), (str(path), [*range(12, 0, -1)])
        )
        ids = await mailbox.inbox(EVERYTHING)
        assert len(ids) == 12
        names = {(await mailbox.fetch(each)).mail_thread_id for each in ids}
        assert len(names) == 1

    @pytest.mark.parametrize("delay", [0.02, 0.05, 0.1, 0.2])
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


class TestCost:
    """What it costs."""

    async def test_no_call_blocks_the_event_loop(self, path: Path) -> None:
        """Every method keeps file work off the loop, as the development server demands."""
        from blockbuster import blockbuster_ctx

        mailbox = MaildirMailbox(path, CLOCK)
        with blockbuster_ctx():
            one, _ = await deliver_mail(mailbox, mail(1))
            assert [listed.id async for listed in mailbox.scan(EVERYTHING)] == [one]
            message = await mailbox.fetch(one)
            await mailbox.change_labels(one, add=frozenset({"Work"}))
            await mailbox.labels(one)
            await mailbox.mark_read(one)
            await mailbox.is_read(one)
            draft = await mailbox.save_draft(reply(1))
            await mailbox.save_draft(reply(1), replaces=draft.id)
            await mailbox.draft(draft.id)
            await mailbox.find_draft("<reply-1@example.com>")
            await mailbox.send_draft(draft.id)
            await mailbox.find_sent("<reply-1@example.com>")
            await mailbox.thread(message.mail_thread_id)
            await mailbox.delete_draft(draft.id)
            assert mailbox.name == f"maildir:{path}"

    async def test_only_new_files_are_read(
        self, mailbox: MaildirMailbox, path: Path, deliver: Deliver
    ) -> None:
        """A listing after the first does not read messages again: not even their disappearance from the disk's pages would show."""
        ids = [await deliver(mail(number)) for number in range(5)]
        assert await mailbox.inbox(EVERYTHING) == ids
        for file in (path / "new").iterdir():
            inode = file.stat().st_ino
            with file.open("r+b") as opened:
                opened.truncate(0)
            assert file.stat().st_ino == inode
        assert await mailbox.inbox(MailQuery(text="ring")) == ids

    async def test_making_the_mailbox_touches_nothing(self, path: Path) -> None:
        """The folders are made on first use."""
        MaildirMailbox(path, CLOCK)
        assert not path.exists()
