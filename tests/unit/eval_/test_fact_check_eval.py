"""The measured figures of the fact check stay what docs/fact_check.md says."""

from functools import cache
from pathlib import Path

import pytest

from eval import fact_check, fact_replies
from eval.fact_check import Figures, measure, section
from eval.fact_drafts import HALVES, Half, examples, templates
from eval.intervals import wilson

PAGE = Path(__file__).resolve().parents[3] / "docs" / "fact_check.md"


@cache
def figures(half: Half) -> Figures:
    """The figures, measured once."""
    return measure(half)


@pytest.mark.parametrize("half", HALVES)
def test_enough_is_caught_and_little_complained_of(half: Half) -> None:
    """At least 95 of 100 changes, at most 5 of 100 claims without cause."""
    found = figures(half)
    answers = [answer for values in found.caught.values() for answer in values]
    assert sum(answers) / len(answers) >= 0.95
    assert len(found.alarms) / found.claims <= 0.05


@pytest.mark.parametrize("part", fact_replies.PARTS)
def test_what_commits_goes_to_a_person(part: str) -> None:
    """At least 95 of 100, in words that no rule was made for, too."""
    asked = fact_replies.measure(part)
    assert asked.committing - len(asked.passed) >= 0.95 * asked.committing > 0


def test_the_page_has_the_figures_that_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m eval.fact_check` prints the tables of docs/fact_check.md."""
    monkeypatch.setattr(fact_check, "measure", figures)
    tables = [line for line in section().splitlines() if line.startswith("|")]
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line for line in tables if line not in page] == []


def test_the_halves_share_no_template_and_the_drafts_are_many() -> None:
    """At least two hundred drafts; the same seed makes the same ones."""
    drafts = {half: [right.draft for right, _ in examples(half)] for half in HALVES}
    assert sum(map(len, drafts.values())) >= 200
    assert not {t["draft"] for t in templates("dev")} & {t["draft"] for t in templates("test")}
    assert drafts["dev"] == [right.draft for right, _ in examples("dev")]


def test_the_interval_is_wilsons() -> None:
    """Known values; a share of one still has a lower end below one."""
    low, high = wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.49, 0.943)
    assert wilson(5, 5)[0] < 0.6
