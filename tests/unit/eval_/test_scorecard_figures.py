"""Figures, their intervals, the locked data and the baseline: right on known cases, and every one of them can fail."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from email_assistant.errors import InputError
from eval import datasets
from eval.figures import Figure, SuiteReport, loaded
from eval.intervals import coverage_and_risk, pass_hat_k, share, wilson
from eval.scorecard import regressions

REPORT = SuiteReport(
    "a script",
    [Figure("test.accuracy", 0.9, target=0.85), Figure("effects", 0, "count", "lower", target=0)],
    "| a |\n|---|\n| 1 |",
)


def test_a_report_comes_back_from_json_as_it_was() -> None:
    """With its targets, so that it fails as it did."""
    back = loaded(replace(REPORT, broken=["a mail left"]).dumped())
    assert back.failures == ["a mail left"]
    assert loaded(REPORT.dumped()).dumped() == REPORT.dumped()


def test_a_suite_fails_by_a_missed_target_or_by_what_must_not_happen() -> None:
    """In the direction that is worse, and in no other."""
    low = replace(REPORT, figures=[Figure("accuracy", 0.84, target=0.85)])
    one = replace(REPORT, figures=[Figure("effects", 1, "count", "lower", target=0)])
    assert REPORT.failures == []
    assert low.failures == ["accuracy is 84.0 %, wanted 85.0 %"]
    assert one.failures == ["effects is 1, wanted 0"]
    assert replace(REPORT, broken=["a mail left"]).failures == ["a mail left"]


def test_intervals_of_known_cases() -> None:
    """Wilson (1927), pass^k by hand."""
    assert [round(each, 3) for each in wilson(8, 10)] == [0.490, 0.943]
    assert share("a", 0, 0).told() == "0.0 % (0.0 to 100.0)"
    assert pass_hat_k([4, 2, 0], runs=4, k=1) == pytest.approx(0.5)
    assert pass_hat_k([4, 2, 0], runs=4, k=2) == pytest.approx((1 + 1 / 6) / 3)
    assert coverage_and_risk([(0.9, True), (0.9, False), (0.5, True), (0.5, True)]) == [
        (0.9, 0.5, 0.5),
        (0.5, 1.0, 0.25),
    ]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data with one locked file."""
    monkeypatch.setattr(datasets, "HERE", tmp_path)
    monkeypatch.setattr(datasets, "LOCK", tmp_path / "datasets.lock.json")
    lines = [{"id": "a", "split": "dev", "text": "ä"}, {"id": "b", "split": "test", "text": "b"}]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["datasets", "x.jsonl"])
    datasets.main()
    return tmp_path / "x.jsonl"


def test_the_test_half_is_locked_and_the_other_is_not(data: Path) -> None:
    """Whatever the order of lines and the white space."""
    dev, test = data.read_text(encoding="utf-8").splitlines()
    data.write_text(f"{test.replace(':', ' :')}\n{dev}", encoding="utf-8")
    assert [case["id"] for case in datasets.split(datasets.load("x.jsonl"), "test")] == ["b"]
    data.write_text(f"{dev.replace('e4', 'e5')}\n{test}", encoding="utf-8")
    assert len(datasets.load("x.jsonl")) == 2
    changed = test.replace('"b"}', '"c"}')
    data.write_text(f"{dev}\n{changed}", encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.jsonl: the test half is not the one in datasets\.lock\.json"):
        datasets.load("x.jsonl")


def test_every_locked_file_is_what_was_locked() -> None:
    """Of this checkout; a file that is no longer there would be a lock for nothing."""
    for name in json.loads(datasets.LOCK.read_text(encoding="utf-8")):
        assert datasets.load(name)


def test_a_worse_exact_figure_is_a_regression_and_a_better_or_timed_one_is_not() -> None:
    """A figure that is gone counts, too: otherwise a check could be dropped in silence."""
    known = {"test.accuracy": 0.9, "effects": 0, "ms": 10, "gone": 1}
    now = [
        Figure("test.accuracy", 0.89),
        Figure("effects", 1, "count", "lower"),
        Figure("ms", 99, "ms", "lower", exact=False),
    ]
    told = regressions(SuiteReport("rules", now), known)
    assert [line.split(" ")[0] for line in told] == ["gone", "test.accuracy", "effects"]
    better = [
        Figure("test.accuracy", 0.95),
        Figure("effects", 0, "count", "lower"),
        Figure("ms", 5, "ms", "lower"),
        Figure("gone", 1),
    ]
    assert regressions(SuiteReport("rules", better), known) == []
