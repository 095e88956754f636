"""The scorecard as Markdown."""

from collections.abc import Sequence

from eval.figures import Figure, SuiteReport
from eval.scorecard import GLANCE, Scorecard, glance, line, table
from eval.suites import SUITES

HEADS = ("figure", "value", "95 % interval", "of", "wanted")


def summary(card: Scorecard) -> str:
    """All suites: first the verdict, then a section each."""
    parts = ["# Scorecard", card.told, card.verdict, table(GLANCE, glance(card))]
    for one in card.suites:
        if one.report is None:
            parts.append(f"## {one.title} - FAILED\n\n" + "\n".join(line(each) for each in one.failures))
        else:
            parts.append(section(one.name, one.report, one.seconds, one.regressions))
    return "\n\n".join(parts) + "\n"


def section(
    name: str, report: SuiteReport, seconds: float | None = None, regressions: Sequence[str] = ()
) -> str:
    """One suite: who answered, its figures, what failed, its tables."""
    failures = [*report.failures, *regressions]
    state = " - FAILED" if failures else ""
    took = f", {seconds:.0f} s" if seconds is not None else ""
    parts = [
        f"## {SUITES[name].title}{state}",
        f"`python -m eval.one {name}`{took}. Answers: {report.answers}.",
    ]
    if failures:
        parts.append("\n".join(f"- FAILED: {line(each)}" for each in failures[:20]))
    if report.figures:
        parts.append(figures_table(report))
    return "\n\n".join([*parts, report.text] if report.text else parts)


def figures_table(report: SuiteReport) -> str:
    """A row a figure."""
    return table(HEADS, [figure_row(figure) for figure in report.figures])


def figure_row(figure: Figure) -> tuple[str, ...]:
    """The cells under `HEADS`."""
    value, _, interval = figure.told().partition(" (")
    target = (
        ""
        if figure.target is None
        else ("at least " if figure.better == "higher" else "at most ") + figure.wanted()
    )
    return figure.name, value, interval.rstrip(")"), "" if figure.of is None else str(figure.of), target
