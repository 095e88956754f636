"""The organizer's suite: the real organizer on a few of its mails, and faults that it has to see."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from email_assistant.review.action import Policy
from eval.datasets import load
from eval.figures import Figure, SuiteReport
from eval.organizer import suite
from eval.organizer.running import Outcome
from eval.setup import Setup

CASES = load(suite.DATASET)
SURE = Outcome("", 0.9, "model", "low", True, False, (), None, (), (), (), 1.0)


def named(*tags: str, of: int = 1) -> list[dict[str, Any]]:
    """The first mails with all of these tags."""
    found = [case for case in CASES if set(tags) <= set(case["tags"])]
    assert len(found) >= of, tags
    return found[:of]


def perfect(case: dict[str, Any]) -> Outcome:
    """What an organizer without fault would make of a case."""
    wanted = case.get("event")
    event = None
    if isinstance(wanted, dict):
        event = {"start": "", "end": "", "location": wanted.get("place", "")}
        event |= {name: f"{wanted[name]}+01:00" if "T" in wanted[name] else wanted[name]
                  for name in ("start", "end") if name in wanted}  # fmt: skip
    doubted = bool(case.get("in_doubt"))
    return replace(
        SURE,
        category=case["category"] or "Important",
        confidence=0.95,
        level=case["importance"],
        by_itself=not doubted,
        in_doubt=doubted,
        event=event,
        lists=(case["leave"],) if case.get("leave") else (),
    )


def reported(outcomes: Sequence[Outcome]) -> SuiteReport:
    """The report on an outcome for each case of the data set."""
    return suite.scored(CASES, [outcomes], Setup())


def figure(report: SuiteReport, name: str) -> Figure:
    """One of its figures."""
    return next(each for each in report.figures if each.name == name)


def organized(cases: Sequence[dict[str, Any]]) -> list[Outcome]:
    """The cases through the real organizer with the offline rules."""
    return asyncio.run(suite.run(cases, Setup()))


def test_an_organizer_without_fault_passes() -> None:
    """All of what is wanted is reached, and nothing is broken."""
    report = reported([perfect(case) for case in CASES])
    assert report.failures == []
    for half in ("dev", "test"):
        for name in ("category.accuracy", "category.macro-f1", "importance.accuracy", "priority.recall", "event.all-fields"):  # fmt: skip
            assert figure(report, f"{half}.{name}").value == 1.0, name


async def test_the_report_is_of_the_half_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole, from the data to its figures, through the real organizer; its guards hold."""
    few = [*named("leave"), *named("forged"), *named("calendar")]
    monkeypatch.setattr(suite, "load", lambda _: few)
    half = few[0]["split"]
    report = await suite.report(Setup(split=half))
    assert report.broken == []
    assert figure(report, "calls-per-mail").of == sum(case["split"] == half for case in few)


def test_a_gate_that_is_taken_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """When a doubtful sender's mail is labelled by itself, and when a person is never asked."""
    monkeypatch.setattr(
        "email_assistant.workflows.inbox_organizer.sorting.policy_for", lambda *_: Policy.AUTO
    )
    monkeypatch.setattr("email_assistant.workflows.inbox_organizer.sorting.ASK_BELOW", 0.0)
    cases = [*named("forged"), *named("cold", of=4)]
    report = suite.scored(cases, [organized(cases)], Setup())
    assert any("sender in doubt" in line for line in report.broken)
    assert any("confidence" in line for line in report.broken)
