"""All suites that were run, and how they compare with the committed baseline."""

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.figures import Figure, SuiteReport
from eval.suites import SUITES

BASELINE = Path(__file__).parent / "baseline.json"
PAGE = Path(__file__).parents[1] / "docs" / "scorecard.md"
BEGIN, END = "<!-- scorecard:begin -->", "<!-- scorecard:end -->"


@dataclass(frozen=True, slots=True)
class Measured:
    """One suite that was run."""

    name: str
    title: str
    command: str
    seconds: float
    report: SuiteReport | None
    """None when it did not end; then `said` tells why."""
    said: str = ""
    regressions: Sequence[str] = ()

    @property
    def answers(self) -> str:
        """Who answered."""
        return self.report.answers if self.report else "nobody"

    @property
    def state(self) -> str:
        """Failed or not, in words."""
        if self.report is None:
            return "did not end"
        if self.failures:
            return f"{len(self.failures)} failed"
        wanted = sum(figure.target is not None for figure in self.report.figures)
        return f"{wanted} met" if wanted else "none"

    @property
    def headlines(self) -> list[Figure]:
        """The figures that stand for it; the first one when none is named."""
        figures = list(self.report.figures) if self.report else []
        named = [figure for figure in figures if figure.name in SUITES[self.name].headlines]
        return named or figures[:1]

    @property
    def failures(self) -> list[str]:
        """Why it failed; empty when it did not."""
        if self.report is None:
            return [f"it did not end: {self.said or 'it printed nothing'}"]
        return [*self.report.failures, *self.regressions]


GLANCE = ("suite", "who answers", "figures", "targets")


@dataclass(frozen=True, slots=True)
class Scorecard:
    """What `make eval` found."""

    suites: Sequence[Measured]
    at: str

    @property
    def told(self) -> str:
        """When, where, and how to read it."""
        machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
        return (
            f"{self.at}, {machine}. No key was needed where rules or scripts answer; the rules are rules, not a model."
            " Intervals are 95 % confidence intervals."
        )

    @property
    def verdict(self) -> str:
        """Which suites failed, in a line."""
        failed = [one.title for one in self.suites if one.failures]
        if failed:
            return f"{len(failed)} of {len(self.suites)} suites failed: {', '.join(failed)}."
        return f"All {len(self.suites)} suites passed."


def glance(card: Scorecard) -> list[tuple[str, str, str, str]]:
    """A row a suite, under the heads of `GLANCE`."""
    return [
        (one.title, one.answers, "; ".join(f"{f.name} {f.told()}" for f in one.headlines), one.state)
        for one in card.suites
    ]


def baseline() -> dict[str, dict[str, float]]:
    """Suite → figure → the committed value, of the offline rules and scripts."""
    if not BASELINE.exists():
        return {}
    found: dict[str, dict[str, float]] = json.loads(BASELINE.read_text(encoding="utf-8"))
    return found


def regressions(report: SuiteReport, known: Mapping[str, float]) -> list[str]:
    """Exact figures that are worse than the committed ones, or are gone; a line each."""
    now = {figure.name: figure for figure in report.figures}
    gone = [f"{name} was measured before and is not any more" for name in known if name not in now]
    worse = [
        f"{name} is {now[name].told()}, which is worse than {_as(now[name], value)} in eval/baseline.json"
        for name, value in known.items()
        if name in now and now[name].exact and now[name].worse_than(value, 1e-6)
    ]
    return gone + worse


def write_baseline(measured: Iterable[Measured]) -> int:
    """Commit the exact figures of these suites, beside those of the others; returns how many figures there are."""
    known = baseline()
    for one in measured:
        if one.report is not None:
            known[one.name] = {f.name: round(f.value, 9) for f in one.report.figures if f.exact}
    BASELINE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return sum(len(each) for each in known.values())


def write_page(card: Scorecard) -> None:
    """Put the glance between the marks of the scorecard's page."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{table(GLANCE, glance(card))}\n{END}{after}", encoding="utf-8")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; whatever stands in a cell stays in it."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(
        f"| {' | '.join(line(cell).replace('|', chr(92) + '|') for cell in cells)} |" for cells in lines
    )


def line(text: str) -> str:
    """A text in one line, cut."""
    return " ".join(text.split())[:300]


def _as(figure: Figure, value: float) -> str:
    return Figure(figure.name, value, figure.kind).told()
