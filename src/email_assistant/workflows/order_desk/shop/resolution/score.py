"""From candidates to an answer. The thresholds were chosen by `python -m eval.resolution`; docs/workflows/order_desk.md has the figures."""

from collections.abc import Iterable

from email_assistant.workflows.order_desk.shop.mention import Candidate, ProductMention, Resolution

RESOLVED = 0.86
"""Least score of a product that is certain."""
MARGIN = 0.05
"""By how much it must be ahead of the next one."""
AMBIGUOUS = 0.5
"""Least score of a product that is worth a question."""
SHOWN = 5
"""Candidates that are kept."""


def settled(mention: ProductMention, found: Iterable[Candidate]) -> Resolution:
    """What the candidates come to."""
    worth = [one for one in found if one.score >= AMBIGUOUS]
    worth.sort(key=lambda one: (-one.score, one.product_id))
    kept = tuple(
        Candidate(one.product_id, round(min(1.0, one.score), 4), one.method) for one in worth[:SHOWN]
    )
    if not kept:
        return Resolution(mention, "unresolved")
    ahead = worth[0].score - worth[1].score if len(worth) > 1 else 1.0
    is_certain = worth[0].score >= RESOLVED and ahead >= MARGIN
    return Resolution(mention, "resolved" if is_certain else "ambiguous", kept)
