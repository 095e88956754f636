"""The scorecard's suite on cost: model calls, tokens and cards of a mail on each graph.

Tokens are characters / 4 of the prompts and answers, and calls are those that a model would get; the rules' answers are shorter than a
model's. What is measured in milliseconds is in `make bench`: a busy machine would make it another figure every time.
"""

import statistics
from collections.abc import Iterator, Sequence

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


def _figures(name: str, costs: Sequence[MailCost]) -> Iterator[Figure]:
    # Estimated tokens differ a little from machine to machine.
    for told, kind, values, target, exact in (
        ("model-calls", "count", [c.calls for c in costs], MOST_CALLS[name], True),
        ("prompt-tokens", "tokens", [c.prompt for c in costs], None, False),
        ("answer-tokens", "tokens", [c.completion for c in costs], None, False),
        ("cards-per-100-mails", "count", [100 * c.cards for c in costs], None, True),
    ):
        yield Figure(
            f"{name}.{told}", statistics.mean(values), kind, "lower", target, of=len(costs), exact=exact
        )
