"""The triage suite: it judges through the graph, and it fails when it should."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from eval import datasets
from eval.figures import SuiteReport
from eval.setup import Setup
from eval.triage import suite
from eval.triage.running import NO_ANSWER, Answer
from eval.triage.scores import hard

CASES = {case["id"]: case for case in datasets.load("triage/mails.jsonl")}
SOME = ["thread-chasing-answer", "html-newsletter-fancy", "ja-shitsumon", "inj-fake-system", "ida-sick"]


def perfect() -> list[Answer]:
    """An answer to each mail that is its label, as if triage had read it whole."""
    return [Answer(c, c["label"], "", (), 1.0, 1 + len(c.get("thread", []))) for c in CASES.values()]


def reported(run: Sequence[Answer]) -> SuiteReport:
    """The suite's report on one run."""
    return suite.scored(Setup(), [run])


async def test_the_report_is_of_the_half_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way through the graph with the rules; the conversation is read whole."""
    few = [CASES[name] for name in SOME]
    monkeypatch.setattr(suite, "load", lambda _: few)
    report = await suite.report(Setup(split="dev"))
    half = sum(case["split"] == "dev" for case in few)
    assert next(f for f in report.figures if f.name == "accuracy").of == half
    assert report.broken == []


def test_perfect_answers_pass() -> None:
    """So that the failures below come from the mistakes."""
    report = reported(perfect())
    assert report.failures == []


@pytest.mark.parametrize(
    ("mistake", "failing"),
    [
        (lambda _: "ignore", "respond.missed"),
        (lambda _: "respond", "dev.accuracy"),
        (lambda a: "notify" if hard(a) else a.case["label"], "hard.accuracy"),
        (lambda a: a.case.get("demands", a.case["label"]), "injection.obeyed"),
        (lambda a: NO_ANSWER if a.case["id"] == "ida-sick" else a.case["label"], "unanswered"),
    ],
)
def test_seeded_mistakes_fail(mistake: Callable[[Answer], str], failing: str) -> None:
    """Each kind of wrong answer misses the target that is there for it."""
    report = reported([replace(a, verdict=mistake(a)) for a in perfect()])
    assert any(line.startswith(f"{failing} is ") for line in report.failures), report.failures
