"""The suite `organizer` of the scorecard; docs/scorecard.md says what it does not show."""

from collections.abc import Sequence

from email_assistant.models.settings import OFFLINE
from email_assistant.models.usage import ModelUsage
from eval import used
from eval.datasets import SPLITS, Case, load, split
from eval.figures import SuiteReport
from eval.organizer import calibration, measures, tables
from eval.organizer.running import SETTINGS, Outcome, outcome_of
from eval.setup import Setup
from eval.workbench import workbench

DATASET = "organizer/mails.jsonl"


async def report(setup: Setup) -> SuiteReport:
    """Run the dataset; with repeats the first run gives the figures, all of them pass^k."""
    cases = split(load(DATASET), setup.split)
    runs = [await run(cases, setup) for _ in range(max(1, setup.repeats))]
    return scored(cases, runs, setup)


async def run(cases: Sequence[Case], setup: Setup) -> list[Outcome]:
    """Every case once, in one assistant."""
    used: list[ModelUsage] = []
    async with workbench("inbox_organizer", setup.models(used.append), **SETTINGS) as bench:
        return [await outcome_of(bench, case, used) for case in cases]


def scored(cases: Sequence[Case], runs: Sequence[Sequence[Outcome]], setup: Setup) -> SuiteReport:
    """The report on the outcomes of each run, which are in the order of the cases."""
    pairs = list(zip(cases, runs[0], strict=True))
    halves = {half: part for half in SPLITS if (part := [p for p in pairs if p[0]["split"] == half])}
    judged = {half: measures.judged(part) for half, part in halves.items()}
    exact = setup.model == OFFLINE
    figures = [
        figure for half, part in halves.items() for figure in measures.of_half(half, part, exact=exact)
    ]
    figures += measures.of_all(pairs, exact=exact)
    figures += measures.repeated(cases, runs, exact=exact)
    return SuiteReport(
        answers=setup.answers,
        figures=figures,
        text=_text(pairs, halves, judged),
        broken=[line for one in runs for line in measures.broken(list(zip(cases, one, strict=True)))],
    )


def _text(pairs: tables.Pairs, halves: dict[str, tables.Pairs], judged: dict[str, calibration.Judged]) -> str:
    parts = (
        ("Categories", tables.by_category(halves)),
        ("What was taken for what", tables.confusion(pairs)),
        ("Coverage and risk", tables.thresholds(judged)),
        ("Kinds of mail", tables.by_tag(pairs)),
        ("Importance", tables.levels(pairs)),
        ("Wrong categories of the dev half", tables.mistakes(pairs)),
    )
    notes = used.notes([outcome for _, outcome in pairs])
    return "\n\n".join([*(f"### {title}\n\n{text}" for title, text in parts), *notes])
