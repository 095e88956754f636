"""Importing mail from files."""

import asyncio
import mailbox as stdlib
import os
import signal
import stat
import subprocess
import sys
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest

from email_assistant.adapters.importer import bring_in, bring_in_all, deliver, read_source
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.adapters.maildir_folder import Incoming
from email_assistant.clock import FixedClock
from email_assistant.errors import InputError
from email_assistant.mail.mailbox import MailQuery
from tests.contract.mailbox_contract import mail as dated

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
EVERYTHING = MailQuery()


def mail(number: int, body: str = "Hello\n") -> bytes:
    """A raw message of that number, dated that many minutes after nine."""
    head = (
        f"From: ana@example.org\nSubject: Number {number}\nDate: Fri, 20 Nov 2026 09:{number:02}:00 +0000\n"
    )
    return f"{head}Message-ID: <{number}@example.org>\n\n{body}".encode()


@pytest.fixture
def mailbox(tmp_path: Path) -> MaildirMailbox:
    """An empty local mailbox."""
    return MaildirMailbox(tmp_path / "mailbox", FixedClock(NOW))


def an_mbox(path: Path, *messages: bytes) -> Path:
    """An mbox file as the standard library writes it."""
    box = stdlib.mbox(path)
    for message in messages:
        box.add(message)
    box.close()
    return path


class TestSources:
    """What can be read."""

    def test_from_in_a_body_does_not_split_a_message(self, tmp_path: Path) -> None:
        """Quoted "From " lines lose one ">", and sentences that begin with "From" are no separators."""
        path = tmp_path / "box"
        path.write_bytes(
            b"From ana@example.org Fri Nov 20 09:00:00 2026\n" + mail(1, "Hi\n\nFrom here to 2027 it is far.\n\n")
            + b">From ana Fri Nov 20 09:00:00 2026\n>>From deeper\n> From a quote\nFrom x Fri Nov 20 09:00:00 2026\n\n"
            + b"From - Fri Nov 20 09:00:00 2026\r\n" + mail(2).replace(b"\n", b"\r\n")
        )  # fmt: skip
        one, two = read_source(path)
        assert one.endswith(
            b"far.\n\nFrom ana Fri Nov 20 09:00:00 2026\n>From deeper\n> From a quote\nFrom x Fri Nov 20 09:00:00 2026\n"
        )
        assert two == mail(2).replace(b"\n", b"\r\n")

    def test_an_mbox_of_any_size_takes_little_memory(self, tmp_path: Path) -> None:
        """Reading a large mbox keeps no more than one message in memory."""
        path = tmp_path / "large.mbox"
        with path.open("wb") as file:
            for number in range(60):
                file.write(
                    b"From ana@example.org Fri Nov 20 09:00:00 2026\n"
                    + mail(number, "x" * 500_000 + "\n")
                    + b"\n"
                )
        tracemalloc.start()
        try:
            assert sum(1 for _ in read_source(path)) == 60
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()

    def test_a_folder_of_eml_files(self, tmp_path: Path) -> None:
        """A folder gives its .eml files by name, those of subfolders too, and nothing else."""
        (tmp_path / "sub").mkdir()
        for name, raw in {
            "b.eml": mail(2),
            "a.eml": mail(1),
            "sub/c.eml": mail(3),
            "notes.txt": b"no mail",
        }.items():
            (tmp_path / name).write_bytes(raw)
        (tmp_path / "folder.eml").mkdir()
        os.mkfifo(tmp_path / "pipe.eml")
        assert list(read_source(tmp_path)) == [mail(1), mail(2), mail(3)]

    @pytest.mark.parametrize(
        "name", ["missing", "empty folder", "text.txt", "binary", "empty", "pipe", "a.eml/x"]
    )
    def test_what_is_none_of_these_is_refused_by_name(self, tmp_path: Path, name: str) -> None:
        """Anything else is wrong input, said before any message is given, naming the path."""
        (tmp_path / "empty folder").mkdir()
        (tmp_path / "text.txt").write_text("Dear diary,\nFrom: here\n")
        (tmp_path / "binary").write_bytes(bytes(range(256)))
        (tmp_path / "empty").touch()
        (tmp_path / "a.eml").write_bytes(mail(1))
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(InputError, match=name):
            read_source(tmp_path / name)


class TestDelivery:
    """Mail put into the mailbox."""

    async def test_twice_is_once(self, mailbox: MaildirMailbox) -> None:
        """Importing again adds nothing, also when the message was read and labelled meanwhile, or line ends differ."""
        unique, new = await deliver(mailbox, mail(1))
        assert new
        await mailbox.mark_read(unique)
        await mailbox.change_labels(unique, add=frozenset({"Work"}))
        for raw in (mail(1), mail(1).replace(b"\n", b"\r\n"), mail(1) + b"\n"):
            assert await deliver(mailbox, raw) == (unique, False)
        assert await mailbox.inbox(EVERYTHING) == [unique]
        assert await mailbox.is_read(unique)

    async def test_similar_mail_is_not_the_same(self, mailbox: MaildirMailbox) -> None:
        """Messages that share Message-ID and Date and differ in one letter are two."""
        await deliver(mailbox, mail(1, "Yes\n"))
        await deliver(mailbox, mail(1, "Yet\n"))
        assert len(await mailbox.inbox(EVERYTHING)) == 2

    @pytest.mark.parametrize("unique", ["", ".x", "a/b", "a:2,S", "x" * 300, "../x"])
    async def test_names_that_are_no_file_names_are_refused(
        self, mailbox: MaildirMailbox, unique: str
    ) -> None:
        """A unique name that leads elsewhere or holds flags is wrong input."""
        with pytest.raises(InputError):
            await mailbox.take_in([Incoming(mail(1), unique, NOW)])

    async def test_every_source_gives_the_same_message(self, mailbox: MaildirMailbox, tmp_path: Path) -> None:
        """The same mail from an mbox, an .eml file and a Maildir is imported once."""
        raw = mail(1, "From me\n\nFrom you\n")
        (tmp_path / "a.eml").write_bytes(raw.replace(b"\n", b"\r\n"))
        stdlib.Maildir(tmp_path / "md").add(raw)
        an_mbox(tmp_path / "a.mbox", raw)
        for source in ("a.eml", "md", "a.mbox"):
            for message in read_source(tmp_path / source):
                await deliver(mailbox, message)
        assert len(await mailbox.inbox(EVERYTHING)) == 1


class TestOwnMail:
    """What the user has written is no mail to answer."""

    own = frozenset({"robin@vale.example"})
    sent = (
        b"From: Robin <Robin@Vale.example>\nTo: ana@example.org\nSubject: Re: Number 1\nDate: Fri, 20 Nov 2026 10:00:00 +0000\n"
        b"Message-ID: <own@vale.example>\nIn-Reply-To: <1@example.org>\nReferences: <1@example.org>\n\nYes.\n"
    )

    async def test_it_lies_in_sent_in_its_conversation(self, mailbox: MaildirMailbox) -> None:
        """A reply of the user's is filed as sent, at its Date, and joins what it answers; once, however often it is imported."""
        one = await bring_in(mailbox, mail(1), self.own)
        for first in (True, False):
            own = await bring_in(mailbox, self.sent, self.own)
            assert own.is_new is first
            assert own.sent is not None
            assert [a.email for a in own.sent.to] == ["ana@example.org"]
        assert await mailbox.inbox(EVERYTHING) == [one.id]
        assert await mailbox.find_sent("<own@vale.example>") == own.id
        thread = await mailbox.thread((await mailbox.fetch(one.id)).mail_thread_id)
        assert [m.id for m in thread] == [one.id, own.id]

    @pytest.mark.parametrize(
        "trace", ["Return-Path: <x@evil.example>", "Authentication-Results: mx; dmarc=fail"]
    )
    async def test_what_came_from_outside_under_the_users_address_stays_in_the_inbox(
        self, mailbox: MaildirMailbox, trace: str
    ) -> None:
        """Traces of a delivery tell that anybody may have written it."""
        found = await bring_in(mailbox, trace.encode() + b"\n" + self.sent, self.own)
        assert found.sent is None
        assert await mailbox.inbox(EVERYTHING) == [found.id]


class TestTogether:
    """Many messages with one wait for the disk."""

    async def test_each_is_on_the_disk_before_it_is_seen(
        self, mailbox: MaildirMailbox, tmp_path: Path
    ) -> None:
        """250 messages are three batches: a folder is forced to the disk once in each, a file before it has its name, and told after."""
        synced: list[int] = []
        events: list[str] = []
        fsync, rename = os.fsync, os.rename

        def syncing(descriptor: int) -> None:
            fsync(descriptor)
            status = os.fstat(descriptor)
            synced.append(status.st_ino)
            if stat.S_ISDIR(status.st_mode) and status.st_ino == (tmp_path / "mailbox" / "new").stat().st_ino:
                events.append("folder")

        def renaming(source: Path, target: Path) -> None:
            assert source.stat().st_ino in synced
            assert target.name.startswith(f"{source.stat().st_mtime_ns // 10**9}.")
            rename(source, target)
            events.append("seen")

        with patch.object(os, "fsync", syncing), patch.object(os, "rename", renaming):
            async for imported in bring_in_all(mailbox, map(dated, range(250)), frozenset()):
                assert imported.is_new
                events.append("told")
        batches = [(100, 100), (100, 100), (50, 50)]
        assert events == [e for n, m in batches for e in ["seen"] * n + ["folder"] + ["told"] * m]
        assert len(await mailbox.inbox(EVERYTHING)) == 250

    @pytest.mark.parametrize("at", [2, 150])
    async def test_killed_in_a_batch_it_goes_on(self, tmp_path: Path, at: int) -> None:
        """Killed between two names of a batch, an import leaves whole messages, and once repeated all of them, each once."""
        path = tmp_path / "mailbox"
        killed = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", KILLED, str(path), str(at)], timeout=60, check=False
        )
        assert killed.returncode == -signal.SIGKILL
        mailbox = MaildirMailbox(path, FixedClock(NOW))
        there = await mailbox.inbox(EVERYTHING)
        assert len(there) == at - 1
        assert all([(await mailbox.fetch(each)).text.startswith("When") for each in there])
        new = [each.is_new async for each in bring_in_all(mailbox, map(dated, range(250)), frozenset())]
        assert (len(new), sum(new)) == (250, 250 - len(there))
        assert len(await mailbox.inbox(EVERYTHING)) == 250


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from email_assistant.adapters.importer import bring_in_all
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from tests.contract.mailbox_contract import mail

left, rename = int(sys.argv[2]), os.rename

def renaming(*args):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(*args)

async def main():
    os.rename = renaming
    async for _ in bring_in_all(MaildirMailbox(Path(sys.argv[1]), SystemClock()), map(mail, range(250)), frozenset()):
        pass

asyncio.run(main())
"""
