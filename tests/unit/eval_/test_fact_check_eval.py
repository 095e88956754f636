"""The measured figures of the fact check are good enough, and what docs/fact_check.md says."""

from pathlib import Path

import pytest

from eval.fact_drafts import HALVES, Half, examples, templates
from eval.intervals import wilson
from tests.support.measuring import report_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "fact_check.md"
pytestmark = pytest.mark.xdist_group("figures-facts")


def value(name: str) -> float:
    """A figure of the suite."""
    return {figure.name: figure.value for figure in report_of("facts").figures}[name]


@pytest.mark.parametrize("half", HALVES)
def test_enough_is_caught_and_little_complained_of(half: Half) -> None:
    """At least 95 of 100 changes, at most 5 of 100 claims without cause."""
    assert value(f"{half}.wrong-facts-caught") >= 0.95
    assert value(f"{half}.false-alarms") <= 0.05


def test_the_page_has_the_figures_that_are_printed() -> None:
    """The report has the tables that `python -m eval.fact_check` prints, and so has docs/fact_check.md."""
    tables = [line for line in report_of("facts").text.splitlines() if line.startswith("|")]
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert len(tables) > 20
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
