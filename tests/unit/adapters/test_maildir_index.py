"""The index of the local mailbox: what it costs, what it survives, and that nothing others do escapes it."""

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from email_assistant.adapters import maildir_folder, maildir_index, maildir_store
from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import FixedClock
from email_assistant.mail.mailbox import MailQuery
from tests.contract.mailbox_contract import EVERYTHING, mail, reply

CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))
UNREAD = MailQuery(unread_only=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the mailbox is; nothing is there yet."""
    return tmp_path / "mailbox"


@pytest.fixture
def mailbox(path: Path) -> MaildirMailbox:
    """The mailbox under test."""
    return MaildirMailbox(path, CLOCK)


def fill(path: Path, messages: int) -> None:
    """So many read messages, each in a conversation of its own."""
    for name in ("cur", "new", "tmp"):
        (path / name).mkdir(parents=True)
    for number in range(messages):
        (path / "cur" / f"{number}.past:2,S").write_bytes(mail(number))


def run_new(path: Path, *work: Callable[[MaildirMailbox], Any]) -> list[Any]:
    """What an assistant that starts now finds."""
    mailbox = MaildirMailbox(path, CLOCK)
    return [asyncio.run(each(mailbox)) for each in work]


@dataclass
class Counts:
    """What was done to the disk."""

    listings: int = 0
    files_read: int = 0


@contextmanager
def counting() -> Iterator[Counts]:
    """Count what happens within, at whatever speed: a folder's time is always too young to go by."""
    counts = Counts()
    scandir, read_header = os.scandir, maildir_index.read_header

    def listed(*args: Any) -> Any:
        counts.listings += 1
        return scandir(*args)

    def read(*args: Any) -> Any:
        counts.files_read += 1
        return read_header(*args)

    with (
        patch.object(os, "scandir", listed),
        patch.object(maildir_index, "read_header", read),
        patch.object(maildir_folder, "TICK_NS", sys.maxsize),
    ):
        yield counts


class TestCost:
    """Counts, which need no quiet machine."""

    async def test_a_second_opening_reads_no_message(self, path: Path) -> None:
        """A new process reads no file but what came since, and lists no folder again that has not changed."""
        fill(path, 50)
        before = MaildirMailbox(path, CLOCK)
        ids = await before.inbox(EVERYTHING)
        message = await before.fetch(ids[7])
        (path / "new" / "later").write_bytes(mail(99))
        with counting() as counts:
            again = MaildirMailbox(path, CLOCK)
            assert await again.inbox(EVERYTHING) == [*ids, "later"]
            assert await again.inbox(UNREAD) == ["later"]
            assert (await again.fetch(ids[7])).mail_thread_id == message.mail_thread_id
            assert await again.inbox(MailQuery(text="ring ana", limit=1)) == ids[:1]
        assert counts.files_read == 1
        with counting() as counts, patch.object(maildir_folder, "TICK_NS", -1):
            settled = MaildirMailbox(path, CLOCK)
            assert len(await settled.inbox(EVERYTHING)) == 51
            counts.listings = 0
            assert len(await settled.inbox(EVERYTHING)) == 51
        assert counts.files_read == 0
        assert counts.listings == 0


class TestOthers:
    """Whatever other programs do is seen at the next look."""

    async def test_in_the_same_tick(self, mailbox: MaildirMailbox, path: Path) -> None:
        """Mail that others deliver just before and just after a change of ours is seen though the folder's time tells nothing."""
        fill(path, 3)
        os.utime(path / "cur", ns=(0, 0))
        await mailbox.inbox(EVERYTHING)
        (path / "cur" / "before:2,").write_bytes(mail(10))
        await mailbox.mark_read("before")
        tick = (path / "cur").stat().st_mtime_ns
        (path / "cur" / "after:2,").write_bytes(mail(11))
        os.utime(path / "cur", ns=(tick, tick))
        assert await mailbox.inbox(UNREAD) == ["after"]
        (path / "cur" / "0.past:2,S").unlink()
        (path / "cur" / "1.past:2,S").rename(path / "cur" / "1.past:2,")
        os.utime(path / "cur", ns=(tick, tick))
        assert set(await mailbox.inbox(EVERYTHING)) == {"1.past", "2.past", "before", "after"}
        assert set(await mailbox.inbox(UNREAD)) == {"1.past", "after"}

    async def test_a_message_that_is_replaced_under_its_name(
        self, mailbox: MaildirMailbox, path: Path
    ) -> None:
        """Another message in a file of the same name is another message: its headers, conversation and time count."""
        unique, _ = await deliver(mailbox, mail(1))
        other = await deliver(mailbox, mail(2))
        assert await mailbox.inbox(EVERYTHING) == [unique, other[0]]
        (path / "tmp" / "x").write_bytes(mail(3, subject="Invoice"))
        (path / "tmp" / "x").rename(path / "new" / unique)
        assert await mailbox.inbox(MailQuery(text="invoice")) == [unique]
        assert await mailbox.inbox(EVERYTHING) == [other[0], unique]
        found = await mailbox.fetch(unique)
        assert [m.message_id for m in await mailbox.thread(found.mail_thread_id)] == ["<3@example.org>"]

    async def test_a_draft_that_is_edited_in_place(self, mailbox: MaildirMailbox, path: Path) -> None:
        """Its text is the file's; as another message it is not found any more, and the index costs no look at drafts meanwhile."""
        draft = await mailbox.save_draft(reply())
        (file,) = (path / ".Drafts" / "cur").iterdir()
        file.write_bytes(file.read_bytes() + b"P.S. Bring the plans.\n")
        found = await mailbox.find_draft("<reply-1@example.com>")
        assert found
        assert (found.id, "P.S." in found.message.body) == (draft.id, True)
        file.write_bytes(file.read_bytes().replace(b"reply-1@", b"another@"))
        assert await mailbox.find_draft("<reply-1@example.com>") is None
        again = await mailbox.draft(draft.id)
        assert again
        assert again.message.message_id == "<another@example.com>"


def _garbage(file: Path) -> None:
    file.write_bytes(b"\xff\x00garbage" * 1_000)


def _empty(file: Path) -> None:
    os.truncate(file, 0)


def _of_another_version(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript("drop table tie; drop table message; pragma user_version = 99")


def _a_link(file: Path) -> None:
    file.unlink()
    (file.parent.parent / "elsewhere").write_bytes(b"precious")
    file.symlink_to(file.parent.parent / "elsewhere")


SPOILED = [
    _garbage, _empty, _of_another_version, _a_link, Path.unlink,
]  # fmt: skip


class TestStore:
    """The file may be deleted, damaged or kept by others at any time: that is never an error."""

    @pytest.mark.parametrize("spoil", SPOILED)
    async def test_it_is_made_anew(self, path: Path, spoil: Callable[[Path], None]) -> None:
        """Whatever is wrong with the file, mail, conversations and what was sent are found, and again by the next process."""
        mailbox = MaildirMailbox(path, CLOCK)
        ids = [(await deliver(mailbox, mail(n, reply_to=n - 1 if n % 3 else None)))[0] for n in range(30)]
        threads = [(await mailbox.fetch(each)).mail_thread_id for each in ids]
        sent = await mailbox.send_draft((await mailbox.save_draft(reply(3))).id)
        assert await mailbox.find_sent("<reply-1@example.com>") == sent
        del mailbox
        file = path / maildir_index.STORE
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        spoil(file)
        for _ in range(2):
            again = MaildirMailbox(path, CLOCK)
            assert await again.inbox(EVERYTHING) == ids
            assert [(await again.fetch(each)).mail_thread_id for each in ids] == threads
            assert await again.find_sent("<reply-1@example.com>") == sent
            assert len(await again.thread(threads[3])) == 4
            await again.mark_read(ids[0])
        if spoil is _a_link:
            assert (path.parent / "elsewhere").read_bytes() == b"precious"

    async def test_a_process_that_keeps_it(
        self, mailbox: MaildirMailbox, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """While another process does not let go of it, mail is delivered, found, marked and sent."""
        monkeypatch.setattr(maildir_store, "WAIT_SECONDS", 0.01)
        ids = [(await deliver(mailbox, mail(n)))[0] for n in range(20)]
        assert await mailbox.inbox(EVERYTHING) == ids
        with closing(sqlite3.connect(path / maildir_index.STORE, isolation_level=None)) as other:
            other.execute("begin immediate")
            for box in (MaildirMailbox(path, CLOCK), mailbox):
                number = 30 + (box is mailbox)
                ids.append((await deliver(box, mail(number)))[0])
                assert await box.inbox(EVERYTHING) == ids
                await box.mark_read(ids[-1])
                own = f"<{number}@example.com>"
                sent = await box.send_draft((await box.save_draft(reply(number, own=own))).id)
                assert await box.find_sent(own) == sent
        assert await MaildirMailbox(path, CLOCK).inbox(EVERYTHING) == ids


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from email_assistant.adapters import maildir_folder, maildir_index, maildir_store, maildir_threads
from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from tests.contract.mailbox_contract import EVERYTHING, mail, reply

OWNERS = {
    "append": (maildir_threads.Threads, "_append"),
    "take": (maildir_folder.MaildirFolder, "take"),
    "hold": (maildir_index.Box, "hold"),
    "forget": (maildir_index.Box, "_forget"),
}

async def main(path, name, when):
    mailbox = MaildirMailbox(Path(path), SystemClock())
    first, _ = await deliver(mailbox, mail(1))
    await mailbox.inbox(EVERYTHING)
    owner, method = OWNERS[name]
    work = getattr(owner, method)
    def killed(*args, **kwargs):
        if when == "after":
            work(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(owner, method, killed)
    await deliver(mailbox, mail(2, reply_to=1))
    await deliver(mailbox, mail(3))
    await mailbox.mark_read(first)
    await mailbox.send_draft((await mailbox.save_draft(reply(1))).id)
    await mailbox.inbox(EVERYTHING)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", ["append", "take", "hold", "forget"])
def test_a_kill_between_the_files_and_the_index(path: Path, name: str, when: str) -> None:
    """Killed between a change of files, the log of names and the index, the next process finds what the files say."""
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), name, when], timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL
    found = _seen(path)
    assert found == _seen(path), "the index agrees with itself"
    (path / maildir_index.STORE).unlink()
    assert found == _seen(path), "the index agrees with the files"
    files = {f.name.partition(":")[0] for name in ("cur", "new") for f in (path / name).iterdir()}
    assert set(found[0]) == files
    assert set(found[1]) == {f.name for f in (path / "new").iterdir()}


def _seen(path: Path) -> list[Any]:
    """Messages, unread ones, and conversations, as a new process sees them."""

    async def threads(mailbox: MaildirMailbox) -> list[tuple[str, list[str]]]:
        found = [each async for each in mailbox.scan(EVERYTHING)]
        return [(each.id, [m.id for m in await mailbox.thread(each.mail_thread_id)]) for each in found]

    return run_new(path, lambda m: m.inbox(EVERYTHING), lambda m: m.inbox(UNREAD), threads)
