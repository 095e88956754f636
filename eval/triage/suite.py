"""Triage against labels that a person gave: mails through the graph's own node, whoever answers; with the rules,
what a person gets of further mail, and what is read of answers that quote, as well."""

from collections.abc import Sequence
from dataclasses import replace

from email_assistant.models.settings import OFFLINE
from eval import used
from eval.datasets import Case, load, split
from eval.figures import SuiteReport
from eval.setup import Setup
from eval.triage import quoting, scores, tables, unasked
from eval.triage.running import NO_ANSWER, Answer, answered

DATA = "triage/mails.jsonl"


async def report(setup: Setup) -> SuiteReport:
    """Run it, and report."""
    runs = await answered(setup, split(load(DATA), setup.split))
    found = scored(setup, runs)
    if setup.model != OFFLINE:
        return found
    parts = [await unasked.measured(setup.split), quoting.measured(list(quoting.answers()))]
    return replace(
        found,
        figures=[*found.figures, *(figure for figures, _ in parts for figure in figures)],
        text="\n\n".join([found.text, *(text for _, text in parts)]),
    )


def scored(setup: Setup, runs: Sequence[Sequence[Answer]]) -> SuiteReport:
    """The report on answers; all but pass^k is of the first run."""
    first, rules = runs[0], setup.model == OFFLINE
    return SuiteReport(
        answers=setup.answers,
        figures=[
            *scores.figures(first, rules=rules),
            *scores.repeated(runs),
            # Mails that a model judges at the same time wait for one another: only the rules' run tells what our own part takes.
            *used.figures(first, rules=rules, alone=rules),
        ],
        text=_text(first),
        broken=[line for run in runs for line in torn(run)],
    )


def torn(answers: Sequence[Answer]) -> list[str]:
    """Conversations that triage did not read whole, or not alone: the figure would be of another mail."""
    return [
        f"{a.case['id']}: triage read {a.messages} messages of a conversation of {_length(a.case)}"
        for a in answers
        if a.verdict != NO_ANSWER and a.messages != _length(a.case)
    ]


def _length(case: Case) -> int:
    return 1 + len(case.get("thread", []))


def _text(answers: Sequence[Answer]) -> str:
    missed = [a for a in answers if a.case["label"] == "respond" and a.verdict == "ignore"]
    none = [a for a in answers if a.verdict == NO_ANSWER]
    # Wrong answers of the test half are only counted: who read them could fit rules to them.
    wrong = [
        a for a in answers if not a.right and a.case["split"] == "dev" and a not in missed and a not in none
    ]
    parts = [
        tables.confusion(answers),
        tables.tag_table(answers),
        tables.wrong_table(missed, "Mail that needs an answer and was ignored"),
        *([tables.wrong_table(none, "Mail about which nothing usable was said")] if none else []),
        tables.wrong_table(wrong, "Other wrong verdicts of the dev half"),
        *used.notes(answers),
    ]
    return "\n\n".join(parts)
