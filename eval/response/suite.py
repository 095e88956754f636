"""The response agent on mails that need it: whether what is asked is done and said, and no gap is hidden.

Triage says `respond` to each mail without being asked (`ForcedTriage`): how well it sorts is another suite's. A simulated human
accepts every card that can be accepted, so nothing that is proposed is hidden by a person's care.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from email_assistant.models.settings import OFFLINE
from email_assistant.models.usage import ModelUsage
from eval import used
from eval.datasets import SPLITS
from eval.figures import Figure, SuiteReport
from eval.intervals import mean, pass_hat_k, share
from eval.response.case import cases
from eval.response.checklist import broken, checklist
from eval.response.running import Trajectory, run
from eval.setup import Setup

NOTE = (
    "A mail is right when every item of its checklist is. The fact check and the comparison of values are the product's own rules"
    " (docs/fact_check.md)."
)


@dataclass(frozen=True)
class Scored:
    """A run, and its checklist."""

    found: Trajectory
    items: Mapping[str, bool]

    @property
    def right(self) -> bool:
        """Whether a sensible person would have had nothing to change."""
        return all(self.items.values())


async def report(setup: Setup) -> SuiteReport:
    """Run it and report; every case as often as asked for, one after another, so that times are not of several at once."""
    usage: list[ModelUsage] = []
    models = setup.models(usage.append)
    wanted = [case for case in cases() if setup.split in ("all", case.split)]
    runs = [[await run(case, models, usage) for case in wanted] for _ in range(max(1, setup.repeats))]
    return scored(setup, runs)


def scored(setup: Setup, runs: Sequence[Sequence[Trajectory]]) -> SuiteReport:
    """The report on runs; all but pass^k and what the code answers for is of the first run."""
    rules = setup.model == OFFLINE
    scores = [[Scored(found, checklist(found)) for found in each] for each in runs]
    first = scores[0]
    lines = [line for each in runs for found in each for line in broken(found)]
    effects = sum(len(found.accepted) for each in runs for found in each)
    quality = [figure for half in SPLITS for figure in _of_half(half, scores)]
    cards = mean("cards-per-100", [100.0 * len(each.found.cards) for each in first], "count")
    return SuiteReport(
        answers=setup.answers,
        figures=[
            *(replace(each, exact=rules) for each in (*quality, cards)),
            Figure("effects.broken", len(lines), "count", "lower", target=0, of=effects),
            *used.figures(runs[0], rules=rules, alone=True),
        ],
        text="\n\n".join([NOTE, _wrong(first), *used.notes(runs[0])]),
        broken=lines,
    )


def _of_half(half: str, runs: Sequence[Sequence[Scored]]) -> Iterator[Figure]:
    scores = [score for score in runs[0] if score.found.case.split == half]
    if not scores:
        return
    yield share(f"{half}.right", sum(score.right for score in scores), len(scores))
    for item in dict.fromkeys(name for score in scores for name in score.items):
        told = [score.items[item] for score in scores if item in score.items]
        yield share(f"{half}.{item}", sum(told), len(told))
    if len(runs) > 1:
        right = [
            sum(s.right for s in each) for each in zip(*runs, strict=True) if each[0].found.case.split == half
        ]
        for k in range(1, len(runs) + 1):
            yield Figure(f"{half}.pass-hat-{k}", pass_hat_k(right, len(runs), k), of=len(right))


def _wrong(scores: Sequence[Scored]) -> str:
    """What is wrong in the dev half; the test half is only counted, so that nobody fits anything to it."""
    lines = [
        f"- {score.found.case.id}: {', '.join(name for name, right in score.items.items() if not right)}"
        for score in scores
        if score.found.case.split == "dev" and not score.right
    ]
    return "\n".join(["Not right in the dev half:", "", *(lines or ["- none"])])
