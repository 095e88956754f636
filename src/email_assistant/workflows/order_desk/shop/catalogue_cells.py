"""What the cells of a catalogue mean. Each raises `InputError` that says how to mend a cell that means nothing."""

import re
from decimal import Decimal

from email_assistant.errors import InputError
from email_assistant.mail.cell import amount_cell, quoted
from email_assistant.workflows.order_desk.shop.product import SEASONS, Season

MAX_STOCK = 100_000_000

_STOCK = re.compile(r"[0-9]{1,9}")
_SEASON_SIGNS = re.compile("[,;]")
_SEASONS: dict[str, tuple[Season, ...]] = {
    **{season: (season,) for season in SEASONS},
    "fall": ("autumn",),
    "all": SEASONS,
    "": (),
}


def read_stock(cell: str) -> int:
    """Whole units, 0 to `MAX_STOCK`."""
    if not _STOCK.fullmatch(cell) or int(cell) > MAX_STOCK:
        raise InputError(f"{quoted(cell)} is no stock; write whole units from 0 to {MAX_STOCK}, like 12")
    return int(cell)


def read_price(cell: str) -> Decimal:
    """0 or more, with two decimals."""
    return amount_cell(cell, "price")


def read_seasons(cell: str) -> tuple[Season, ...]:
    """Each once, in the order of the year; an empty cell means all."""
    words = [word.strip().casefold() for word in _SEASON_SIGNS.split(cell)]
    wrong = next((word for word in words if word not in _SEASONS), None)
    if wrong is not None:
        raise InputError(f'{quoted(wrong)} is no season; write spring, summer, autumn or winter, or "all"')
    found = {season for word in words for season in _SEASONS[word]}
    return tuple(season for season in SEASONS if season in found) or SEASONS
