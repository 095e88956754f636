"""A shop's catalogue from a table in CSV: read whole, or told line by line why not and how to mend a cell."""

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, BinaryIO

from email_assistant.errors import InputError
from email_assistant.mail.table import Flaws, amount_cell, checked_cell, quoted, table_rows
from email_assistant.workflows.order_desk.shop.product import SEASONS, Product, Season, product_key
from email_assistant.workflows.order_desk.shop.promotion import Promotion, read_promotion

MAX_STOCK = 100_000_000

_STOCK = re.compile(r"[0-9]{1,9}")
_SEASON_SIGNS = re.compile("[,;]")
_SEASONS: dict[str, tuple[Season, ...]] = {
    **{season: (season,) for season in SEASONS},
    "fall": ("autumn",),
    "all": SEASONS,
    "": (),
}

COLUMNS = ("id", "name", "category", "description", "stock", "seasons", "price", "promotion")
"""The headings, in any order and case; a table has all of them and no other."""
LIMITS = {"name": 200, "category": 100, "description": 2000}
"""Most characters of each text."""
# As promotions can name it (`promotion_text`), spaces besides.
_ID = re.compile(r"[^\W_](?:[\w ./-]{0,38}[^\W_])?")


def read_catalogue(file: BinaryIO, name: str) -> tuple[Product, ...]:
    """The products of a table in the order of its rows; its form, and the arguments, are those of `table_rows`.

    Ids of products that promotions name are given as the catalogue writes them.

    Raises:
        TableError: rows are wrong; every one of them is told.
        InputError: the file is no such table, or has no product.
    """
    reader = _Reader()
    for line, cells in table_rows(file, name, COLUMNS, reader.flaws):
        reader.read(line, cells)
    return reader.result(name)


@dataclass
class _Reader:
    """Makes products of rows, and keeps what is wrong."""

    flaws: Flaws = field(default_factory=Flaws)
    products: dict[str, tuple[int, Product]] = field(default_factory=dict)
    """By key, with their lines."""
    seen: dict[str, int] = field(default_factory=dict)
    """The lines of all ids, those of wrong rows included."""
    promotions: dict[str, Promotion] = field(default_factory=dict)
    """By their sentences, as few stand for many products."""

    def read(self, line: int, cells: dict[str, str]) -> None:
        """Take a row."""
        before = self.flaws.number
        found = {column: self._cell(line, column, cell) for column, cell in cells.items()}
        if self.flaws.number == before:
            self.products[product_key(found["id"])] = line, Product(**found)

    def result(self, name: str) -> tuple[Product, ...]:
        """All products; raises `InputError` when something is wrong, or there are none."""
        products = [self._linked(line, product) for line, product in self.products.values()]
        self.flaws.check(name)
        if not products:
            raise InputError(f"{name}: nothing was imported: there is no product behind the headings")
        return tuple(products)

    def _linked(self, line: int, product: Product) -> Product:
        """The product, its promotion naming other products as the catalogue does."""
        promotion = product.promotion
        if promotion is None or not promotion.product_combination:
            return product
        ids = []
        for given in promotion.product_combination:
            key = product_key(given)
            if key not in self.seen:
                self.flaws.add(line, "promotion", f"no product of this table has the id {quoted(given)}")
            elif key == product_key(product.id):
                self.flaws.add(line, "promotion", f"names its own product, {quoted(given)}; name another one")
            elif key in self.products:
                ids.append(self.products[key][1].id)
        return replace(product, promotion=replace(promotion, product_combination=tuple(ids)))

    def _cell(self, line: int, column: str, cell: str) -> Any:
        try:
            return self._value(line, column, cell)
        except InputError as error:
            self.flaws.add(line, column, str(error))
            return None

    def _value(self, line: int, column: str, cell: str) -> Any:
        match column:
            case "id":
                return self._new_id(line, cell)
            case "stock":
                return read_stock(cell)
            case "price":
                return read_price(cell)
            case "seasons":
                return read_seasons(cell)
            case "promotion":
                return self._promotion(cell)
            case "name" if not cell:
                raise InputError("is empty; every product needs a name")
            case _:
                return checked_cell(cell, LIMITS[column])

    def _new_id(self, line: int, cell: str) -> str:
        if not cell:
            raise InputError("is empty; every product needs an id of its own")
        if not _ID.fullmatch(cell):
            raise InputError(
                f"{quoted(cell)} is no id; write up to 40 letters, digits, dashes, dots or spaces"
            )
        key = product_key(cell)
        if key in self.seen:
            told = "case, spaces and dashes make no difference; give it another id, or take one row out"
            raise InputError(f"{cell} is in line {self.seen[key]} already; {told}")
        self.seen[key] = line
        return cell

    def _promotion(self, cell: str) -> Promotion | None:
        if cell and cell not in self.promotions:
            self.promotions[cell] = read_promotion(cell)
        return self.promotions.get(cell)


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
