"""Comparing two runs: the right p, a clear verdict, and no comparison of what cannot be compared."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from email_assistant.errors import InputError
from eval.answers import Answers, Given, read, write
from eval.compare import compared, verdict

ROOT = Path(__file__).parents[3]


def run(right: int, wrong: int, start: int = 0) -> dict[str, Given]:
    """That many right cases, then that many wrong ones, numbered on from `start`."""
    return {f"c{start + n}": Given(n < right, "x", "y") for n in range(right + wrong)}


def two(both: int, only_first: int, only_second: int, none: int) -> tuple[Answers, Answers]:
    """Two runs with a known table."""
    first, second = {}, {}
    cells = [(True, True)] * both + [(True, False)] * only_first
    cells += [(False, True)] * only_second + [(False, False)] * none
    for n, (one, other) in enumerate(cells):
        first[f"c{n:03}"], second[f"c{n:03}"] = Given(one, "a", "w"), Given(other, "b", "w")
    return Answers("triage", "rules", first), Answers("triage", "model", second)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        # Twice the tail of a fair coin: 2 * (1 + 11) / 2**11.
        ((40, 1, 10, 5), "Verdict: B is better (only A right: 1, only B right: 10; McNemar's exact p = 0.0117)."),
        ((40, 10, 1, 5), "Verdict: A is better (only A right: 10, only B right: 1; McNemar's exact p = 0.0117)."),
        # 2 * (1 + 7 + 21) / 2**7.
        ((40, 2, 5, 5), "Verdict: no difference can be told from these cases (only A right: 2, only B right: 5;"
         " McNemar's exact p = 0.4531)."),
        ((9, 0, 0, 9), "Verdict: the same cases are right in both (only A right: 0, only B right: 0; McNemar's exact p = 1.0000)."),
        ((0, 0, 30, 0), "Verdict: B is better (only A right: 0, only B right: 30; McNemar's exact p = below 0.0001)."),
    ],
)  # fmt: skip
def test_the_verdict_and_its_p(table: tuple[int, int, int, int], said: str) -> None:
    """The p is the exact one, worked out by hand."""
    assert verdict(*two(*table)) == said


def test_both_accuracies_and_the_cases_that_differ_are_told() -> None:
    """With their intervals; cases that are right or wrong in both are not listed."""
    text = compared(*two(6, 1, 2, 1))
    assert "- A: rules: 7 of 10 right, 70.0 % (39.7 to 89.2)" in text
    assert "- B: model: 8 of 10 right, 80.0 % (49.0 to 94.3)" in text
    assert "| c006 | a right | b wrong | w |" in text
    assert [line.split()[1] for line in text.splitlines() if line.startswith("| c")] == [
        "c006",
        "c007",
        "c008",
    ]


def test_only_cases_of_both_runs_count() -> None:
    """And how many were left out is said."""
    first = Answers("triage", "rules", run(4, 0))
    second = Answers("triage", "model", run(4, 0, start=2))
    text = compared(first, second)
    assert "2 of 2 right" in text
    assert "4 cases were answered in one run only" in text


def test_what_cannot_be_compared_is_refused() -> None:
    """Two suites, other labels, and runs without a case in common."""
    first, second = two(3, 1, 1, 1)
    with pytest.raises(InputError, match="two suites, triage and orders"):
        compared(first, Answers("orders", "model", second.cases))
    with pytest.raises(InputError, match="no case in common"):
        compared(first, Answers("triage", "model", {"other": Given(True)}))
    relabelled = {name: Given(each.right, each.answer, "v") for name, each in second.cases.items()}
    with pytest.raises(
        InputError, match=r"6 cases were labelled otherwise in the two runs \(c000, c001, c002, …\)"
    ):
        compared(first, Answers("triage", "model", relabelled))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """The name of a model is no path; a bare table of cases does as well."""
    path = write(
        Answers("triage", "m", {"a": Given(True, "ignore", "ignore")}), "openai:org/gpt-5.1", tmp_path
    )
    assert path == tmp_path / "answers-triage-openai-org-gpt-5.1.json"
    assert read(path) == Answers("triage", "m", {"a": Given(True, "ignore", "ignore")})
    (tmp_path / "bare.json").write_text('{"a": true, "b": false}')
    assert read(tmp_path / "bare.json").right == {"a": True, "b": False}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "this is not JSON"),
        ("[]", "wanted an object"),
        ('{"a": 1}', "case a: wanted true or false"),
        ('{"cases": {"a": {"right": "yes"}}}', "case a: wanted true or false"),
        (None, "No such file"),
    ],
)
def test_a_file_that_is_none_is_told_in_one_line(tmp_path: Path, text: str | None, problem: str) -> None:
    """With its name."""
    path = tmp_path / "answers.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=problem) as error:
        read(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_the_command(tmp_path: Path) -> None:
    """It prints the comparison; a missing file is one line and exit 1."""
    first, second = two(40, 1, 10, 5)
    paths = [write(first, "offline", tmp_path), write(second, "openai:x", tmp_path)]
    command = [sys.executable, "-m", "eval.compare"]
    done = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, "Verdict: B is better" in done.stdout) == (0, True), done.stderr
    paths[1].write_text(json.dumps({"cases": 3}))
    done = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
