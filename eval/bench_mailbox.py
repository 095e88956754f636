"""What the local mailbox costs at 1,000 to 100,000 messages: a mail on its way, opening, importing, memory.

The inbox is filled with short messages that are read, each in a conversation of its own. "First opening" is the first look into a
mailbox that has no index yet, "second opening" the first look of a new process after that; both list the inbox whole. "A mail" is
delivered, found by a look for unread mail, read with its conversation and marked read, in a process that has just opened the
mailbox; "disk" is how much of it waits for the disk (fsync). "Memory" is what that process has grown by since before it opened the
mailbox. "Import" is an import of 1,000 mails into that mailbox, for each mail. Every figure is the least of `PASSES` processes (a
first opening of 100,000 is done once), a mail's the median of `MAILS` in each: other work on the machine only ever adds.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from mailbox import Maildir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from email_assistant.adapters.importer import bring_in_all, deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from email_assistant.mail.mailbox import MailQuery

SIZES = (1_000, 10_000, 100_000)
PASSES = 5
MAILS = 25
IMPORTED = 1_000

_KIB = 1024
_START = datetime(2020, 1, 1, tzinfo=UTC)
_MAIL = (
    "From: Ana <ana@new.example>\nTo: robin@vale.example\nSubject: Number {0}\nMessage-ID: <{0}@new.example>\n"
    "Date: Fri, 20 Nov 2026 09:00:00 +0000\n\nAbout number {0}.\n"
)


def section(sizes: tuple[int, ...] = SIZES) -> str:
    """The figures as Markdown."""
    heads = [
        "messages", "first opening, s", "second opening, s", "of it CPU, s", "memory, MiB", "a mail, ms", "of it disk, ms",
        "import, ms a mail", "index file, MiB",
    ]  # fmt: skip
    told = " ".join((__doc__ or "").partition("\n\n")[0].split())
    lines = ["## The local mailbox", "", told, "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for messages in sizes:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "mailbox"
            fill(path, messages)
            lines.append(_line(messages, path))
    return "\n".join(lines) + "\n"


def _line(messages: int, path: Path) -> str:
    firsts = []
    for _ in range(1 if messages > 10_000 else PASSES):
        for file in path.glob("index.db*"):
            file.unlink()
        firsts.append(_in_new_process("opening", path))
    seconds = [_in_new_process("mails", path) for _ in range(PASSES)]
    size = sum(file.stat().st_size for file in path.glob("index.db*"))
    imports = [_in_new_process("importing", path) for _ in range(PASSES)]

    def least(found: list[dict[str, float]], name: str) -> float:
        return min(each[name] for each in found)

    cells = [
        f"{messages:,}", f"{least(firsts, 'opening_s'):.2f}", f"{least(seconds, 'opening_s'):.2f}", f"{least(seconds, 'cpu_s'):.2f}",
        f"{least(seconds, 'memory'):.0f}",
        f"{least(seconds, 'mail_ms'):.1f}", f"{least(seconds, 'disk_ms'):.1f}", f"{least(imports, 'import_ms'):.1f}",
        f"{size / _KIB**2:.0f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _in_new_process(work: str, path: Path) -> dict[str, float]:
    """What one process measures."""
    command = [sys.executable, "-m", "eval.bench_mailbox", work, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def fill(folder: Path, messages: int) -> None:
    """So many short messages, read and each in a conversation of its own, into the Maildir."""
    current = folder / "cur"
    Maildir(folder, create=True).close()
    for number in range(messages):
        message = EmailMessage()
        message["From"], message["To"] = (
            f"Sender {number % 997} <s{number % 997}@past.example>",
            "robin@vale.example",
        )
        message["Subject"], message["Message-ID"] = f"Matter {number}", f"<past.{number}@past.example>"
        message["Date"] = format_datetime(_START + timedelta(minutes=number))
        message.set_content(f"About matter {number}.\n")
        (current / f"{1_577_836_800 + 60 * number}.P{number}.past:2,S").write_bytes(bytes(message))


async def _opened(path: Path) -> tuple[MaildirMailbox, dict[str, float]]:
    before = _resident()
    mailbox = MaildirMailbox(path, SystemClock())
    started, cpu = time.perf_counter(), time.process_time()
    await mailbox.inbox(MailQuery())
    took, used = time.perf_counter() - started, time.process_time() - cpu
    return mailbox, {"opening_s": took, "cpu_s": used, "before": before}


async def opening(path: Path) -> dict[str, float]:
    """The first look."""
    return (await _opened(path))[1]


async def mails(path: Path) -> dict[str, float]:
    """The first look, and mails that come in then."""
    mailbox, found = await _opened(path)
    waits = _waits()
    times, disk = [], []
    for raw in _new(MAILS):
        waited = waits()
        started = time.perf_counter()
        unique, _ = await deliver(mailbox, raw)
        assert unique in await mailbox.inbox(MailQuery(unread_only=True))
        message = await mailbox.fetch(unique)
        await mailbox.thread(message.mail_thread_id)
        await mailbox.mark_read(unique)
        times.append(time.perf_counter() - started)
        disk.append(waits() - waited)
    middle = {"mail_ms": statistics.median(times) * 1_000, "disk_ms": statistics.median(disk) * 1_000}
    return found | middle | {"memory": (_resident() - found["before"]) / _KIB}


async def importing(path: Path) -> dict[str, float]:
    """An import of mails that are not there."""
    mailbox = MaildirMailbox(path, SystemClock())
    started = time.perf_counter()
    new = [each.is_new async for each in bring_in_all(mailbox, _new(IMPORTED), frozenset())]
    assert all(new)
    return {"import_ms": (time.perf_counter() - started) * 1_000 / IMPORTED}


def _new(number: int) -> Iterator[bytes]:
    return (_MAIL.format(f"{time.time_ns()}.{each}").encode() for each in range(number))


def _waits() -> Callable[[], float]:
    """How long this process has waited for the disk."""
    waited, fsync = 0.0, os.fsync

    def timed(descriptor: int) -> None:
        nonlocal waited
        started = time.perf_counter()
        fsync(descriptor)
        waited += time.perf_counter() - started

    os.fsync = timed
    return lambda: waited


def _resident() -> float:
    """This process's memory, in KiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return float(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


if __name__ == "__main__":
    works: dict[str, Any] = {"opening": opening, "mails": mails, "importing": importing}
    print(json.dumps(asyncio.run(works[sys.argv[1]](Path(sys.argv[2])))))
