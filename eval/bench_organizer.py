"""What categorizing an inbox costs in model calls and tokens, against asking the strong model about every mail.

Of 1,000 generated mails those whose headers tell the category cost nothing; the fast tier is asked about the others, and
the strong tier again where the fast one's confidence is below 0.7. Tokens are estimated (characters / 4) from the rendered
prompts and the answers, without reasoning tokens and without what a provider's cache saves, in both ways of working;
prices come from the public price list. No model was asked: the confidence that decides whether the strong tier is asked,
and the answers, are those of the offline rules that stand in for the fast tier. A real model is sure of other mails.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation
from email_assistant.mail.mime import parse_message
from email_assistant.models.runner import Models
from email_assistant.models.settings import (
    AUTO_FAST,
    AUTO_STRONG,
    FAST_SETTING,
    OFFLINE,
    STRONG_SETTING,
    ModelSettings,
    ModelSpec,
)
from email_assistant.models.usage import ModelUsage, Tokens, cost
from email_assistant.tools.tool import User
from email_assistant.workflows.inbox_organizer.categorize_call import (
    ESCALATE_BELOW,
    CategorizeInput,
)
from email_assistant.workflows.inbox_organizer.offline.categories import by_headers
from eval.organizer_mail import ME, Sample, TextSet, generate

MAILS = 1_000
SEED = 2026
SURE = 0.8
USER = User(
    Address(ME.addr_spec, ME.display_name), "Europe/Berlin", "Interior designer with a studio of four."
)
SETS: dict[TextSet, str] = {
    "first": "plainly worded",
    "second": "obliquely worded",
}


@dataclass(frozen=True)
class Judged:
    """One mail: what headers and rules make of it, and what asking a model about it takes."""

    sample: Sample
    by_headers: str | None
    """The category that headers decide."""
    category: str
    confidence: float
    tokens: Tokens

    @property
    def escalates(self) -> bool:
        """Whether the strong tier is asked as well."""
        return self.confidence < ESCALATE_BELOW


@dataclass(frozen=True)
class Bill:
    """Calls, tokens and dollars of one way of working."""

    calls: int
    prompt: int
    completion: int
    usd: Decimal


@dataclass
class Share:
    """How many of some answers are right."""

    answers: list[bool] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{sum(self.answers) / len(self.answers):.1%}" if self.answers else "–"


async def judge(samples: Sequence[Sample]) -> list[Judged]:
    """Each mail through the real call, answered by the offline rules."""
    used: list[ModelUsage] = []
    models = Models(ModelSettings(fast=OFFLINE, strong=OFFLINE), record=used.append)
    found = []
    for number, sample in enumerate(samples):
        message = parse_message(sample.raw, id=str(number))
        decided = by_headers(message)
        inputs = CategorizeInput(Conversation(message), USER, is_correspondent=sample.is_correspondent)
        answer = await models.run(inputs.call, inputs)
        tokens = Tokens(used[-1].prompt_tokens, used[-1].completion_tokens, estimated=True)
        category = decided.category if decided else None
        found.append(Judged(sample, category, answer.category, answer.confidence, tokens))
    return found


async def bill(fast: Sequence[Judged], strong: Sequence[Judged]) -> Bill:
    """What asking the tiers about these mails takes."""
    total = Decimal(0)
    for spec, mails in ((_spec(AUTO_FAST, FAST_SETTING), fast), (_spec(AUTO_STRONG, STRONG_SETTING), strong)):
        usage = Tokens(sum(m.tokens.prompt for m in mails), sum(m.tokens.completion for m in mails))
        price = await cost(spec, usage)
        assert price is not None, f"the price list does not know {spec}"
        total += price
    everything = [*fast, *strong]
    prompt, completion = (
        sum(m.tokens.prompt for m in everything),
        sum(m.tokens.completion for m in everything),
    )
    return Bill(len(everything), prompt, completion, total)


def _spec(name: str, setting: str) -> ModelSpec:
    provider, _, model = name.partition(":")
    return ModelSpec(provider, model, setting)


async def measure(texts: TextSet, mails: int = MAILS, seed: int = SEED) -> tuple[list[Judged], Bill, Bill]:
    """The mails, what they cost this way, and what they cost when the strong tier is asked about each."""
    judged = await judge(list(generate(mails, seed, texts)))
    left = [m for m in judged if m.by_headers is None]
    return judged, await bill(left, [m for m in left if m.escalates]), await bill([], judged)


def section() -> str:
    """The figures as Markdown."""
    return asyncio.run(_section())


async def _section() -> str:
    lines = [
        "## Categorizing an inbox",
        "",
        " ".join((__doc__ or "").partition("\n\n")[0].split()),
        "",
        "No model was asked: the rules' confidence decides when the strong one would be, and tokens are characters / 4.",
        "",
        f"Fast: {AUTO_FAST}; strong: {AUTO_STRONG}.",
        "",
        "| mail | way | model calls | of them strong | prompt tokens | completion tokens | US$ per 1,000 mails | of the cost |",
        "|---|---|---|---|---|---|---|---|",
    ]
    quality = [
        "",
        f"| mail | decided by headers | right | rules right | rules at {SURE} and above | right "
        f"| kept without the strong tier | right |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for texts, told in SETS.items():
        judged, ours, theirs = await measure(texts)
        strong = sum(m.escalates for m in judged if m.by_headers is None)
        lines += [
            _cost_row(told, "headers, fast, strong when unsure", ours, strong, theirs),
            _cost_row(told, "strong on every mail", theirs, len(judged), theirs),
        ]
        quality.append(_quality_row(told, judged))
    return "\n".join([*lines, *quality]) + "\n"


def _cost_row(told: str, way: str, bill: Bill, strong: int, whole: Bill) -> str:
    cells = [
        told, way, f"{bill.calls:,}", f"{strong:,}", f"{bill.prompt:,}", f"{bill.completion:,}",
        f"{bill.usd * 1_000 / MAILS:.3f}", f"{bill.usd / whole.usd:.1%}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _quality_row(told: str, judged: Sequence[Judged]) -> str:
    decided = [m.by_headers == m.sample.category for m in judged if m.by_headers is not None]
    sure = [m for m in judged if m.confidence >= SURE]
    kept = [m for m in judged if m.by_headers is None and not m.escalates]
    cells = [
        told, f"{len(decided) / len(judged):.1%}", str(Share(decided)), str(_right(judged)),
        f"{len(sure) / len(judged):.1%}", str(_right(sure)),
        f"{len(kept) / len(judged):.1%}", str(_right(kept)),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _right(mails: Sequence[Judged]) -> Share:
    return Share([m.category == m.sample.category for m in mails])


def main() -> None:
    """Measure and print."""
    print(section())


if __name__ == "__main__":
    main()
