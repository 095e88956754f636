"""A whole account is sorted by two workers while they and the server are killed."""

import json
import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from email_assistant.journal.migrate import migrate
from eval.organizer_mail import generate
from tests.support.dev_server import DevServer, dev_server, free_port

SETTINGS = {
    "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
    "EMAIL_ASSISTANT_NAME": "Robin Vale",
    "EMAIL_ASSISTANT_MODEL_FAST": "offline",
    "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
}
COMMAND = str(Path(sys.executable).parent / "email-assistant")
OPEN = ("claimed", "processing", "needs_review")
SETTLE_SECONDS = 420
WORKERS = 2


@dataclass
class Account:
    """A local mailbox with generated mail, and the assistant's folder."""

    folder: Path
    port: int = field(default_factory=free_port)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def mailbox(self) -> MaildirMailbox:
        return MaildirMailbox(self.data / "mailbox", SystemClock())

    async def fill(self, count: int) -> None:
        self.data.mkdir(parents=True)
        migrate(f"sqlite:///{self.data / 'email_assistant.db'}")
        for sample in generate(count, seed=11):
            await deliver(self.mailbox, sample.raw)

    def worker(self) -> subprocess.Popen[str]:
        """Another worker, in a process of its own."""
        outside = {
            k: v for k, v in os.environ.items() if not k.startswith(("EMAIL_ASSISTANT", "OPENAI", "GMAIL"))
        }
        environment = outside | SETTINGS | {"EMAIL_ASSISTANT_DATA_DIR": str(self.data)}
        url = f"http://127.0.0.1:{self.port}"
        return subprocess.Popen(
            [COMMAND, "organize", "--backfill", "--json", "--url", url],
            env=environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    @contextmanager
    def server(self) -> Iterator[DevServer]:
        with dev_server(self.folder, SETTINGS, port=self.port) as server:
            yield server

    def rows(self, query: str) -> list[Any]:
        with sqlite3.connect(self.data / "email_assistant.db", timeout=30) as database:
            return database.execute(query).fetchall()

    def settled(self) -> int:
        return int(self.rows("SELECT coalesce(sum(settled), 0) FROM backfill_chunks")[0][0])

    def state(self) -> str:
        found = self.rows("SELECT state FROM backfills ORDER BY id DESC LIMIT 1")
        return str(found[0][0]) if found else ""


@dataclass
class Sizes:
    """Resident memory of the processes, in MiB, by how much was settled."""

    server: list[tuple[int, float]] = field(default_factory=list)
    workers: dict[int, list[tuple[int, float]]] = field(default_factory=dict)

    def look(self, settled: int, server: int, workers: list[int]) -> None:
        self.server.append((settled, resident(server)))
        for worker in workers:
            self.workers.setdefault(worker, []).append((settled, resident(worker)))

    def longest(self) -> list[tuple[int, float]]:
        """Of the worker that has seen the most mail."""
        return max(self.workers.values(), key=lambda seen: seen[-1][0] - seen[0][0])


def resident(pid: int) -> float:
    """MiB; 0 when the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def pause(seconds: float) -> None:
    """Let things happen, for a time that chance has chosen."""
    select.select([], [], [], seconds)


def ended(worker: subprocess.Popen[str]) -> None:
    """A worker that was not killed ends in good order, or with one line because the server was gone."""
    out, err = worker.communicate(timeout=60)
    if worker.returncode == -signal.SIGKILL:
        return
    assert all(line.startswith("email-assistant: ") for line in err.splitlines()), err
    assert worker.returncode in (0, 1), err
    if worker.returncode == 0:
        assert json.loads(out)["state"] == "done"


def run(
    account: Account,
    seed: int,
    kills: int,
    every: int,
    seconds: float,
    pauses: tuple[float, float] = (1.0, 3.0),
) -> Sizes:
    """Two workers until the backfill is done; a worker, or the server, is killed each time so many mails are settled."""
    chance, sizes = random.Random(seed), Sizes()
    deadline, killed = time.monotonic() + seconds, 0
    workers: list[subprocess.Popen[str]] = []
    with ExitStack() as stack:
        server = stack.enter_context(account.server())
        stack.callback(lambda: [w.kill() for w in workers if w.poll() is None])
        while account.state() != "done":
            assert time.monotonic() < deadline, f"{account.settled()}\n{server.log.read_text()[-3000:]}"
            for worker in [w for w in workers if w.poll() is not None]:
                workers.remove(worker)
                ended(worker)
            workers += [account.worker() for _ in range(WORKERS - len(workers))]
            pause(chance.uniform(*pauses))
            if account.state():
                sizes.look(account.settled(), server.process.pid, [w.pid for w in workers])
            due = killed < kills and account.settled() >= every * (killed + 1) - every // 2
            if due and account.state() == "running":
                killed += 1
                if chance.random() < 0.25:
                    server.kill()
                    server = stack.enter_context(account.server())
                else:
                    chance.choice(workers).kill()
        for worker in workers:
            ended(worker)
        assert killed == kills
        settle(account, server)
    return sizes


def settle(account: Account, server: DevServer) -> None:
    """Wait until nothing is open any more, without anybody's help."""
    query = f"SELECT count(*) FROM mail WHERE status IN {OPEN}"
    deadline = time.monotonic() + SETTLE_SECONDS
    while account.rows(query)[0][0]:
        assert time.monotonic() < deadline, f"{account.rows(query)}\n{server.log.read_text()[-3000:]}"
        pause(0.5)


async def check(account: Account, count: int) -> Counter[str]:
    """Every message is settled once: one record, one label, one effect."""
    listed = [
        # A worker that is slow to start may come when all is done, and goes through the mailbox once more.
        m[0]
        for (chunk,) in account.rows(
            "SELECT messages FROM backfill_chunks WHERE backfill_id = (SELECT min(id) FROM backfills)"
        )
        for m in json.loads(chunk)
    ]
    assert len(listed) == len(set(listed)) == count
    assert not account.rows("SELECT 1 FROM backfill_chunks WHERE done_at IS NULL OR settled != size")
    found = dict(account.rows("SELECT message_id, status FROM mail"))
    assert set(found) == set(listed)
    mailbox, wrong = account.mailbox, []
    for message_id, status in found.items():
        labels = [
            n for n in await mailbox.labels(message_id) if n.startswith("Agent/") and "/Priority/" not in n
        ]
        if len(labels) != (1 if status == "done" else 0) and status != "waiting_review":
            wrong.append((message_id, status, labels))
        assert len(labels) <= 1
    assert not wrong, wrong[:5]
    twice = account.rows("SELECT action_id FROM outbox GROUP BY action_id HAVING count(*) > 1")
    assert not twice
    unfinished = account.rows("SELECT action_id, status FROM outbox WHERE status NOT IN ('done', 'failed')")
    assert not unfinished, unfinished[:5]
    return Counter(found.values())


@pytest.mark.timeout(240)
async def test_killed_workers_and_server_lose_nothing(tmp_path: Path) -> None:
    """The short form."""
    account = Account(tmp_path)
    await account.fill(60)
    # Short pauses: so few mails are soon settled.
    run(account, seed=3, kills=1, every=30, seconds=200, pauses=(0.05, 0.2))
    assert sum((await check(account, 60)).values()) == 60


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
async def test_ten_thousand_mails_through_forty_kills(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The long form."""
    account = Account(tmp_path)
    await account.fill(10_000)
    started = time.monotonic()
    sizes = run(account, seed=20261121, kills=40, every=250, seconds=2.5 * 3600)
    minutes = (time.monotonic() - started) / 60
    counted = await check(account, 10_000)
    longest = sizes.longest()
    with capsys.disabled():
        print(
            f"\nbackfill: 40 kills, 10,000 messages by {WORKERS} workers in {minutes:.0f} minutes: {dict(counted)}"
        )
        print(f"longest worker, settled and MiB: {longest[:: max(1, len(longest) // 8)]}")
        print(f"server, settled and MiB: {sizes.server[:: max(1, len(sizes.server) // 12)]}")
    first, last = longest[len(longest) // 10 + 1][1], longest[-1][1]
    assert last - first < 20
