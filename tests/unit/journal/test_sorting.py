"""Who sorted the mail, read off the record."""

from datetime import timedelta
from decimal import Decimal

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.trace import Trace
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints
from email_assistant.workflows.inbox_organizer.records.sorting import Sorted, Sorting


async def sorted_mail(
    trace: Trace,
    run_id: str,
    *tiers: str,
    asked: bool = False,
    error: str | None = None,
    model: str = "openai:x",
    thread: str = "",
    title: str = "Label as Work",
) -> None:
    """A run of the organizer that asked these tiers."""
    thread = thread or f"thread {run_id}"
    await trace.run_started(run_id, run_thread_id=thread, graph="inbox_organizer")
    for tier in tiers:
        call = {"call": "categorize", "tier": tier, "cost_usd": Decimal("0.001"), "model": model}
        await trace.model_call(run_id, call | {"error": error})
    await trace.step(run_id, name="categorize", order=1, latency_ms=1, error=error)
    if asked:
        card = {"action_request": {"action": title, "args": {}}}
        await trace.review_shown(
            f"review {run_id}",
            run_id=run_id,
            run_thread_id=thread,
            title=title,
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
    await trace.step("other", name="categorize", order=1, latency_ms=1)
    await trace.step("hint", name="label", order=2, latency_ms=1)
    await trace.model_call("fast", {"call": "triage", "tier": "strong", "cost_usd": Decimal(5)})
    await trace.model_call("fast", {"call": "categorize", "tier": "fast", "cost_usd": None})
    found = await Sorting(database).counts()
    assert found == Sorted(
        mails=5, without_model=1, fast=2, escalated=1, strong=1, human=2, cost_usd=Decimal("0.006")
    )
    assert found.shares == {"without_model": 0.2, "fast": 0.4, "escalated": 0.2, "strong": 0.2, "human": 0.4}


async def test_what_the_offline_rules_sorted_is_told_apart(database: Database, clock: FixedClock) -> None:
    """A mail for which any model spoke is not theirs."""
    trace = Trace(database, clock)
    await sorted_mail(trace, "rules", "fast", "strong", model="offline")
    await sorted_mail(trace, "both", "fast", model="offline")
    await trace.model_call("both", {"call": "categorize", "tier": "strong", "model": "openai:x"})
    await sorted_mail(trace, "hint")
    found = await Sorting(database).counts()
    assert (found.mails, found.escalated, found.without_model, found.rules) == (3, 2, 1, 1)


@pytest.mark.parametrize(
    ("title", "human"), [("Label as Work (draft 2)", 1), ("Schedule meeting: Label as Work", 0), ("LABEL", 0)]
)
async def test_only_a_card_about_the_label_is_a_question_of_where_it_belongs(
    database: Database, clock: FixedClock, title: str, human: int
) -> None:
    """Not those about a meeting or a reply."""
    trace = Trace(database, clock)
    await sorted_mail(trace, "one", "fast", asked=True, title=title)
    assert (await Sorting(database).counts()).human == human


async def test_a_card_counts_for_the_mail_that_it_was_about(database: Database, clock: FixedClock) -> None:
    """Also when a run that took up a failed one shows it; not for the earlier mail of the same thread."""
    traces = [Trace(database, FixedClock(clock.now() + timedelta(minutes=m))) for m in range(3)]
    await sorted_mail(traces[0], "first", "fast", thread="t")
    await sorted_mail(traces[1], "second", "fast", thread="t")
    await traces[2].review_shown("r", run_id="resumed", run_thread_id="t", title="Label as Work", card={})
    found = await Sorting(database).counts()
    assert (found.mails, found.human) == (2, 1)


async def test_calls_that_sort_again_after_words_cost_too(database: Database, clock: FixedClock) -> None:
    """They are made in a run that has no step of that name; another graph's calls are not counted."""
    trace = Trace(database, clock)
    await sorted_mail(trace, "one", "fast")
    await trace.run_started("again", run_thread_id="thread one", graph="inbox_organizer")
    call = {"call": "categorize", "tier": "strong", "cost_usd": Decimal("0.25")}
    await trace.model_call("again", call)
    await trace.run_started("other", run_thread_id="t", graph="email_assistant")
    await trace.model_call("other", call)
    assert (await Sorting(database).counts()).cost_usd == Decimal("0.251")


async def test_corrections_are_counted_once_a_mail(database: Database, clock: FixedClock) -> None:
    """Although each teaches about a list and a sender; what is forgotten counts no more."""
    hints = CategoryHints(database, clock)
    await hints.teach("box", ["list:a", "sender:b"], "Work", "m1")
    await hints.teach("box", ["sender:c"], "Work", "m2")
    assert (await Sorting(database).counts()).corrections == 2
    await hints.forget("box", "sender:c")
    assert (await Sorting(database).counts()).corrections == 1
