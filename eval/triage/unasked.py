"""What a person gets: a drafted answer, a card without one, or nothing.

Of mail that nobody asked for and of personal questions, in both assistants that read a whole inbox; and of the sample mails when a
model ignores every one of them, which must not hide a question.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from email_assistant.mail.message import Message
from eval.datasets import Case, load, split
from eval.figures import Figure
from eval.organizer.running import IGNORE, MAX_CARDS, acquaint
from eval.response.running import ForcedTriage
from eval.scorecard import table
from eval.triage.running import BACKGROUND
from eval.workbench import Graph, Workbench, workbench

DATA = "triage/unasked.jsonl"
SAMPLES = Path(__file__).parents[2] / "samples"
GRAPHS: tuple[Graph, ...] = ("email_assistant", "inbox_organizer")
DRAFT, SHOWN, NOTHING = "draft", "shown", "left out"
UNWANTED = {"spam": DRAFT, "newsletter": DRAFT, "personal": NOTHING}
"""What mail of a kind ought not to come to."""
WANTED = {"spam": 2}
"""At most so many of a kind's mails may come to it; of the others none may."""
FRAUD = "33-new-bank-details.eml"
"""The sample that asks for no answer and must be seen all the same."""
OWN = "15-kitchen-2-robin.eml"
"""The sample that the user wrote: it asks nobody here, and is no noise."""
REACHED = {"email_assistant.spam.draft": 2, "inbox_organizer.personal.left-out": 2}
"""What the rules come to today, so that a regression is noticed; `WANTED` is better."""


class Ignoring(ForcedTriage):
    """A model that ignores every mail; what else is asked of it, rules answer."""

    verdict = "ignore"

    def is_offline(self, _: object) -> bool:
        """It is a model, as far as anybody can tell."""
        return False


async def measured(which: str) -> tuple[list[Figure], str]:
    """The figures, of one half of the cases or `all`, and what is told of them."""
    cases = split(load(DATA), which)
    figures: list[Figure] = []
    told: list[str] = []
    for graph in GRAPHS:
        found = await of_cases(graph, cases)
        figures += of_kinds(graph, cases, found)
        told += [
            f"{graph}: {case['id']} ({found[case['id']]})"
            for case in cases
            if case["split"] == "dev" and found[case["id"]] == UNWANTED[case["kind"]]
        ]
    found = await of_samples()
    figures += of_ignored(found)
    seen = [name for name, got in found.items() if got != NOTHING]
    told.append(f"samples with a card though the model ignores all: {', '.join(seen) or 'none'}")
    return figures, "\n".join([_table(figures), "", *(f"- {line}" for line in told)])


async def of_cases(graph: Graph, cases: Sequence[Case]) -> dict[str, str]:
    """Id → what the person gets of the case."""
    async with workbench(graph, EMAIL_ASSISTANT_BACKGROUND=BACKGROUND) as bench:
        found = {}
        for case in cases:
            await acquaint(bench, case)
            found[case["id"]] = await _got(bench, *await bench.bring(case))
        return found


async def of_samples() -> dict[str, str]:
    """File name → what the person gets of the sample mail when the model ignores it."""
    async with workbench("email_assistant", EMAIL_ASSISTANT_BACKGROUND=BACKGROUND) as rules:
        ignoring: Any = Ignoring(rules.house.models)
        async with workbench("email_assistant", ignoring, EMAIL_ASSISTANT_BACKGROUND=BACKGROUND) as bench:
            found = {}
            for path in sorted((SAMPLES / "mailbox").glob("*.eml")):
                message = await bench.receive(path.read_bytes())
                found[path.name] = await _got(bench, message, await bench.start(message))
            return found


def of_kinds(graph: Graph, cases: Sequence[Case], found: Mapping[str, str]) -> list[Figure]:
    """How many of each kind came to what they ought not to."""
    figures = []
    for kind, unwanted in UNWANTED.items():
        got = [found[case["id"]] for case in cases if case["kind"] == kind]
        name = f"{graph}.{kind}.{unwanted.replace(' ', '-')}"
        figures.append(_count(name, got.count(unwanted), len(got)))
    return figures


def of_ignored(found: Mapping[str, str]) -> list[Figure]:
    """Questions among the samples that the person does not get to see, and noise that they do."""
    expected = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
    labels = {name: expected[name]["triage"] for name in found} | {FRAUD: "respond", OWN: ""}
    asking, noise = (
        [got for name, got in found.items() if labels[name] == each] for each in ("respond", "ignore")
    )
    return [
        _count("ignored.asking.left-out", asking.count(NOTHING), len(asking)),
        _count("ignored.noise.with-card", len(noise) - noise.count(NOTHING), len(noise)),
    ]


async def _got(bench: Workbench, message: Message, card: Mapping[str, Any] | None) -> str:
    """`DRAFT` as soon as a card has a letter or a meeting in it; every other one is ignored."""
    got = NOTHING
    for _ in range(MAX_CARDS):
        if card is None:
            break
        if card["action_request"]["args"].keys() & {"body", "start"}:
            return DRAFT
        got, card = SHOWN, await bench.answer(message, IGNORE)
    return got


def _count(name: str, count: int, of: int) -> Figure:
    return Figure(name, count, "count", "lower", REACHED.get(name, 0), of=of)


def _table(figures: Sequence[Figure]) -> str:
    rows = [(f.name, f.told(), str(f.of), str(WANTED.get(f.name.split(".")[1], 0))) for f in figures]
    return table(("mails with what they ought not to get", "found", "of", "wanted at most"), rows)
