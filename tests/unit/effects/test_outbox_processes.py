"""The outbox between processes, and when one is killed."""

import subprocess
import sys
from pathlib import Path

import pytest
from file_provider import FileProvider

from email_assistant.clock import SystemClock
from email_assistant.effects.intent import Intent
from email_assistant.effects.outbox import Outbox
from email_assistant.journal.database import Database
from email_assistant.journal.records import OutboxStatus

WORKER = Path(__file__).with_name("worker.py")
KILLED = -9


def _start(database_url: str, provider: FileProvider, mode: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), database_url, str(provider.path), mode, str(count)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def _finish(process: subprocess.Popen[str]) -> int:
    process.communicate("go\n", timeout=60)
    return process.returncode


@pytest.fixture
def provider(tmp_path: Path) -> FileProvider:
    """A provider that has sent nothing."""
    return FileProvider(tmp_path / "sent")


@pytest.mark.parametrize(("mode", "sent_before"), [("die before", []), ("die after", ["e0"])])
async def test_killed_in_the_middle(
    database_url: str, provider: FileProvider, mode: str, sent_before: list[str]
) -> None:
    """A process killed before or after the effect leaves a started row; the next one asks first."""
    process = _start(database_url, provider, mode, 1)
    _ready(process)
    assert _finish(process) == KILLED
    assert provider.sent() == sent_before

    outbox = Outbox(Database(database_url), SystemClock())
    (row,) = await outbox.pending()
    assert (row.action_id, row.status) == ("e0", OutboxStatus.started)
    outcome = await outbox.perform(
        Intent("e0", "send", "m1", {"id": "e0"}),
        lambda: provider.send("e0"),
        lambda: provider.reconcile("e0"),
    )
    assert outcome.performed == (mode == "die before")
    assert outcome.result == {"sent_id": "e0"}
    assert provider.sent() == ["e0"]
    assert await outbox.pending() == []


async def test_processes_race(database_url: str, provider: FileProvider) -> None:
    """Three processes perform the same effects at once; the provider de-duplicates, each happens once."""
    processes = [_start(database_url, provider, "live", 15) for _ in range(3)]
    for process in processes:
        _ready(process)
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    codes = [process.wait(timeout=60) for process in processes]
    for process in processes:
        process.communicate()
    assert 0 in codes
    assert sorted(provider.sent()) == sorted(f"e{n}" for n in range(15))
    outbox = Outbox(Database(database_url), SystemClock())
    assert {r.status for r in await outbox.find("m1", "send")} == {OutboxStatus.done}
