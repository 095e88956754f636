"""A promotion: what it asks for and what it gives."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Promotion:
    """A promotion of one product, as the catalogue gives it. Exactly one of the effects is set.

    What is counted are units that are fulfilled, never what was asked for.
    """

    text: str
    """The shop's own words, which the reply may quote."""
    min_quantity: int = 1
    """Units of the product that the order must hold."""
    applies_every: int | None = None
    """The effect comes once for each so many units; None: once for all units of the line."""
    product_combination: tuple[str, ...] = ()
    """Ids of other products. Each unit that the effect is for, or with `applies_every` each time that it comes, needs a unit of
    each of them in the order."""
    free_items: int = 0
    """Units among those taken that cost nothing, each time the effect comes: never more than were ordered."""
    free_gift: str = ""
    """What is put in besides, each time the effect comes; it is no product and has no stock."""
    percent_off: Decimal | None = None
    """Above 0 to 100, of the units the effect is for."""
    amount_off: Decimal | None = None
    """Off the price of a unit when the effect is for all units, else off the line, each time the effect comes."""
    second_half_price: bool = False
    """Of each two units one costs half."""
