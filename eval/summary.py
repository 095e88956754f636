"""The scorecard as Markdown."""

from eval.figures import SuiteReport
from eval.suites import SUITES


def section(name: str, report: SuiteReport, seconds: float | None = None) -> str:
    """One suite: who answered, its figures, what failed, its tables."""
    state = " - FAILED" if report.failures else ""
    took = f", {seconds:.0f} s" if seconds is not None else ""
    parts = [f"## {SUITES[name].title}{state}", f"`make eval SUITE={name}`{took}. Answers: {report.answers}."]
    if report.failures:
        parts.append("\n".join(f"- FAILED: {_line(each)}" for each in report.failures[:20]))
    if report.figures:
        parts.append(figures_table(report))
    return "\n\n".join([*parts, report.text] if report.text else parts)


def figures_table(report: SuiteReport) -> str:
    """A row a figure."""
    lines = ["| figure | value | 95 % interval | of | wanted |", "|---|---|---|---|---|"]
    for f in report.figures:
        value, _, interval = f.told().partition(" (")
        target = (
            "" if f.target is None else ("at least " if f.better == "higher" else "at most ") + f.wanted()
        )
        lines.append(
            f"| {f.name} | {value} | {interval.rstrip(')')} | {'' if f.of is None else f.of} | {target} |"
        )
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())[:300]
