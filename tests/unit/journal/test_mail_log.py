"""Messages are claimed once and never silently lost."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.journal.sql import CHUNK

CLAIMER = """
import asyncio, sys
from email_assistant.clock import SystemClock
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord

async def main():
    log = MailLog(Database(sys.argv[1]), SystemClock())
    await log.database.open()
    print("ready", flush=True)
    sys.stdin.readline()
    won = [n for n in range(25) if await log.claim(MailRecord("box", f"m{n}", "g", "t", "r"))]
    print(*won, flush=True)

asyncio.run(main())
"""


def _mail(message_id: str = "m1", *, graph: str = "email_assistant", thread: str = "r1") -> MailRecord:
    return MailRecord("box", message_id, graph, "t1", thread, email_input={"id": message_id})


@pytest.fixture
def mail_log(database: Database, clock: FixedClock) -> MailLog:
    """The mail log of a fresh database."""
    return MailLog(database, clock)


async def test_first_claim_wins(mail_log: MailLog, clock: FixedClock) -> None:
    """The second claim of a message is refused and changes nothing."""
    assert await mail_log.claim(_mail())
    assert not await mail_log.claim(replace(_mail(), email_input={"other": 1}, status=MailStatus.done))
    expected = replace(_mail(), claimed_at=clock.now(), updated_at=clock.now())
    assert await mail_log.get("box", "m1", "email_assistant") == expected


async def test_each_graph_claims_for_itself(mail_log: MailLog) -> None:
    """Two graphs may deal with one message, and two mailboxes may use the same id."""
    assert await mail_log.claim(_mail())
    assert await mail_log.claim(_mail(graph="inbox_organizer"))
    assert await mail_log.claim(replace(_mail(), mailbox="other"))


async def test_tasks_race_for_a_claim(mail_log: MailLog) -> None:
    """Of thirty tasks that claim one message at once, one gets it."""
    assert sum(await asyncio.gather(*(mail_log.claim(_mail()) for _ in range(30)))) == 1


def test_processes_race_for_claims(database_url: str) -> None:
    """Of four processes that claim the same messages at once, each message goes to exactly one."""
    command = [sys.executable, "-c", CLAIMER, database_url]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    won = [int(n) for process in processes for n in process.communicate(timeout=60)[0].split()]
    assert sorted(won) == list(range(25))


@pytest.mark.parametrize("bad", ["", "x" * 801, "ü" * 401])
async def test_unusable_keys(mail_log: MailLog, bad: str) -> None:
    """An empty key, or one too long for an index, is refused with the field's name."""
    with pytest.raises(InputError, match="message_id"):
        await mail_log.claim(_mail(bad))


async def test_longest_keys(mail_log: MailLog) -> None:
    """Three keys of the greatest length fit into the index together."""
    record = MailRecord("b" * 800, "ü" * 400, "g" * 800, "t", "r")
    assert await mail_log.claim(record)
    assert not await mail_log.claim(record)


async def test_status_moves_on(mail_log: MailLog) -> None:
    """A new status replaces reason and outcome; a message that nobody claimed has none."""
    await mail_log.claim(_mail())
    await mail_log.set_status(
        "box", "m1", "email_assistant", MailStatus.ignored, reason="newsletter", outcome="x"
    )
    found = await mail_log.get("box", "m1", "email_assistant")
    assert found is not None
    assert (found.status, found.reason, found.outcome) == (MailStatus.ignored, "newsletter", "x")
    with pytest.raises(NotFoundError):
        await mail_log.set_status("box", "m2", "email_assistant", MailStatus.done)
    assert await mail_log.get("box", "m2", "email_assistant") is None


async def test_lists(mail_log: MailLog) -> None:
    """Lists are ordered by claim, limited, and counted by status."""
    for number in range(5):
        await mail_log.claim(_mail(f"m{number}", thread="r1" if number % 2 else "r2"))
    await mail_log.set_status("box", "m1", "email_assistant", MailStatus.done)
    assert [r.message_id for r in await mail_log.by_run_thread("r1")] == ["m3", "m1"]
    claimed = await mail_log.with_status(MailStatus.claimed, MailStatus.processing, limit=3)
    assert [r.message_id for r in claimed] == ["m0", "m2", "m3"]
    assert await mail_log.with_status(limit=3) == []
    assert await mail_log.count_by_status() == {MailStatus.claimed: 4, MailStatus.done: 1}


async def test_known_ids_in_bulk(mail_log: MailLog) -> None:
    """Thousands of ids are looked up at once, also when there is nothing to look up."""
    for message_id in ("m0", "m700", "m2999"):
        await mail_log.claim(_mail(message_id))
    ids = [f"m{n}" for n in range(6 * CHUNK)]
    assert await mail_log.known("box", [*ids, *ids]) == {"m0", "m700", "m2999"}
    assert await mail_log.known("box", iter(["m0"]), "email_assistant") == {"m0"}
    assert await mail_log.known("box", ids, "inbox_organizer") == set()
    assert await mail_log.known("other", ids) == set()
    assert await mail_log.known("box", []) == set()


async def test_failures_end_in_a_dead_letter(mail_log: MailLog, clock: FixedClock) -> None:
    """A message is to be tried again until its attempts are used up; then it is a dead letter, once."""
    await mail_log.claim(_mail())
    key = ("box", "m1", "email_assistant")
    statuses = [await mail_log.fail(*key, f"reason {n}") for n in range(3)]
    assert statuses == [MailStatus.needs_review, MailStatus.needs_review, MailStatus.dead_letter]
    (letter,) = await mail_log.dead_letters()
    assert (letter.message_id, letter.reason, letter.attempts) == ("m1", "reason 2", 3)
    assert letter.created_at == clock.now()


async def test_failures_at_once_are_all_counted(mail_log: MailLog) -> None:
    """Ten failures at the same moment give ten attempts and one waiting dead letter."""
    await mail_log.claim(_mail())
    fail = [mail_log.fail("box", "m1", "email_assistant", "x", max_attempts=10) for _ in range(10)]
    statuses = await asyncio.gather(*fail)
    assert sorted(statuses) == [MailStatus.dead_letter] + [MailStatus.needs_review] * 9
    assert len(await mail_log.dead_letters()) == 1


async def test_another_failure_of_a_dead_letter(mail_log: MailLog) -> None:
    """A dead letter that fails once more stays one dead letter, with the newest reason."""
    await mail_log.claim(_mail())
    for reason in ("first", "second"):
        await mail_log.fail("box", "m1", "email_assistant", reason, max_attempts=1)
    (letter,) = await mail_log.dead_letters()
    assert (letter.reason, letter.attempts) == ("second", 2)


async def test_failing_the_unknown(mail_log: MailLog) -> None:
    """A message that nobody claimed cannot fail."""
    with pytest.raises(NotFoundError):
        await mail_log.fail("box", "m1", "email_assistant", "x")


async def test_endless_reasons_are_cut(mail_log: MailLog) -> None:
    """A reason of megabytes is kept as its beginning."""
    await mail_log.claim(_mail())
    await mail_log.fail("box", "m1", "email_assistant", "why " * 1_000_000)
    found = await mail_log.get("box", "m1", "email_assistant")
    assert found is not None
    assert found.reason == "why " * 500


async def test_replay(mail_log: MailLog) -> None:
    """A replayed dead letter has fresh attempts, and can be replayed by one caller only."""
    await mail_log.claim(_mail())
    await mail_log.fail("box", "m1", "email_assistant", "x", max_attempts=1)
    (letter,) = await mail_log.dead_letters()
    results = await asyncio.gather(*(mail_log.replay(letter) for _ in range(5)), return_exceptions=True)
    assert sum(r is None for r in results) == 1
    assert sum(isinstance(r, NotFoundError) for r in results) == 4
    assert await mail_log.dead_letters() == []
    found = await mail_log.get("box", "m1", "email_assistant")
    assert found is not None
    assert (found.status, found.attempts) == (MailStatus.claimed, 0)
    assert await mail_log.fail("box", "m1", "email_assistant", "again") is MailStatus.needs_review


async def test_last_processed(database: Database) -> None:
    """The last message processed is the one that was most recently decided on, whatever was claimed since."""
    start = datetime(2026, 11, 20, tzinfo=UTC)

    def log(minute: int) -> MailLog:
        return MailLog(database, FixedClock(start + timedelta(minutes=minute)))

    assert await log(0).last_processed() is None
    await log(1).claim(_mail("m1"))
    await log(2).claim(_mail("m2"))
    await log(3).set_status("box", "m2", "email_assistant", MailStatus.done)
    await log(4).set_status("box", "m1", "email_assistant", MailStatus.waiting_review)
    await log(5).claim(_mail("m3"))
    found = await log(6).last_processed()
    assert found is not None
    assert (found.message_id, found.updated_at) == ("m1", start + timedelta(minutes=4))
