"""Whatever is taken back, hurried and restarted, and when: what was undone is never begun, and a card has one open answer."""

import asyncio
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from email_assistant.journal.database import Database
from email_assistant.journal.held_answers import AnswerState, HeldAnswer, HeldAnswers, NewAnswer

CARDS = st.sampled_from(["one", "two", "three"])


class MovedClock:
    """A clock that the machine moves."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 11, 20, tzinfo=UTC)

    def now(self) -> datetime:
        """Its instant."""
        return self.instant


class HeldAnswersMachine(RuleBasedStateMachine):
    """Three cards, answered and taken back in any order, by tabs and servers that come and go."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.loop = asyncio.new_event_loop()
        self.ids, self.clock = count(1), MovedClock()
        self.known: list[str] = []
        self.begun: set[str] = set()
        self.at_work: set[str] = set()
        self.undone: set[str] = set()
        self.promised: dict[str, datetime] = {}

    @initialize()
    def open(self) -> None:
        """Nothing is held."""
        self.database = Database(f"sqlite:///{Path(self.folder.name) / 'journal.db'}")
        self.held = HeldAnswers(self.database, self.clock)

    @rule(card=CARDS, seconds=st.integers(0, 30))
    def hold(self, card: str, seconds: int) -> None:
        """Another answer is another one only if the card has none that is open."""
        new_id = f"answer-{next(self.ids)}"
        due = self.clock.now() + timedelta(seconds=seconds)
        new = NewAnswer(new_id, f"thread-{card}", card, "digest", {"type": "accept"}, {"title": card}, due)
        before = self.open_of(card)
        held = self.loop.run_until_complete(self.held.hold(new))
        assert held.id == (before[0].id if before else new_id)
        if not before:
            self.known.append(new_id)
            self.promised[new_id] = due

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        """It says undone only of what no run has had, and ever will."""
        answer_id = data.draw(st.sampled_from(self.known))
        told = self.loop.run_until_complete(self.held.undo(answer_id))
        assert (told.state is AnswerState.undone) == (answer_id not in self.begun)
        if told.state is AnswerState.undone:
            self.undone.add(answer_id)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def hurry(self, data: st.DataObject) -> None:
        """Now."""
        answer_id = data.draw(st.sampled_from(self.known))
        told = self.loop.run_until_complete(self.held.hurry(answer_id))
        if told.state is AnswerState.held:
            assert told.due <= self.clock.now()
            self.promised[answer_id] = told.due

    @rule()
    def release(self) -> None:
        """Nothing is begun before its time, nothing twice while a server lives, and nothing that was taken back."""
        for taken in self.loop.run_until_complete(self.held.take_due()):
            assert taken.id not in self.at_work | self.undone
            assert self.promised[taken.id] <= self.clock.now()
            assert (taken.begun_at is None) == (taken.id not in self.begun)
            self.begun.add(taken.id)
            self.at_work.add(taken.id)

    @precondition(lambda self: self.at_work)
    @rule(
        data=st.data(), state=st.sampled_from([AnswerState.done, AnswerState.failed, AnswerState.elsewhere])
    )
    def end(self, data: st.DataObject, state: AnswerState) -> None:
        """Something came of it."""
        answer_id = data.draw(st.sampled_from(sorted(self.at_work)))
        self.loop.run_until_complete(self.held.end(answer_id, state))
        self.at_work.discard(answer_id)
        assert self.loop.run_until_complete(self.held.get(answer_id)).state is state

    @rule()
    def restart(self) -> None:
        """A server dies, and the next one takes up what it was at work on."""
        self.loop.run_until_complete(self.held.take_up())
        self.at_work.clear()

    @rule(seconds=st.integers(1, 90))
    def wait(self, seconds: int) -> None:
        """Time passes."""
        self.clock.instant += timedelta(seconds=seconds)

    @invariant()
    def one_open_answer_a_card(self) -> None:
        """And it is on the list."""
        for card in ("one", "two", "three"):
            if self.known:
                assert len(self.open_of(card)) <= 1

    def open_of(self, card: str) -> list[HeldAnswer]:
        """The card's open answers."""
        listed = self.loop.run_until_complete(self.held.since(self.clock.now() + timedelta(days=1)))
        return [each for each in listed if each.interrupt_id == card and each.is_open]

    def teardown(self) -> None:
        """Close what was opened."""
        self.loop.run_until_complete(self.database.close())
        self.loop.close()
        self.folder.cleanup()


HeldAnswersMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=40)
TestHeldAnswers = HeldAnswersMachine.TestCase


@pytest.mark.parametrize("number", [30])
async def test_many_tabs_at_one_moment_hold_one_answer(database_url: str, number: int) -> None:
    """Each is told the one that is held."""
    clock = MovedClock()
    database = Database(database_url)
    held = HeldAnswers(database, clock)
    news = [
        NewAnswer(f"answer-{n}", "thread", "card", "digest", {"type": "accept"}, {}, clock.now())
        for n in range(number)
    ]
    found = await asyncio.gather(*map(held.hold, news))
    assert len({each.id for each in found}) == 1
    taken, undone = await asyncio.gather(held.take_due(), held.undo(found[0].id))
    assert (len(taken) == 1) is not (undone.state is AnswerState.undone)
    await database.close()
