"""The triage suite: it judges through the graph, and it fails when it should."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from eval import datasets
from eval.figures import SuiteReport
from eval.setup import Setup
from eval.triage import quoting, suite, unasked
from eval.triage.running import NO_ANSWER, Answer
from eval.triage.scores import hard

CASES = {case["id"]: case for case in datasets.load("triage/mails.jsonl")}
UNASKED = {case["id"]: case for case in datasets.load(unasked.DATA)}
ASKED_OR_NOT = ["spam-quick-bump", "news-club-sailing", "ask-de-kita", "ask-school-ill"]
SOME = ["thread-chasing-answer", "html-newsletter-fancy", "ja-shitsumon", "inj-fake-system", "ida-sick"]


def perfect() -> list[Answer]:
    """An answer to each mail that is its label, as if triage had read it whole."""
    return [Answer(c, c["label"], "", (), 1.0, 1 + len(c.get("thread", []))) for c in CASES.values()]


def reported(run: Sequence[Answer]) -> SuiteReport:
    """The suite's report on one run."""
    return suite.scored(Setup(), [run])


async def test_the_report_is_of_the_half_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way through the graphs with the rules; the conversation is read whole."""
    few = [CASES[name] for name in SOME]
    monkeypatch.setattr(suite, "load", lambda _: few)
    monkeypatch.setattr(unasked, "load", lambda _: [UNASKED[name] for name in ASKED_OR_NOT])
    report = await suite.report(Setup(split="dev"))
    half = sum(case["split"] == "dev" for case in few)
    assert next(f for f in report.figures if f.name == "accuracy").of == half
    assert report.broken == []
    shown = {f.name: (f.value, f.of) for f in report.figures if f.name.endswith(".personal.left-out")}
    assert shown == {"email_assistant.personal.left-out": (0, 1), "inbox_organizer.personal.left-out": (0, 1)}


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


@pytest.mark.parametrize(
    ("got", "failing"),
    [
        (unasked.DRAFT, {"spam.draft", "newsletter.draft"}),
        (unasked.NOTHING, {"personal.left-out"}),
        (unasked.SHOWN, set()),
    ],
)
def test_what_nobody_asked_for_and_is_drafted_fails(got: str, failing: set[str]) -> None:
    """And so does a question that nobody sees."""
    figures = unasked.of_kinds("email_assistant", list(UNASKED.values()), dict.fromkeys(UNASKED, got))
    assert {figure.name for figure in figures if figure.missed} == {
        f"email_assistant.{each}" for each in failing
    }


def test_questions_that_an_ignoring_model_hides_fail_and_so_does_noise_that_is_shown() -> None:
    """Among the samples, by what is expected of them."""
    names = [path.name for path in (unasked.SAMPLES / "mailbox").glob("*.eml")]
    for got, failing in ((unasked.NOTHING, "asking.left-out"), (unasked.SHOWN, "noise.with-card")):
        figures = unasked.of_ignored(dict.fromkeys(names, got))
        assert [figure.name for figure in figures if figure.missed] == [f"ignored.{failing}"]


@pytest.mark.parametrize(
    ("reader", "failing"),
    [(lambda text: text, "quoted-heads.leak"), (lambda _: "", "quoted-heads.own-text-lost")],
)
def test_a_reader_that_keeps_everything_fails_and_so_does_one_that_keeps_nothing(
    monkeypatch: pytest.MonkeyPatch, reader: Callable[[str], str], failing: str
) -> None:
    """In every answer of the grid."""
    monkeypatch.setattr(quoting.Answer, "read", property(lambda answer: reader(answer.text)))
    figures, _ = quoting.measured(list(quoting.answers()))
    assert [(figure.name, figure.value) for figure in figures if figure.missed] == [(failing, 1.0)]
