"""The response suite: a good run passes, and each seeded fault fails the item that is there for it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from email_assistant.models.runner import Models
from email_assistant.models.settings import OFFLINE, ModelSettings
from eval.response import suite
from eval.response.case import cases
from eval.response.checklist import broken, checklist
from eval.response.running import Trajectory, run
from eval.setup import Setup

CASES = {case.id: case for case in cases()}
MEETING = "meet-half-hour"
BOOK = ("schedule_meeting", {"title": "Call", "attendees": ["jonas@bley-cafe.example"],
        "start": "2026-11-24T10:00", "end": "2026-11-24T10:30"})  # fmt: skip


class Scripted(Models):
    """Models that make these calls, a turn each, and then `Done`."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        super().__init__(ModelSettings(fast=OFFLINE, strong=OFFLINE))
        object.__setattr__(self, "_calls", [*calls, ("Done", {})])

    async def turn(self, call: Any, inputs: Any, messages: Sequence[BaseMessage], tools: Any) -> AIMessage:
        """The next scripted turn."""
        at = sum(isinstance(message, AIMessage) for message in messages)
        name, args = self._calls[at]  # type: ignore[attr-defined]
        return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"scripted_{at}"}])


def letter(body: str) -> tuple[str, dict[str, Any]]:
    """A call that answers the sender."""
    return "send_email", {"body": f"Hello,\n\nthank you for your mail. {body}\n\nRobin", "reply_all": False}


async def played(name: str, *calls: tuple[str, dict[str, Any]]) -> Trajectory:
    """The case with a model that makes these calls."""
    return await run(CASES[name], Scripted(*calls), [])


def wrong(found: Trajectory) -> set[str]:
    """The items that are not right."""
    return {name for name, right in checklist(found).items() if not right}


async def test_a_good_answer_passes_and_each_fault_of_it_is_seen() -> None:
    """Not in the time wanted, at a time that is taken, in another language, without its facts, without an end."""
    good = await played(MEETING, BOOK, letter("We talk on 24 November at 10:00."))
    assert wrong(good) == set()
    assert broken(good) == []
    (event,) = good.events
    late = replace(event, start=event.start + timedelta(days=1), end=event.end + timedelta(days=1))
    assert wrong(replace(good, events=(late,))) == {"time"}
    assert wrong(replace(good, before=(replace(event, title="Before"),))) == {"time"}
    assert wrong(replace(good, finished=False)) == {"came-to-an-end"}
    german = await played(
        MEETING, letter("Vielen Dank, ich freue mich auf das Gespräch mit Ihnen, und bis bald.")
    )
    assert wrong(german) >= {"facts-are-said", "language"}


async def test_a_card_that_hides_a_gap_breaks_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shown twice: the first accept of a text with a gap asks again."""
    monkeypatch.setattr("email_assistant.tools.sending.gap_warnings", lambda *_: ())
    monkeypatch.setattr("email_assistant.review.card_view._gaps", lambda *_: ())
    found = await played("ask-quote", letter("The price for that is [confirm: the price]."))
    report = suite.scored(Setup(), [[found]])
    assert "ask-quote: a card does not say that its text has a gap" in report.broken
    assert any(line.startswith("effects.broken is ") for line in report.failures)


async def test_the_report_has_the_figures_of_both_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """With rules, twice: pass^k, too."""
    monkeypatch.setattr(suite, "cases", lambda: [CASES["plain-address"], CASES["plain-saturday"]])
    made = await suite.report(Setup(repeats=2))
    figures = {figure.name: figure for figure in made.figures}
    assert made.failures == []
    assert {"dev.right", "test.right", "dev.pass-hat-2", "effects.broken"} <= figures.keys()
    assert not figures["outside-model.p50"].exact
