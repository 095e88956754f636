"""What a thread had done when its server was killed is known by the outbox where the answer's own record is lost."""

from datetime import timedelta

from email_assistant.clock import FixedClock
from email_assistant.effects.intent import Doer, Intent
from email_assistant.effects.outbox import NotHappened, Outbox
from email_assistant.journal.database import Database
from email_assistant.journal.run_threads import CutOff
from email_assistant.journal.trace import Trace


async def test_what_was_done_without_an_answer_on_record_is_told(
    database: Database, clock: FixedClock
) -> None:
    """Not of another thread, not of before, and not where an answer is on record, which another may have given."""

    async def do() -> dict[str, str]:
        return {}

    async def reconcile() -> NotHappened:
        return NotHappened()

    cut_off, outbox, since = CutOff(database, clock), Outbox(database, clock), clock.now()
    assert not await cut_off.has_done("thread1", since)
    await outbox.perform(
        Intent("a1", "reply", "s1", {}, by=Doer("thread1", "email_assistant", 1)), do, reconcile
    )
    assert await cut_off.has_done("thread1", since)
    assert not await cut_off.has_done("thread2", since)
    assert not await cut_off.has_done("thread1", since + timedelta(seconds=1))
    trace = Trace(database, clock)
    await trace.review_shown("rev1", run_id="run1", run_thread_id="thread1", title="Reply", card={})
    assert await cut_off.has_done("thread1", since)
    await trace.review_decided("rev1", decision="accept", answer={"type": "accept"}, answer_id="run2")
    assert not await cut_off.has_done("thread1", since)
