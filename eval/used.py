"""What a mail used: calls, tokens, money, and time besides the model."""

from collections.abc import Sequence
from statistics import median, quantiles
from typing import Protocol

from email_assistant.models.usage import ModelUsage
from eval.figures import Figure
from eval.intervals import mean


class Used(Protocol):
    """A mail that was dealt with."""

    @property
    def usage(self) -> Sequence[ModelUsage]:
        """Its model calls."""
        ...

    @property
    def outside_ms(self) -> float:
        """Time that no model worked."""
        ...


def figures(answers: Sequence[Used], *, rules: bool, alone: bool) -> list[Figure]:
    """Per mail. Tokens of the rules are estimated from the prompt that a model would get, the same everywhere.

    Without `alone` mails waited for one another, and no time is told.
    """
    calls = [float(len(a.usage)) for a in answers]
    prompt = [float(sum(u.prompt_tokens for u in a.usage)) for a in answers]
    completion = [float(sum(u.completion_tokens for u in a.usage)) for a in answers]
    found = [
        mean("calls-per-mail", calls, "count", exact=rules),
        mean("prompt-tokens-per-mail", prompt, "tokens", exact=rules),
        mean("completion-tokens-per-mail", completion, "tokens", exact=rules),
    ]
    costs = _costs(answers)
    if costs is not None:
        found.append(mean("cost-per-mail", costs, "usd", exact=rules))
    outside = [a.outside_ms for a in answers if a.outside_ms]
    if alone and len(outside) > 1:
        found.append(
            Figure("outside-model.p50", median(outside), "ms", "lower", of=len(outside), exact=False)
        )
        p95 = quantiles(outside, n=20)[-1]
        found.append(Figure("outside-model.p95", p95, "ms", "lower", of=len(outside), exact=False))
    return found


def notes(answers: Sequence[Used]) -> list[str]:
    """What the figures leave out or guess."""
    said = []
    calls = [u for a in answers for u in a.usage]
    if any(u.estimated for u in calls):
        said.append("Tokens are estimated from lengths where no provider counted them.")
    if _costs(answers) is None:
        said.append("The price list does not know the model, so no cost is told.")
    return said


def _costs(answers: Sequence[Used]) -> list[float] | None:
    """None when the price of a call that succeeded is unknown: a sum without it would be too low."""
    if any(u.cost_usd is None and not u.error for a in answers for u in a.usage):
        return None
    return [float(sum(u.cost_usd or 0 for u in a.usage)) for a in answers]
