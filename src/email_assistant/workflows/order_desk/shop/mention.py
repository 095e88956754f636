"""A mention of a product, and what is made of it."""

from dataclasses import dataclass
from typing import Literal

Method = Literal["id", "near_id", "name", "meaning"]
Status = Literal["resolved", "ambiguous", "unresolved"]


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
    """0 to 1 on one scale for all methods; docs/workflows/order_desk.md says what it means."""
    method: Method


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a mention comes to."""

    mention: ProductMention
    status: Status
    candidates: tuple[Candidate, ...] = ()
    """The best first. When it is resolved, the first one is meant."""

    @property
    def product_id(self) -> str:
        """The product that is meant, or "" when that is not certain."""
        return self.candidates[0].product_id if self.status == "resolved" else ""
