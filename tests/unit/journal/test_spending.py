"""What the work on certain messages has cost."""

from datetime import timedelta
from decimal import Decimal

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord
from email_assistant.journal.spending import Spending, Spent
from email_assistant.journal.trace import Trace


async def paid(
    database: Database, clock: FixedClock, number: int, *costs: str | None, graph: str = "g"
) -> None:
    """A message with a run that asked models at these prices."""
    record = MailRecord("box", f"m{number}", graph, f"t{number}", f"run thread {number}")
    await MailLog(database, clock).claim(record)
    trace, run_id = Trace(database, clock), f"{graph} run {number}"
    await trace.run_started(run_id, run_thread_id=record.run_thread_id, graph=graph)
    for cost in costs:
        priced = None if cost is None else Decimal(cost)
        await trace.model_call(run_id, {"call": "c", "tier": "fast", "cost_usd": priced})


async def test_only_these_messages_this_graph_and_this_time_count(
    database: Database, clock: FixedClock
) -> None:
    """Exactly, and by run."""
    await paid(database, clock, 1, "0.001", "0.000000001")
    await paid(database, clock, 2, "0.5")
    await paid(database, clock, 3, "7")
    await paid(database, clock, 2, "100", graph="other")
    await paid(database, clock, 4)
    spending, before = Spending(database, "box", "g"), clock.now() - timedelta(seconds=1)
    spent = await spending.on(["m1", "m2", "m4", "unknown"], before)
    assert spent == Spent(Decimal("0.501000001"), 0, 2)
    assert spent.mean_usd == Decimal("0.2505000005")
    assert await spending.on(["m1"], clock.now() + timedelta(seconds=1)) == Spent()
    assert (await spending.on([], before)).mean_usd is None


async def test_many_messages_are_asked_for_in_parts(database: Database, clock: FixedClock) -> None:
    """More ids than a statement takes."""
    await paid(database, clock, 1, "1")
    await paid(database, clock, 2_500, "2")
    ids = [f"m{number}" for number in range(3_000)]
    spent = await Spending(database, "box", "g").on(ids, clock.now())
    assert spent == Spent(Decimal(3), 0, 2)


async def test_a_price_that_is_not_known_is_told(database: Database, clock: FixedClock) -> None:
    """A failed call has none, and that is no reason."""
    await paid(database, clock, 1, None)
    await Trace(database, clock).model_call(
        "g run 1", {"call": "c", "tier": "fast", "cost_usd": None, "error": "no"}
    )
    assert await Spending(database, "box", "g").on(["m1"], clock.now()) == Spent(Decimal(0), 1, 1)
