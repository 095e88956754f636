"""Answers wait until they are due, and are begun once."""

from dataclasses import replace
from datetime import timedelta

import pytest

from email_assistant.clock import UNTOLD, FixedClock, uptime
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


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(hours=-1), timedelta()])
@pytest.mark.parametrize("told", [("boot", 100.0), UNTOLD])
async def test_a_clock_that_jumps_ends_no_hold(
    database: Database, clock: FixedClock, jump: timedelta, told: tuple[str, float]
) -> None:
    """It is due when its seconds have passed, also for the next server; a machine that does not tell holds nothing longer."""
    held = HeldAnswers(database, clock, lambda: told)
    new = NewAnswer(
        "one", "thread", "card", "digest", {}, {"title": "Reply"}, clock.now() + timedelta(seconds=10)
    )
    answer = await held.hold(new)
    for passed in (0, 4, 9, 11, 80):
        at = (told[0], told[1] + passed) if told[0] else told
        later = replace(
            held, clock=FixedClock(clock.now() + jump + timedelta(seconds=passed)), uptime=lambda at=at: at
        )
        if told[0]:
            assert later.left(answer) == 10 - passed
        else:
            assert later.left(answer) == min(10, 10 - passed - jump.total_seconds())


async def test_an_answer_of_another_start_of_the_machine_is_as_old_as_the_clock_says(
    database: Database, clock: FixedClock
) -> None:
    """The seconds since a start are no measure across another one."""
    held = HeldAnswers(database, clock, lambda: ("first", 1_000.0))
    new = NewAnswer(
        "one", "thread", "card", "digest", {}, {"title": "Reply"}, clock.now() + timedelta(seconds=10)
    )
    answer = await held.hold(new)
    after = replace(
        held, clock=FixedClock(clock.now() + timedelta(hours=1)), uptime=lambda: ("second", 1_001.0)
    )
    assert after.left(answer) == 10 - 3600


async def test_an_answer_that_is_hurried_is_due_whatever_the_clock_says(
    database: Database, clock: FixedClock
) -> None:
    """And by no more than it was held."""
    held = HeldAnswers(database, clock, lambda: ("boot", 100.0))
    new = NewAnswer(
        "one", "thread", "card", "digest", {}, {"title": "Reply"}, clock.now() + timedelta(seconds=10)
    )
    await held.hold(new)
    jumped = replace(held, clock=FixedClock(clock.now() - timedelta(hours=1)), uptime=lambda: ("boot", 103.0))
    assert jumped.left(await jumped.hurry("one")) == -3
    assert [each.id for each in await jumped.take_due()] == ["one"]


def test_the_machine_tells_how_long_it_is_up() -> None:
    """In seconds that go on."""
    first, second = uptime(), uptime()
    assert first[0] == second[0]
    assert first[1] <= second[1]


async def test_what_failed_today_is_listed_though_it_was_given_yesterday(
    database: Database, clock: FixedClock
) -> None:
    """A server that stopped over midnight drops the answer in the morning: that is the news of this day."""
    held = HeldAnswers(database, clock)
    new = NewAnswer("one", "thread", "card", "digest", {}, {"title": "Reply"}, clock.now())
    await held.hold(new)
    morning = clock.now() + timedelta(hours=12)
    later = replace(held, clock=FixedClock(morning))
    await later.take_due()
    await later.end("one", AnswerState.dropped, "the server had stopped")
    assert [each.state for each in await later.since(morning - timedelta(hours=1))] == [AnswerState.dropped]
    assert await later.since(morning + timedelta(seconds=1)) == []
