"""Who sorted the mail, read off the record."""

from decimal import Decimal

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.sorting import Sorted, Sorting
from email_assistant.journal.trace import Trace


async def sorted_mail(
    trace: Trace, run_id: str, *tiers: str, asked: bool = False, error: str | None = None
) -> None:
    """A run of the organizer that asked these tiers."""
    await trace.run_started(run_id, run_thread_id=f"thread {run_id}", graph="inbox_organizer")
    for tier in tiers:
        call = {"call": "categorize", "tier": tier, "cost_usd": Decimal("0.001")}
        await trace.model_call(run_id, call | {"error": error})
    await trace.step(
        run_id, name="categorize", order=1, input_digest="i", output_digest="o", latency_ms=1, error=error
    )
    if asked:
        card = {"action_request": {"action": "Label as Work", "args": {}}}
        await trace.review_shown(
            f"review {run_id}",
            run_id=run_id,
            run_thread_id=f"thread {run_id}",
            title="Label as Work",
            card=card,
        )


async def test_nothing_was_sorted(database: Database) -> None:
    """All is nought."""
    assert await Sorting(database).counts() == Sorted()


async def test_each_way_is_counted(database: Database, clock: FixedClock) -> None:
    """Once a mail, whatever the run did besides; failures and other graphs do not count."""
    trace = Trace(database, clock)
    await sorted_mail(trace, "hint")
    await sorted_mail(trace, "fast")
    await sorted_mail(trace, "fast, corrected", "fast", "fast", asked=True)
    await sorted_mail(trace, "escalated", "fast", "strong", asked=True)
    await sorted_mail(trace, "one model", "strong")
    await sorted_mail(trace, "failed", "fast", error="no")
    await trace.run_started("other", run_thread_id="t", graph="email_assistant")
    await trace.step("other", name="categorize", order=1, input_digest="i", output_digest="o", latency_ms=1)
    await trace.step("hint", name="label", order=2, input_digest="i", output_digest="o", latency_ms=1)
    await trace.model_call("fast", {"call": "triage", "tier": "strong", "cost_usd": Decimal(5)})
    await trace.model_call("fast", {"call": "categorize", "tier": "fast", "cost_usd": None})
    assert await Sorting(database).counts() == Sorted(
        mails=5, without_model=1, fast=2, escalated=1, strong=1, human=2, cost_usd=Decimal("0.005")
    )
