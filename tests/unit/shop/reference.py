"""What an order comes to, reckoned slowly: every unit is an entry of a list and is charged for itself.

Written from the words of the promotions alone, before the code it is compared with; money is in fractions, which never round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.promotion import Promotion


@dataclass(frozen=True)
class Reckoned:
    """One line: its total in cents, and what is put in besides."""

    cents: int
    gifts: list[str]


def reckon(product: Product, fulfilled: Mapping[str, int]) -> Reckoned:
    """One line of an order in which so many units of each product are fulfilled."""
    units = [Fraction(product.price) for _ in range(fulfilled.get(product.id, 0))]
    gifts: list[str] = []
    off_the_line = Fraction(0)
    promotion = product.promotion
    if promotion is not None and units and len(units) >= promotion.min_quantity:
        partners = [["unit"] * fulfilled.get(name, 0) for name in promotion.product_combination]
        if promotion.applies_every is not None:
            group: list[int] = []
            for place in range(len(units)):
                group.append(place)
                if len(group) == promotion.applies_every:
                    if _take_one_of_each(partners):
                        off_the_line += _apply(promotion, units, group, gifts)
                    group = []
        elif promotion.percent_off is not None or promotion.amount_off is not None:
            for place in range(len(units)):
                if _take_one_of_each(partners):
                    _reduce(promotion, units, place)
        elif _take_one_of_each(partners):
            _apply(promotion, units, list(range(len(units))), gifts)
    total = max(Fraction(0), sum(units, Fraction(0)) - off_the_line)
    return Reckoned(math.floor(total * 100 + Fraction(1, 2)), gifts)


def _take_one_of_each(partners: list[list[str]]) -> bool:
    if not all(partners):
        return False
    for units in partners:
        units.pop()
    return True


def _reduce(promotion: Promotion, units: list[Fraction], place: int) -> None:
    """One unit for less."""
    if promotion.percent_off is not None:
        units[place] = units[place] * (100 - Fraction(promotion.percent_off)) / 100
    elif promotion.amount_off is not None:
        units[place] = max(Fraction(0), units[place] - Fraction(promotion.amount_off))


def _apply(promotion: Promotion, units: list[Fraction], group: list[int], gifts: list[str]) -> Fraction:
    """The effect, come once for these units; what it takes off the line as a whole."""
    if promotion.percent_off is not None:
        for place in group:
            _reduce(promotion, units, place)
    elif promotion.second_half_price:
        units[group[-1]] /= 2
    elif promotion.free_gift:
        gifts.append(promotion.free_gift)
    elif promotion.amount_off is not None:
        return Fraction(promotion.amount_off)
    for place in group[: promotion.free_items]:
        units[place] = Fraction(0)
    return Fraction(0)


def in_cents(amount: Decimal) -> int:
    """An amount with two decimals."""
    assert amount.as_tuple().exponent == -2
    return int(amount.scaleb(2))
