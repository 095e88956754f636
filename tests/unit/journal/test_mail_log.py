"""Messages are claimed once and never silently lost."""

import asyncio
import subprocess
import sys
from dataclasses import replace

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


@pytest.mark.parametrize("bad", ["", "ü" * 401])
async def test_unusable_keys(mail_log: MailLog, bad: str) -> None:
    """An empty key, or one too long for an index, is refused with the field's name."""
    with pytest.raises(InputError, match="message_id"):
        await mail_log.claim(_mail(bad))


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
    (letter,) = await mail_log.with_status(MailStatus.dead_letter)
    assert (letter.message_id, letter.reason, letter.attempts) == ("m1", "reason 2", 3)
    assert letter.updated_at == clock.now()


async def test_replay(mail_log: MailLog) -> None:
    """A replayed dead letter has fresh attempts, and can be replayed by one caller only."""
    await mail_log.claim(_mail())
    await mail_log.fail("box", "m1", "email_assistant", "x", max_attempts=1)
    (letter,) = await mail_log.with_status(MailStatus.dead_letter)
    results = await asyncio.gather(*(mail_log.replay(letter) for _ in range(5)), return_exceptions=True)
    assert sum(r is None for r in results) == 1
    assert sum(isinstance(r, NotFoundError) for r in results) == 4
    assert await mail_log.with_status(MailStatus.dead_letter) == []
    found = await mail_log.get("box", "m1", "email_assistant")
    assert found is not None
    assert (found.status, found.attempts) == (MailStatus.claimed, 0)
    assert await mail_log.fail("box", "m1", "email_assistant", "again") is MailStatus.needs_review
