"""A shop's catalogue from a table in CSV: read whole, or told line by line why not."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, BinaryIO, TextIO

from email_assistant.errors import InputError
from email_assistant.mail.cell import checked_cell, quoted
from email_assistant.shop.catalogue_cells import read_price, read_seasons, read_stock
from email_assistant.shop.product import Product, product_key
from email_assistant.shop.promotion import Promotion
from email_assistant.shop.promotion_text import read_promotion

COLUMNS = ("id", "name", "category", "description", "stock", "seasons", "price", "promotion")
"""The headings, in any order and case; a table has all of them and no other."""
LIMITS = {"name": 200, "category": 100, "description": 2000}
"""Most characters of each text."""
MAX_LINE = 1_000_000
"""Characters of a line of the file."""
MAX_FLAWS = 1_000
"""Flaws that are kept; the others are counted."""
TOLD = 3
"""Flaws that the error's text tells."""

QUOTES = "the quotes do not match; close them, and write a quote within a cell twice"
LONG_CELL = "a cell is too long; is its quote closed?"

# As promotions can name it (`promotion_text`), spaces besides.
_ID = re.compile(r"[^\W_](?:[\w ./-]{0,38}[^\W_])?")
_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with one row, and how to mend it."""

    line: int
    """Where the row begins, from 1."""
    column: str
    """The heading, or "row"."""
    text: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.column}: {self.text}"


class CatalogueError(InputError):
    """Rows are wrong, so nothing of the table is taken. Its text tells three flaws, `flaws` has up to 1000, by line."""

    def __init__(self, name: str, flaws: Sequence[Flaw], number: int) -> None:
        self.flaws = tuple(flaws)
        self.number = number
        """Of all flaws."""
        told = "; ".join(map(str, flaws[:TOLD]))
        more = f"; and {number - TOLD} more" if number > TOLD else ""
        super().__init__(f"{name}: nothing was imported: {told}{more}")


def read_catalogue(file: BinaryIO, name: str) -> tuple[Product, ...]:
    """The products of a table in UTF-8, its cells separated by commas or semicolons, in the order of its rows.

    Ids of products that promotions name are given as the catalogue writes them. The file can be sought in; `name` is what
    errors call it.

    Raises:
        CatalogueError: rows are wrong; every one of them is told.
        InputError: the file is no such table, or has no product.
    """
    _check_kind(file, name)
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        lines = _lines(text, name)
        heading = next(lines, "")
        delimiter = max(",;", key=heading.count)
        places = _places(heading, delimiter, name)
        reader = _Reader(places)
        for line, cells in _rows(lines, delimiter):
            reader.read(line, cells)
    finally:
        text.detach()
    return reader.result(name)


def _check_kind(file: BinaryIO, name: str) -> None:
    head = file.read(4096)
    file.seek(0)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name}: is written in UTF-16; save it as CSV in UTF-8")
    if head.startswith(b"PK\x03\x04") or b"\0" in head.partition(b"\n")[0]:
        raise InputError(f"{name}: not a text file; save the table as CSV in UTF-8")


def _lines(text: TextIO, name: str) -> Iterator[str]:
    for number in count(1):
        line = text.readline(MAX_LINE)
        if len(line) == MAX_LINE and line[-1] not in "\r\n":
            raise InputError(
                f"{name}: line {number} is longer than {MAX_LINE} characters; is it a CSV table?"
            )
        if not line.isascii() and _UNDECODED.search(line):
            raise InputError(f"{name}: line {number} is not written in UTF-8; save the table as CSV in UTF-8")
        if not line:
            return
        yield line


def _places(heading: str, delimiter: str, name: str) -> dict[str, int]:
    """Where each column stands; raises `InputError` when one is missing, unknown or there twice."""
    try:
        cells = next(csv.reader([heading], delimiter=delimiter, skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise InputError(f"{name}: line 1: {QUOTES}") from None
    headings = [cell.strip().casefold() for cell in cells]
    wanted = f"the columns are {delimiter.join(COLUMNS)}"
    for at, each in enumerate(headings):
        if each not in COLUMNS:
            raise InputError(f"{name}: line 1: the column {quoted(each)} is not known; {wanted}")
        if each in headings[:at]:
            raise InputError(f"{name}: line 1: the column {each} is there twice; {wanted}")
    missing = [column for column in COLUMNS if column not in headings]
    if missing:
        raise InputError(f"{name}: line 1: missing: {', '.join(missing)}; {wanted}")
    return {each: at for at, each in enumerate(headings)}


def _rows(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Each row that is not empty with the line it begins in, or why it cannot be read."""
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        begins = rows.line_num + 2  # The heading was taken before.
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield begins, LONG_CELL if "limit" in str(error) else QUOTES
            continue
        if any(cell.strip() for cell in row):
            yield begins, row


@dataclass
class _Reader:
    """Makes products of rows, and keeps what is wrong."""

    places: dict[str, int]
    products: dict[str, tuple[int, Product]] = field(default_factory=dict)
    """By key, with their lines."""
    seen: dict[str, int] = field(default_factory=dict)
    """The lines of all ids, those of wrong rows included."""
    promotions: dict[str, Promotion] = field(default_factory=dict)
    """By their sentences, as few stand for many products."""
    flaws: list[Flaw] = field(default_factory=list)
    number: int = 0

    def read(self, line: int, row: list[str] | str) -> None:
        """Take a row, or why there is none."""
        if isinstance(row, str):
            return self._flaw(line, "row", row)
        if len(row) != len(self.places):
            told = f"{len(row)} cells under {len(self.places)} headings; put cells with a comma, semicolon or quote in quotes"
            return self._flaw(line, "row", told)
        before = self.number
        cells = {column: row[at].strip() for column, at in self.places.items()}
        found = {column: self._cell(line, column, cell) for column, cell in cells.items()}
        if self.number == before:
            self.products[product_key(found["id"])] = line, Product(**found)
        return None

    def result(self, name: str) -> tuple[Product, ...]:
        """All products; raises `InputError` when something is wrong, or there are none."""
        products = [self._linked(line, product) for line, product in self.products.values()]
        if self.number:
            raise CatalogueError(name, sorted(self.flaws, key=lambda flaw: flaw.line), self.number)
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
                self._flaw(line, "promotion", f"no product of this table has the id {quoted(given)}")
            elif key == product_key(product.id):
                self._flaw(line, "promotion", f"names its own product, {quoted(given)}; name another one")
            elif key in self.products:
                ids.append(self.products[key][1].id)
        return replace(product, promotion=replace(promotion, product_combination=tuple(ids)))

    def _cell(self, line: int, column: str, cell: str) -> Any:
        try:
            return self._value(line, column, cell)
        except InputError as error:
            self._flaw(line, column, str(error))
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

    def _flaw(self, line: int, column: str, text: str) -> None:
        self.number += 1
        if len(self.flaws) < MAX_FLAWS:
            self.flaws.append(Flaw(line, column, text))
