"""The committed figures: every suite has some, `make test-all` measures the quick ones and `make soak` all, and pages say the same."""

import re

import pytest

from eval.scorecard import BEGIN, END, PAGE, baseline, regressions
from eval.suites import SUITES
from tests.support.dev_server import ROOT
from tests.support.measuring import report_of

EACH = [
    pytest.param(
        name, marks=[pytest.mark.xdist_group(f"figures-{name}")] if suite.quick else [pytest.mark.soak]
    )
    for name, suite in SUITES.items()
]
_QUOTED = re.compile(r"(?P<name>[a-z0-9][\w.-]+) (?P<value>[\d,]+(?:\.\d+)?)(?P<unit> %)?")


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("name", EACH)
def test_no_exact_figure_is_worse_than_the_committed_one(name: str) -> None:
    """Whoever means it writes the baseline anew, and the review shows it."""
    report = report_of(name)
    assert regressions(report, baseline()[name]) == []
    assert report.failures == []
    assert baseline()[name], "a suite without an exact figure could not fall"


def test_every_suite_is_in_the_baseline_and_nothing_else() -> None:
    """A suite that was never measured would have no figure to fall below."""
    assert baseline().keys() == SUITES.keys()


def test_every_headline_is_a_committed_figure_and_on_the_page() -> None:
    """With the value that the baseline has, rounded as it is told."""
    quoted = {}
    for row in PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].splitlines():
        for match in _QUOTED.finditer(row):
            quoted[row.split(" | ")[0].removeprefix("| "), match["name"]] = match
    for suite, known in baseline().items():
        for name in SUITES[suite].headlines:
            found = quoted[SUITES[suite].title, name]
            value = float(found["value"].replace(",", ""))
            # One that is not exact has its value of that day.
            assert name not in known or value == pytest.approx(
                known[name] * (100 if found["unit"] else 1), abs=0.051
            ), (
                suite,
                name,
            )


def test_the_promises_in_the_readme_are_as_measured() -> None:
    """Every figure beside a promise is the baseline's."""
    known = baseline()
    safety, crash, claims = known["safety"], known["crash"], known["claims-attack"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for told in (
        f"{safety['mails']:,} attacking mails, {safety['runs']:,} runs",
        f"{safety['effects-without-card']} effects without a card, {safety['effects-not-as-shown']} other than shown",
        f"{crash['effects-twice']} effects twice, {crash['effects-lost']} lost, {crash['mails-lost']} mails lost",
        f"{safety['memory-writes']} writes to what it has learned",
        f"{safety['cards-hiding'] + safety['cards-active']} cards that hide or run something",
        f"{claims['decisions']:,} decisions",
        f"{claims['broken-rules']} broken rules",
    ):
        assert told in readme
