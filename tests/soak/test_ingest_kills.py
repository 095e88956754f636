"""An account is taken in while Google fails, access is withdrawn, and the command and the server are killed.

Gmail is the emulator behind our shell; the faults (rate limits, failures, an expired history) are the shell's.
"""

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
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.google_server import GoogleServer, running_google_server
from tests.support.dev_server import DevServer, dev_server, free_port

ADDRESS = "robin@vale.example"
OWN = f"Robin Vale <{ADDRESS}>"
SETTINGS = {
    "EMAIL_ASSISTANT_EMAIL": ADDRESS,
    "EMAIL_ASSISTANT_NAME": "Robin Vale",
    "EMAIL_ASSISTANT_MODEL_FAST": "offline",
    "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
    "EMAIL_ASSISTANT_MAILBOX": "gmail",
}
SETTLE_SECONDS = 420
OPEN = ("claimed", "processing", "needs_review")
STORMS: tuple[tuple[dict[str, Any], ...], ...] = (
    (
        {
            "match": "GET /gmail",
            "status": 429,
            "reason": "rateLimitExceeded",
            "times": 15,
            "headers": {"retry-after": "1"},
        },
    ),
    ({"match": "GET /gmail", "status": 503, "reason": "backendError", "times": 10},),
    ({"match": "POST /gmail.*/drafts$", "status": 500, "reason": "backendError", "times": 2},),
    ({"match": "POST /gmail.*/drafts$", "drop": True, "after": True, "times": 2},),
    ({"match": "GET /gmail", "drop": True, "times": 3}, {"match": "modify", "status": 503, "times": 3}),
)


@dataclass
class Account:
    """The account, its mail, and the assistant's folder."""

    google: GoogleServer
    folder: Path
    expected: dict[str, str] = field(default_factory=dict)
    """Message id → what must have become of it: "newest", "older" or "own"."""

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def settings(self) -> dict[str, str]:
        return SETTINGS | {"EMAIL_ASSISTANT_GOOGLE_ENDPOINT": self.google.url}

    def sign_in(self) -> None:
        """Put a token in the data folder, as `gmail auth` does."""
        self.data.mkdir(parents=True, exist_ok=True)
        path = self.data / "gmail_token.json"
        path.write_text(json.dumps({"token": self.google.account(ADDRESS, name="Robin Vale")}))
        path.chmod(0o600)

    def withdraw(self) -> None:
        """Take the consent back, as the person can at any time."""
        self.google.revoke(json.loads((self.data / "gmail_token.json").read_text())["token"])

    def fill(self, count: int, *, start: int = 0) -> None:
        """Deliver plain questions; every seventh is followed by another message, every eleventh was answered."""
        for number in range(start, start + count):
            first = self.google.deliver(ADDRESS, question(number))
            self.expected[first] = "newest"
            if number % 7 == 0:
                second = self.google.deliver(ADDRESS, question(number, again=True))
                self.expected |= {first: "older", second: "newest"}
            elif number % 11 == 0:
                labels = ("SENT",)
                self.google.deliver(ADDRESS, question(number, again=True, sender=OWN), labels=labels)
                self.expected[first] = "own"


def question(number: int, *, again: bool = False, sender: str = "") -> bytes:
    """A plain question, or a second message of its conversation."""
    message = EmailMessage()
    message["From"] = sender or f"Sender {number} <sender{number}@example.com>"
    message["To"] = OWN
    message["Subject"] = f"{'Re: ' if again else ''}Question {number}"
    message["Message-ID"] = f"<{'again' if again else 'question'}-{number}@example.com>"
    if again:
        message["In-Reply-To"] = message["References"] = f"<question-{number}@example.com>"
    minutes = timedelta(minutes=2 * number + again) - timedelta(hours=20)
    message["Date"] = format_datetime(datetime.now(UTC).replace(microsecond=0) + minutes)
    message.set_content(f"Hi Robin,\n\ncould you send me the price of item {number}?\n\nThanks")
    return bytes(message)


@contextmanager
def ingesting(account: Account, server: DevServer) -> Iterator[subprocess.Popen[str]]:
    """The command, while the block lasts."""
    command = [str(Path(sys.executable).parent / "email-assistant"), "ingest", "--url", server.url]
    outside = {
        k: v for k, v in os.environ.items() if not k.startswith(("EMAIL_ASSISTANT", "OPENAI", "GMAIL"))
    }
    environment = outside | account.settings | {"EMAIL_ASSISTANT_DATA_DIR": str(account.data)}
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=account.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str], seconds: float = 600) -> tuple[int, str, str]:
    """Wait for the command: exit code and output."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def pause(seconds: float) -> None:
    """Let things happen, for a time that chance has chosen."""
    select.select([], [], [], seconds)


def statuses(account: Account) -> dict[str, tuple[str, str]]:
    """Each message's status and reason in the journal."""
    with sqlite3.connect(account.data / "email_assistant.db") as database:
        rows = database.execute("SELECT message_id, status, reason FROM mail").fetchall()
    assert len(rows) == len({row[0] for row in rows})
    return {row[0]: (row[1], row[2]) for row in rows}


def settle(account: Account, server: DevServer) -> None:
    """Wait until nothing is open any more, without anybody's help."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while any(status in OPEN for status, _ in statuses(account).values()):
        left = {i: s for i, s in statuses(account).items() if s[0] in OPEN}
        assert time.monotonic() < deadline, f"{left}\n{server.log.read_text()[-3000:]}"
        pause(0.5)
    # A card is on record a moment before the run that put it up is over.
    while threads(server, "busy"):
        assert time.monotonic() < deadline, server.log.read_text()[-3000:]
        pause(0.5)


def threads(server: DevServer, status: str) -> list[Any]:
    """The server's threads of this status."""
    body = {"status": status, "limit": 1000}
    found: list[Any] = httpx.post(f"{server.url}/threads/search", json=body, timeout=30).json()
    return found


def check(account: Account, server: DevServer) -> Counter[str]:
    """Every message is settled as it should be, every conversation has one card and one draft."""
    found = statuses(account)
    assert set(found) >= set(account.expected), "a message was skipped"
    wanted = {"newest": "waiting_review", "older": "superseded", "own": "done"}
    wrong = {i: (found[i], kind) for i, kind in account.expected.items() if found[i][0] != wanted[kind]}
    assert not wrong, wrong
    drafts = Counter(account.google.drafts(ADDRESS))
    waiting = sum(kind == "newest" for kind in account.expected.values())
    assert set(drafts.values()) <= {1}, f"drafts were made twice: {drafts.most_common(3)}"
    assert len(drafts) == waiting
    assert len(threads(server, "interrupted")) == waiting
    return Counter(status for status, _ in found.values())


def run(account: Account, seed: int, mails: int, kills: int) -> Counter[str]:
    """Take the account in with so many kills, with storms between them; then let everything settle."""
    chance, port = random.Random(seed), free_port()
    share = mails // (kills + 1)
    for number in range(kills):
        account.sign_in()
        account.fill(share, start=number * share)
        account.google.faults(*chance.choice(STORMS))
        if number % 4 == 3:
            account.google.expire_history(ADDRESS)
        with (
            dev_server(account.folder, account.settings, port=port) as server,
            ingesting(account, server) as command,
        ):
            pause(chance.uniform(1.5, 4.0))
            if number % 10 == 4:
                account.withdraw()
                pause(1.0)
            if chance.random() < 0.5:
                command.send_signal(signal.SIGKILL)
            else:
                server.kill()
                code, _, err = ended(command)
                assert all(line.startswith("email-assistant: ") for line in err.splitlines()), err
                assert code in (0, 1)
    account.fill(mails - kills * share, start=kills * share)
    account.google.faults()
    with dev_server(account.folder, account.settings, port=port) as server:
        with ingesting(account, server) as command:
            code, out, err = ended(command)
            assert code == 0, (out, err)
        settle(account, server)
        with ingesting(account, server) as command:
            assert ended(command)[1] == "Mail: nothing new.\n"
        return check(account, server)


@pytest.fixture(scope="module")
def google() -> Iterator[GoogleServer]:
    """A Gmail of one's own."""
    with running_google_server() as server:
        yield server


@pytest.fixture
def account(google: GoogleServer, tmp_path: Path) -> Account:
    """A fresh account."""
    google.reset()
    return Account(google, tmp_path)


@pytest.mark.parametrize(
    ("mails", "kills"),
    [(8, 1), pytest.param(500, 30, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])],
)
def test_killed_while_it_is_taken_in_every_message_is_settled_once(
    account: Account, mails: int, kills: int
) -> None:
    """With storms between the kills."""
    assert sum(run(account, seed=7, mails=mails, kills=kills).values()) == len(account.expected)


def test_access_withdrawn_midway_is_told_and_nothing_is_lost(account: Account) -> None:
    """The command stops with one line, `status` shows it, and after signing in again the rest comes in."""
    account.sign_in()
    account.fill(6)
    with dev_server(account.folder, account.settings) as server:
        account.withdraw()
        with ingesting(account, server) as command:
            code, _, err = ended(command)
        assert (code, len(err.splitlines())) == (1, 1)
        assert "run `email-assistant gmail auth` to sign in again" in err
        with sqlite3.connect(account.data / "email_assistant.db") as database:
            ((error,),) = database.execute("SELECT failure FROM looks").fetchall()
        assert "does not accept the token" in error
        account.sign_in()
        with ingesting(account, server) as command:
            assert ended(command)[0] == 0
        settle(account, server)
        check(account, server)
