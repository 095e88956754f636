"""The scorecard's suite on cost: model calls, tokens and cards of a mail on each graph.

Tokens are characters / 4 of the prompts and answers, and calls are those that a model would get; the rules' answers are shorter than a
model's. What is measured in milliseconds is in `make bench`: a busy machine would make it another figure every time.
"""

import statistics
from collections.abc import Sequence

from eval.cost.running import GRAPHS, MailCost, measure
from eval.figures import Figure, SuiteReport
from eval.setup import Setup

MAILS = 48
MOST_CALLS = {
    "email_assistant": 2.5,
    "inbox_organizer": 2.0,
    "reply_pipeline": 3.2,
    "order_desk": 3.0,
    "claims_desk": 6.0,
}
"""A little above what was measured: a change that asks more often is to be seen."""


async def report(setup: Setup) -> SuiteReport:
    """The sample mails of every graph."""
    found = {name: await measure(name, setup.count or MAILS) for name in GRAPHS}
    figures = [figure for name, costs in found.items() for figure in _figures(name, costs)]
    return SuiteReport("offline rules", figures, __doc__ or "")


def _figures(name: str, costs: Sequence[MailCost]) -> list[Figure]:
    of = len(costs)

    def mean(values: Sequence[float]) -> float:
        return statistics.mean(values)

    return [
        Figure(
            f"{name}.model-calls", mean([c.calls for c in costs]), "count", "lower", MOST_CALLS[name], of=of
        ),
        Figure(
            f"{name}.prompt-tokens", mean([c.prompt for c in costs]), "tokens", "lower", of=of, exact=False
        ),
        Figure(
            f"{name}.answer-tokens",
            mean([c.completion for c in costs]),
            "tokens",
            "lower",
            of=of,
            exact=False,
        ),
        Figure(f"{name}.cards-per-100-mails", 100 * mean([c.cards for c in costs]), "count", "lower", of=of),
    ]
