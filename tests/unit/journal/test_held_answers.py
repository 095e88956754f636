"""Answers wait until they are due, and are begun once."""

from dataclasses import replace
from datetime import timedelta

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.held_answers import AnswerState, HeldAnswers, NewAnswer


async def test_an_answer_that_a_run_may_have_had_is_not_told_as_taken_back(
    database: Database, clock: FixedClock
) -> None:
    """The server died at work on it: what came of it is looked up, and nobody is told that nothing did."""
    held = HeldAnswers(database, clock)
    due = clock.now() + timedelta(seconds=10)
    first = NewAnswer("first", "thread", "card", "digest", {"type": "accept"}, {"title": "Reply"}, due)
    assert (await held.hold(first)).state is AnswerState.held
    assert await held.take_due() == []
    later = replace(held, clock=FixedClock(due))
    (taken,) = await later.take_due()
    assert (taken.id, taken.begun_at) == ("first", None)
    assert (await later.undo("first")).state is AnswerState.working
    await later.take_up()
    assert (await later.undo("first")).state is AnswerState.held
    await later.overtake("first", AnswerState.elsewhere, "It was answered elsewhere.")
    (again,) = await later.take_due()
    assert (again.id, again.begun_at) == ("first", due)
    await later.end("first", AnswerState.done)
    assert (await later.hold(replace(first, id="second"))).id == "second"
