"""How many wrong facts in drafts the fact check catches, and how often it is wrong to complain.

The drafts are made from templates written for this project (`eval/facts/dev.jsonl`, `test.jsonl`): a mail, what the
user's side knows, and a reply whose facts stand in one of them, often written another way. Rules were tuned on `dev`;
the templates and promises of `test` are others (docs/fact_check.md says when they were looked at). Each draft is
checked as it is, where any gap is a false alarm, and once for each slot with that one value changed to one that no
source has, and with one promise put in that no source grants. A change is caught when a gap stands on it.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from email_assistant.facts.check import check
from email_assistant.facts.fact import CheckedDraft
from eval import fact_promises
from eval.fact_drafts import HALVES, NOW, OWN, SEED, ZONE, Example, Half, examples
from eval.intervals import wilson
from eval.scorecard import table


@dataclass
class Figures:
    """What was caught of what was changed, and what was complained of without cause."""

    caught: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    claims: int = 0
    alarms: list[str] = field(default_factory=list)
    drafts: int = 0
    drafts_with_alarm: int = 0
    missed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Findings:
    """All that is told of the check."""

    drafts: Mapping[Half, Figures]
    promises: Mapping[fact_promises.Part, fact_promises.Found]


def findings() -> Findings:
    """Drafts and sentences, each gone through once."""
    return Findings(
        {half: measure(half) for half in HALVES},
        {part: fact_promises.measure(part) for part in fact_promises.PARTS},
    )


def run(example: Example) -> CheckedDraft:
    """The check of an example."""
    return check(example.draft, example.sources, now=NOW, timezone=ZONE, own=OWN)


def measure(half: Half, seed: int = SEED) -> Figures:
    """The figures of one half."""
    figures = Figures()
    for right, changed in examples(half, seed):
        checked = run(right)
        figures.drafts += 1
        figures.claims += len(checked.facts)
        figures.drafts_with_alarm += bool(checked.gaps)
        figures.alarms += [
            f"{gap.kind}: {gap.quoted} ({gap.reason}) in: {right.draft!r}" for gap in checked.gaps
        ]
        for example in changed:
            caught = is_caught(example, run(example))
            figures.caught[example.kind].append(caught)
            if not caught:
                figures.missed.append(
                    f"{example.kind}: {example.draft[slice(*example.wrong)]} in: {example.draft!r}"
                )
    return figures


def is_caught(example: Example, checked: CheckedDraft) -> bool:
    """Whether an unsupported claim overlaps what was changed."""
    start, end = example.wrong
    return any(f.source is None and f.span[0] < end and start < f.span[1] for f in checked.facts)


def section(found: Findings) -> str:
    """The figures as Markdown."""
    kinds = sorted({kind for figures in found.drafts.values() for kind in figures.caught})
    caught = []
    for kind in [*kinds, "all"]:
        answers = [
            [a for k, values in found.drafts[half].caught.items() if kind in {k, "all"} for a in values]
            for half in HALVES
        ]
        caught.append([kind, *(cell for each in answers for cell in _share(sum(each), len(each)))])
    alarms = [
        (half, str(f.drafts), str(f.claims), *_share(len(f.alarms), f.claims), str(f.drafts_with_alarm))
        for half, f in found.drafts.items()
    ]
    promises = [
        (part, *_share(f.commitments - len(f.missed), f.commitments), *_share(len(f.alarms), f.harmless))
        for part, f in found.promises.items()
    ]
    interval = "95 % interval"
    parts = (
        "## Fact check of drafts",
        " ".join((__doc__ or "").partition("\n\n")[2].split()),
        table(["changed", *(head for half in HALVES for head in (f"{half}: caught", interval))], caught),
        table(["half", "drafts", "claims in them", "false alarms", interval, "drafts with one"], alarms),
        " ".join((fact_promises.__doc__ or "").split()),
        table(["sentences", "commitments found", interval, "false alarms", interval], promises),
    )
    return "\n\n".join(parts) + "\n"


def _share(right: int, of: int) -> list[str]:
    low, high = wilson(right, of)
    return [f"{right}/{of} = {right / of:.1%}" if of else "–", f"{low:.1%}–{high:.1%}" if of else "–"]
