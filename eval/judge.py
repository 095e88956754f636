"""A language model as the judge of drafts, besides the scorers: only when asked for, several times each, with its own spread told.

A judge's scores are opinions: the same draft gets others in the next run. So each draft is judged `RUNS` times, and the report says how far
the runs lie apart before anybody compares two means. Nothing fails because of a judge, and its figures are never part of a baseline.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean, variance

from pydantic import BaseModel, Field

from email_assistant.errors import ConfigError
from email_assistant.mail.text import fence
from email_assistant.models.call import ModelCall
from email_assistant.models.failures import ModelOutputError
from email_assistant.models.runner import Models
from email_assistant.models.settings import OFFLINE
from email_assistant.prompts import PromptTemplate
from eval.figures import Figure
from eval.intervals import mean, share
from eval.setup import Setup

RUNS = 5
LOWEST, HIGHEST = 1, 5
ITEMS = ("complete", "supported", "fitting", "careful")


class Item(BaseModel):
    """One item of the rubric."""

    reason: str = Field(description="One sentence.")
    score: int = Field(ge=LOWEST, le=HIGHEST, description="1 is bad, 5 leaves nothing to improve.")


class Verdict(BaseModel):
    """What the judge thinks of a draft."""

    complete: Item
    supported: Item
    fitting: Item
    careful: Item

    def scores(self) -> dict[str, int]:
        """The score of each item."""
        return {name: getattr(self, name).score for name in ITEMS}


@dataclass(frozen=True)
class Draft:
    """What is judged."""

    case: str
    conversation: str
    known: str
    text: str

    def variables(self) -> Mapping[str, str]:
        """Values for judge.md: data, inside fences that nothing in them can close."""
        return {
            "conversation": fence(self.conversation, "mail"),
            "known": fence(self.known, "text"),
            "draft": fence(self.text, "draft"),
        }


@dataclass(frozen=True)
class Judged:
    """The verdicts on one draft; those that could not be used are left out."""

    case: str
    verdicts: tuple[Verdict, ...]

    def scores(self, item: str) -> list[int]:
        """An item's score in each run."""
        return [verdict.scores()[item] for verdict in self.verdicts]


def _nobody(draft: Draft) -> Verdict:
    raise ConfigError("there are no rules that could judge a draft; name a model: --judge provider:model")


JUDGE: ModelCall[Draft, Verdict] = ModelCall(
    name="judge",
    prompt=PromptTemplate.parse("judge", Path(__file__).with_name("judge.md").read_text(encoding="utf-8")),
    output=Verdict,
    tier="strong",
    offline=_nobody,
)


async def judge_of(setup: Setup) -> Models:
    """The model that judges; raises `ConfigError` when it is none. Its calls are neither recorded nor replayed."""
    if not setup.judge or setup.judge == OFFLINE:
        raise ConfigError("--judge: name a model as provider:model; the offline rules cannot judge")
    judging = replace(setup, model=setup.judge, record=None, replay=None, used=[])
    await judging.check()
    return judging.models()


async def judged(models: Models, drafts: Sequence[Draft], runs: int = RUNS) -> list[Judged]:
    """Each draft judged `runs` times. Raises what `Models.run` raises, but for answers out of form, which are left out."""
    return [
        Judged(draft.case, tuple(v for v in await asyncio.gather(*(_once(models, draft) for _ in range(runs))) if v))
        for draft in drafts
    ]  # fmt: skip


def report(found: Sequence[Judged], by: str, runs: int = RUNS) -> tuple[list[Figure], str]:
    """Figures (none of them exact) and a table."""
    usable = [each for each in found if each.verdicts]
    asked, answered = runs * len(found), sum(len(each.verdicts) for each in found)
    if not usable:
        return [], f"The judge {by} gave no usable verdict on {len(found)} drafts."
    figures = [
        mean(f"judge.{item}", [_part(fmean(each.scores(item))) for each in usable], "share", better="higher")
        for item in ITEMS
    ]
    figures += [agreement(usable, ITEMS), share("judge.usable", answered, asked)]
    lines = [
        f"| {item} | {fmean(fmean(each.scores(item)) for each in usable):.2f} | {between(usable, item):.3f} |"
        f" {100 * agreement(usable, (item,)).value:.1f} % |"
        for item in ITEMS
    ]
    head = (
        f"{by} judged {len(usable)} drafts {runs} times each. Scores are opinions from {LOWEST} to {HIGHEST}:"
        " compare them with their variance in sight."
    )
    table = [
        "| item | mean | variance between runs of a draft | pairs of runs that agree |",
        "|---|---|---|---|",
    ]
    return [replace(each, exact=False) for each in figures], "\n".join([head, "", *table, *lines])


def between(found: Sequence[Judged], item: str) -> float:
    """The variance of an item's score between the runs of a draft (n - 1), averaged over the drafts that have two runs."""
    spreads = [variance(each.scores(item)) for each in found if len(each.verdicts) > 1]
    return fmean(spreads) if spreads else 0.0


def agreement(found: Sequence[Judged], items: Sequence[str]) -> Figure:
    """Of all pairs of runs of a draft, how many give an item the same score, averaged over the drafts that have two runs."""
    shares = [
        fmean(a == b for item in items for a, b in combinations(each.scores(item), 2))
        for each in found
        if len(each.verdicts) > 1
    ]
    return mean("judge.agreement", shares or [0.0], "share", better="higher")


async def _once(models: Models, draft: Draft) -> Verdict | None:
    try:
        return await models.run(JUDGE, draft)
    except ModelOutputError:
        return None


def _part(score: float) -> float:
    return (score - LOWEST) / (HIGHEST - LOWEST)
