"""Transactions in one go: the journal's one writer, and what is noted for it."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from email_assistant.clock import FixedClock
from email_assistant.effects.outbox import Outbox
from email_assistant.effects.store import Intent, OutboxStore
from email_assistant.errors import NotFoundError, TransientError
from email_assistant.journal import engines
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.mailboxes import Cursors
from email_assistant.journal.records import MailStatus
from email_assistant.journal.trace import Trace

KILLED = """
import asyncio, os, signal, sys
from datetime import UTC, datetime
from functools import partial
from sqlalchemy import Engine, event
from email_assistant.clock import FixedClock
from email_assistant.effects.store import Intent, OutboxStore
from email_assistant.journal.database import Database
from email_assistant.journal.trace import Trace

database, clock = Database(sys.argv[1]), FixedClock(datetime(2026, 11, 20, tzinfo=UTC))
trace, left = Trace(database, clock), int(sys.argv[2])

def executed(connection, cursor, statement, *rest):
    global left
    left -= not statement.startswith(("BEGIN", "PRAGMA", "SELECT"))
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    await database.open()
    event.listen(Engine, "after_cursor_execute", executed)
    database.note(partial(trace.run_started, "r", run_thread_id="t", graph="g"))
    database.note(partial(trace.model_call, "r", {"call": "triage"}))
    database.note(partial(trace.review_decided, "card", decision="accept", answer=None))
    await OutboxStore(database, clock).claim(Intent("a", "send", "s", {}))
    print("lived")
    await database.close()

asyncio.run(main())
"""


def _trace(database: Database, clock: FixedClock) -> Trace:
    return Trace(database, clock)


async def test_what_is_refused_takes_no_observation_with_it(database: Database, clock: FixedClock) -> None:
    """Nothing of the work is written, and what was noted is."""
    trace, cursors = _trace(database, clock), Cursors(database, clock)

    async def work() -> None:
        await cursors.set("box", "1")
        await MailLog(database, clock).set_status("box", "m", "g", MailStatus.done)

    database.note(partial(trace.run_started, "r", run_thread_id="t", graph="g"))
    with pytest.raises(NotFoundError):
        await database.in_one_write(work)
    assert await cursors.get("box") is None
    assert [run.run_id for run in await trace.runs()] == ["r"]


async def test_what_cannot_be_written_now_is_written_later(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program has locked the file; the effect fails, and no observation is lost."""
    monkeypatch.setattr(engines, "BUSY_SECONDS", 0)
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    trace, store = _trace(database, clock), OutboxStore(database, clock)
    await database.open()
    database.note(partial(trace.run_started, "r", run_thread_id="t", graph="g"))
    with sqlite3.connect(tmp_path / "a.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(TransientError):
            await store.claim(Intent("a", "send", "s", {}))
        other.execute("ROLLBACK")
    other.close()
    assert await store.claim(Intent("a", "send", "s", {})) is None
    assert [run.run_id for run in await trace.runs()] == ["r"]
    await database.close()


@pytest.mark.parametrize(
    ("database_url", "statement"),
    [*(("sqlite", number) for number in (1, 2, 3, 4, 5, 6)), ("postgres", 5)],
    indirect=["database_url"],
)
async def test_killed_between_any_two_statements(
    database: Database, database_url: str, clock: FixedClock, statement: int
) -> None:
    """Everything that was to be written together is there, or nothing is."""
    await database.open()
    command = [sys.executable, "-c", KILLED, database_url, str(statement)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=120)
    trace, row = _trace(database, clock), await Outbox(database, clock).get("a")
    there = [row is not None, bool(await trace.runs()), bool(await trace.reviews(""))]
    if statement < 6:
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert there == [False, False, False]
    else:
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "lived"), done.stderr
        assert there == [True, True, True]
