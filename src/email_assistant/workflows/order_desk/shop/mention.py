"""A mention of a product, and what its candidates come to."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Method = Literal["id", "near_id", "name", "meaning"]
Status = Literal["resolved", "ambiguous", "unresolved"]
RESOLVED = 0.86
"""Least score of a product that is certain."""
MARGIN = 0.05
"""By how much it must be ahead of the next one."""
AMBIGUOUS = 0.5
"""Least score of a product that is worth a question."""
SHOWN = 5
"""Candidates that are kept."""


@dataclass(frozen=True, slots=True)
class ProductMention:
    """A product as a mail names it; "" for what the mail does not say."""

    product_id: str = ""
    product_name: str = ""
    description: str = ""
    category: str = ""
    quantity: int = 1
    """1 or more."""
    confidence: float = 1.0
    """0 to 1: how sure it is that a product is meant."""
    mention_text: str = ""
    """The words of the mail."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A product that may be meant."""

    product_id: str
    score: float
    """0 to 1 on one scale for all methods: 1 is its id with nothing against it, 0.96 its whole name."""
    method: Method


@dataclass(frozen=True, slots=True)
class Resolution:
    """The products that a mention may mean, and how certain that is."""

    mention: ProductMention
    status: Status
    candidates: tuple[Candidate, ...] = ()
    """The best first. When it is resolved, the first one is meant."""

    @property
    def product_id(self) -> str:
        """The product that is meant, or "" when that is not certain."""
        return self.candidates[0].product_id if self.status == "resolved" else ""


def settled(mention: ProductMention, found: Iterable[Candidate]) -> Resolution:
    """The resolution of a mention by its candidates."""
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
