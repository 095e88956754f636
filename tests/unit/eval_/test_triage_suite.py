"""The triage suite: it judges through the graph, it counts rightly, and it fails when it should."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from email_assistant.errors import InputError, ProviderError
from eval import answers, datasets
from eval.figures import SuiteReport, loaded
from eval.mails import raw_messages
from eval.setup import Setup
from eval.triage import suite
from eval.triage.running import NO_ANSWER, Answer, answered, record
from eval.triage.scores import LABELS, hard
from tests.support.sorting_model import MODEL, SortingModels

DATA = "triage/mails.jsonl"
CASES = {case["id"]: case for case in datasets.load(DATA)}
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


async def test_the_rules_judge_through_the_graph() -> None:
    """Conversations are read whole, and each mail is one call of the rules."""
    (run,) = await answered(Setup(), [CASES[name] for name in SOME])
    assert [a.case["id"] for a in run] == SOME
    assert {a.verdict for a in run} <= set(LABELS)
    assert run[0].messages == 3
    assert suite.torn(run) == []
    assert [[u.model for u in a.usage] for a in run] == [["offline"]] * len(SOME)
    assert all(0 < a.outside_ms < 60_000 and a.reason for a in run)


async def test_a_model_answers_and_its_use_is_put_down_mail_by_mail() -> None:
    """Mails are judged at the same time; the tokens of one are not those of another, and all have a price."""
    right = labels_by_subject(SOME)
    (run,) = await answered(
        Setup(model=MODEL), [CASES[n] for n in SOME], SortingModels(right.__getitem__, record)
    )
    assert all(a.right for a in run)
    assert [[u.completion_tokens for u in a.usage] for a in run] == [[len(a.case["subject"])] for a in run]
    report = reported(run, MODEL)
    assert report.failures == []
    assert value(report, "prompt-tokens-per-mail") == 1000
    assert value(report, "cost-per-mail") > 0


async def test_a_model_that_ignores_everything_fails() -> None:
    """The mails that need an answer are told by name."""
    (run,) = await answered(
        Setup(model=MODEL), [CASES[name] for name in SOME], SortingModels(lambda _: "ignore", record)
    )
    report = reported(run, MODEL)
    assert any(line.startswith("respond.missed is 100.0 %") for line in report.failures)
    assert "| thread-chasing-answer | respond:" in report.text


async def test_a_mail_without_an_answer_is_wrong_and_fails_the_suite() -> None:
    """An answer that is no verdict is asked for once more, then it counts as none."""
    right = dict(labels_by_subject(SOME)) | {CASES["ida-sick"]["subject"]: "maybe"}
    models = SortingModels(right.__getitem__, record)
    (run,) = await answered(Setup(model=MODEL), [CASES[name] for name in SOME], models)
    assert [a.verdict for a in run if not a.right] == [NO_ANSWER]
    assert len(run[-1].usage) == 2
    assert reported(run, MODEL).failures == ["unanswered is 1, wanted 0"]


async def test_a_model_that_cannot_be_asked_at_all_ends_the_run() -> None:
    """No figures are made of nothing."""
    models = SortingModels(lambda _: ConnectionError("no route"), record)
    with pytest.raises(ProviderError, match="none of the first 5 mails was answered"):
        await answered(Setup(model=MODEL), [CASES[name] for name in SOME], models)


async def test_repeats_ask_anew_and_tell_pass_k() -> None:
    """A model that is right every second time passes once in two runs, and never twice."""
    right = labels_by_subject(SOME)
    asked: Counter[str] = Counter()

    def wavering(subject: str) -> str:
        asked[subject] += 1
        return right[subject] if asked[subject] % 2 else "ignore"

    names = SOME[2:]  # No label of these is ignore.
    runs = await answered(
        Setup(model=MODEL, repeats=2), [CASES[n] for n in names], SortingModels(wavering, record)
    )
    report = suite.scored(Setup(model=MODEL, repeats=2), runs)
    assert set(asked.values()) == {2}
    assert (value(report, "pass-hat-1"), value(report, "pass-hat-2")) == (0.5, 0.0)
    assert value(report, "accuracy") == 1.0


def test_perfect_answers_pass() -> None:
    """So that the failures below come from the mistakes."""
    report = reported(perfect())
    assert report.failures == []
    assert value(report, "accuracy") == 1.0
    assert value(report, "cards-per-100") == value(report, "cards-per-100.by-labels")
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
        (lambda a: "ignore" if "deadline" in a.case["tags"] else a.case["label"], "respond.missed"),
    ],
)
def test_seeded_mistakes_fail(mistake: Callable[[Answer], str], failing: str) -> None:
    """Each kind of wrong answer misses the target that is there for it."""
    report = reported([replace(a, verdict=mistake(a)) for a in perfect()])
    assert any(line.startswith(f"{failing} is ") for line in report.failures), report.failures


def test_half_a_conversation_is_told() -> None:
    """A figure on another mail than the one labelled would be worth nothing."""
    whole = perfect(["thread-chasing-answer"])
    assert suite.torn(whole) == []
    assert suite.torn([replace(whole[0], messages=1)]) == [
        "thread-chasing-answer: triage read 1 messages of a conversation of 3"
    ]


def test_wrong_answers_of_the_test_half_are_only_counted() -> None:
    """But for mail that needed an answer and was ignored, which is always told."""
    test_half = [a for a in perfect() if a.case["split"] == "test"]
    report = reported([replace(a, verdict="notify") for a in test_half])
    assert not any(f"| {a.case['id']} |" in report.text for a in test_half)


async def test_the_report_writes_its_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The whole way, on four mails of the dev half."""
    few = [case for case in CASES.values() if case["split"] == "dev"][:4]
    monkeypatch.setattr(suite, "load", lambda _: few)
    monkeypatch.setattr(answers, "REPORT", tmp_path)
    report = await suite.report(Setup(split="dev"))
    assert value(report, "unanswered") == 0
    given = answers.read(tmp_path / "answers-triage-offline-dev.json")
    assert set(given.cases) == {case["id"] for case in few}
    assert sum(given.right.values()) == round(value(report, "accuracy") * 4)


def test_a_changed_test_half_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A label of the test half that was turned is seen; one of the dev half may be."""
    lines = (datasets.HERE / DATA).read_text(encoding="utf-8").splitlines()
    (tmp_path / "triage").mkdir()
    monkeypatch.setattr(datasets, "HERE", tmp_path)

    def turned(half: str) -> None:
        changed = [json.loads(line) for line in lines]
        case = next(c for c in changed if c["split"] == half)
        case["label"] = LABELS[LABELS.index(case["label"]) - 1]
        (tmp_path / DATA).write_text("\n".join(json.dumps(c) for c in changed), encoding="utf-8")

    turned("dev")
    datasets.load(DATA)
    turned("test")
    with pytest.raises(InputError, match="the test half is not the one"):
        datasets.load(DATA)


def test_the_data_are_what_the_docs_say() -> None:
    """Labels with reasons, both halves alike, many hard mails, no address of anybody real."""
    labels = Counter(case["label"] for case in CASES.values())
    assert set(labels) == set(LABELS)
    assert max(labels.values()) / len(CASES) < 0.4
    assert len(CASES) >= 160
    assert sum(hard(a) for a in perfect()) >= 80
    halves = [Counter(c["label"] for c in datasets.split(CASES.values(), half)) for half in datasets.SPLITS]
    assert all(abs(halves[0][label] - halves[1][label]) <= 2 for label in LABELS)
    for case in CASES.values():
        assert case["reason"].endswith(".")
        assert case["tags"]
        assert case.get("demands", "") != case["label"]
        assert len(raw_messages(case)) == 1 + len(case.get("thread", []))
        domains = re.findall(r"@([\w.-]+\w)", json.dumps(case, ensure_ascii=False))
        assert domains
        assert all(d.endswith((".example", ".test")) for d in domains if "." in d), (case["id"], domains)
