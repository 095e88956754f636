"""One product of the catalogue, and its entry as a model is told it and a draft is checked against it."""

import unicodedata
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal, get_args

from email_assistant.workflows.order_desk.shop.promotion import Promotion

Season = Literal["spring", "summer", "autumn", "winter"]
SEASONS: tuple[Season, ...] = get_args(Season)
_DASHES = "\N{MINUS SIGN}\N{SOFT HYPHEN}\N{HYPHEN BULLET}"
"""Those that Unicode does not count among the dashes."""


@dataclass(frozen=True, slots=True)
class Product:
    """What the catalogue holds about it; a price is in the shop's currency."""

    id: str
    """As the shop writes it, unique whatever its case, spaces and dashes: "CSH-1098"."""
    name: str
    category: str
    description: str
    price: Decimal
    """Of one unit, with at most two decimals, 0 or more."""
    seasons: tuple[Season, ...] = SEASONS
    promotion: Promotion | None = None
    stock: int = 0
    """Units that can still be taken, as it was when it was read."""


def product_key(product_id: str) -> str:
    """What an id is compared by: without case, spaces and dashes, "" when nothing else is in it."""
    if product_id.isascii():
        return "".join(product_id.lower().split()).replace("-", "")
    folded = unicodedata.normalize("NFKC", product_id).casefold()
    return "".join(
        c for c in folded if not c.isspace() and c not in _DASHES and unicodedata.category(c) != "Pd"
    )


def season_of(day: date) -> Season:
    """The meteorological season of the northern hemisphere: spring begins on 1 March."""
    return SEASONS[((day.month - 3) % 12) // 3]


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A product as it may be told."""

    product: Product
    currency: str
    certain: bool = True
    """False: it is only one of those that may be meant."""

    @property
    def text(self) -> str:
        """The entry in lines, for a model."""
        p = self.product
        lines = [
            f"{p.id}: {p.name} ({p.category})" + ("" if self.certain else " - may be meant, is not certain"),
            f"Description: {p.description}",
            f"Price: {p.price:.2f} {self.currency}",
            f"In stock: {p.stock}",
            f"Seasons: {', '.join(p.seasons)}",
            *([f"Offer: {p.promotion.text}"] if p.promotion else []),
        ]
        return "\n".join(lines)
