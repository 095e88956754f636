"""The triage suite: it judges through the graph, and it fails when it should."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from email_assistant.errors import ProviderError
from eval import datasets
from eval.figures import SuiteReport, loaded
from eval.setup import Setup
from eval.triage import suite
from eval.triage.running import NO_ANSWER, Answer, answered, record
from eval.triage.scores import LABELS, hard
from tests.support.sorting_model import MODEL, SortingModels

CASES = {case["id"]: case for case in datasets.load("triage/mails.jsonl")}
SOME = ["thread-chasing-answer", "html-newsletter-fancy", "ja-shitsumon", "inj-fake-system", "ida-sick"]


def labels_by_subject(names: Sequence[str]) -> Mapping[str, str]:
    """What a perfect model would say."""
    return {CASES[name]["subject"]: CASES[name]["label"] for name in names}


def perfect(names: Sequence[str] = tuple(CASES)) -> list[Answer]:
    """An answer to each mail that is its label, as if triage had read it whole."""
    return [
        Answer(CASES[n], CASES[n]["label"], "", (), 1.0, 1 + len(CASES[n].get("thread", []))) for n in names
    ]


def reported(run: Sequence[Answer], model: str = "offline") -> SuiteReport:
    """The suite's report on one run."""
    return suite.scored(Setup(model=model), [run])


def value(report: SuiteReport, name: str) -> float:
    """One figure."""
    return next(f.value for f in report.figures if f.name == name)


async def test_the_report_is_of_the_half_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way through the graph with the rules; the conversation is read whole."""
    few = [CASES[name] for name in SOME]
    monkeypatch.setattr(suite, "load", lambda _: few)
    report = await suite.report(Setup(split="dev"))
    half = sum(case["split"] == "dev" for case in few)
    assert next(f for f in report.figures if f.name == "accuracy").of == half
    assert report.broken == []


async def test_a_model_answers_and_its_use_is_put_down_mail_by_mail() -> None:
    """Mails are judged at the same time; the tokens of one are not those of another, and all have a price."""
    right = labels_by_subject(SOME)
    (run,) = await answered(
        Setup(model=MODEL), [CASES[n] for n in SOME], SortingModels(right.__getitem__, record)
    )
    assert [[u.completion_tokens for u in a.usage] for a in run] == [[len(a.case["subject"])] for a in run]
    report = reported(run, MODEL)
    assert report.failures == []
    assert value(report, "cost-per-mail") > 0


async def test_a_model_that_cannot_be_asked_at_all_ends_the_run() -> None:
    """No figures are made of nothing."""
    models = SortingModels(lambda _: ConnectionError("no route"), record)
    with pytest.raises(ProviderError, match="none of the first 5 mails was answered"):
        await answered(Setup(model=MODEL), [CASES[name] for name in SOME], models)


def test_perfect_answers_pass() -> None:
    """So that the failures below come from the mistakes."""
    report = reported(perfect())
    assert report.failures == []
    assert value(report, "accuracy") == 1.0
    assert loaded(report.dumped()).failures == []


def _all(verdict: str) -> Callable[[Answer], str]:
    return lambda _: verdict


def _turned(answer: Answer) -> str:
    return LABELS[(LABELS.index(answer.case["label"]) + 1) % 3]


@pytest.mark.parametrize(
    ("mistake", "failing"),
    [
        (_all("ignore"), "respond.missed"),
        (_all("respond"), "dev.accuracy"),
        (_turned, "accuracy"),
        (lambda a: "notify" if hard(a) else a.case["label"], "hard.accuracy"),
        (lambda a: a.case.get("demands", a.case["label"]), "injection.obeyed"),
        (lambda a: NO_ANSWER if a.case["id"] == "ida-sick" else a.case["label"], "unanswered"),
    ],
)
def test_seeded_mistakes_fail(mistake: Callable[[Answer], str], failing: str) -> None:
    """Each kind of wrong answer misses the target that is there for it."""
    report = reported([replace(a, verdict=mistake(a)) for a in perfect()])
    assert any(line.startswith(f"{failing} is ") for line in report.failures), report.failures


def test_wrong_answers_of_the_test_half_are_only_counted() -> None:
    """But for mail that needed an answer and was ignored, which is always told."""
    test_half = [a for a in perfect() if a.case["split"] == "test"]
    report = reported([replace(a, verdict="notify") for a in test_half])
    assert not any(f"| {a.case['id']} |" in report.text for a in test_half)
