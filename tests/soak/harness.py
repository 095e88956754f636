"""Starts workers, kills them, and counts what was sent."""

import mailbox
import multiprocessing
import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

from tests.soak.worker import Job, work

CONTEXT: ForkServerContext = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["tests.soak.worker", "email_assistant.adapters.ics_calendar", "email_assistant.adapters.maildir"]
)


@dataclass
class Report:
    """What a run of the harness did."""

    kills: int = 0
    kills_during_approvals: int = 0
    """Kills at which a mail was approved and not yet sent."""
    points: list[str] = field(default_factory=list)


def fill(folder: Path, count: int, *, start: int = 0) -> None:
    """Deliver plain questions, each in a conversation of its own."""
    inbox = mailbox.Maildir(folder / "mailbox", create=True)
    for number in range(start, start + count):
        message = EmailMessage()
        message["From"] = f"Sender {number} <sender{number}@example.com>"
        message["To"] = "Robin Vale <robin@vale.example>"
        message["Subject"] = f"Question {number}"
        message["Message-ID"] = f"<question-{number}@example.com>"
        message["Date"] = format_datetime(datetime(2026, 11, 18, tzinfo=UTC) + timedelta(minutes=number))
        message.set_content(f"Hi Robin,\n\ncould you send me the price of item {number}?\n\nThanks")
        inbox.add(message)


def run_with_random_kills(job: Job, kills: int, seed: int) -> Report:
    """Kill workers at random moments until `kills` of them had an approved mail not yet sent; let the last finish."""
    chance, report = random.Random(seed), Report()
    number = 0
    while report.kills_during_approvals < kills:
        assert report.kills < 6 * kills, "the kills miss the approvals"
        fill(Path(job.folder), 4, start=number)
        number += 4
        worker = CONTEXT.Process(target=work, args=(job,))
        worker.start()
        _wait(worker, job, chance)
        if worker.is_alive():
            worker.kill()
            worker.join()
            report.kills += 1
            report.kills_during_approvals += len(approvals(job)) > len(sent(job))
    worker = CONTEXT.Process(target=work, args=(job,))
    worker.start()
    worker.join(600)
    assert worker.exitcode == 0, f"the last worker ended with {worker.exitcode}"
    return report


def _wait(worker: ForkServerProcess, job: Job, chance: random.Random) -> None:
    """Up to a random moment: of the worker's whole life, or, every other time, of its first few approvals, which are soon over."""
    if chance.random() < 0.5:
        worker.join(chance.uniform(0.3, 1.8))
        return
    before, limit = len(approvals(job)), time.monotonic() + 60
    while worker.is_alive() and len(approvals(job)) == before and time.monotonic() < limit:
        worker.join(0.002)
    worker.join(chance.uniform(0, 0.1))


def run_with_chosen_kills(job: Job, points: list[str]) -> Report:
    """Kill one worker at each of the given points, then let one finish."""
    report = Report()
    for point in [*points, ""]:
        worker = CONTEXT.Process(target=work, args=(Job(job.folder, job.database_url, point),))
        worker.start()
        worker.join(60)
        assert worker.exitcode is not None, f"the worker hangs at {point or 'no point'}"
        if point:
            assert worker.exitcode == -9, f"{point} was never reached"
            report.kills += 1
            report.points.append(point)
        else:
            assert worker.exitcode == 0
    return report


def approvals(job: Job) -> set[str]:
    """Message ids (of the mailbox) whose reply was approved."""
    path = Path(job.folder) / "approved.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {line.split("\t")[0] for line in lines}


def sent(job: Job) -> Counter[str]:
    """How often each message was answered, by the Message-ID answered."""
    root = mailbox.Maildir(Path(job.folder) / "mailbox", create=False)
    if "Sent" not in root.list_folders():
        return Counter()
    return Counter(str(m["In-Reply-To"]).strip() for m in root.get_folder("Sent"))


def check(job: Job) -> tuple[int, int]:
    """Every approved mail is in Sent exactly once and nothing else is; returns (approved, sent)."""
    root = mailbox.Maildir(Path(job.folder) / "mailbox", create=False)
    header = {re.sub(r":.*", "", key): str(m["Message-ID"]).strip() for key, m in root.items()}
    approved = {header[i] for i in approvals(job)}
    counted = sent(job)
    assert set(counted) == approved, f"sent {len(counted)}, approved {len(approved)}"
    assert all(number == 1 for number in counted.values()), counted.most_common(3)
    assert not list(root.get_folder("Drafts")), "drafts were left behind"
    return len(approved), sum(counted.values())
