"""Tables that somebody hands in as CSV (RFC 4180), and their cells: cleaned, of bounded size, their flaws told by line and column."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import BinaryIO, TextIO

from email_assistant.errors import InputError
from email_assistant.mail.text import clean, one_line

MAX_LINE = 1_000_000
"""Characters of a line of the file."""
MAX_FLAWS = 1_000
"""Flaws that are kept; the others are counted."""
TOLD = 3
"""Flaws that the error's text tells."""

QUOTES = "the quotes do not match; close them, and write a quote within a cell twice"
LONG_CELL = "a cell is too long; is its quote closed?"

_UNDECODED = re.compile("[\udc80-\udcff]")
_SHOWN = 40
_AMOUNT = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,2})?")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# What a spreadsheet would calculate: nothing is called so, and whoever exports the table again would run it.
_FORMULA = re.compile(r"=\s*[\w(\[{\"'+@-]|[+@-]\S*(?:\||[A-Za-z]\()")


def checked_cell(value: str, limit: int, *, lines: bool = False) -> str:
    """The cell without characters that nobody sees, in one line unless `lines`.

    Raises `InputError` when it is longer than `limit` characters, or holds a control character or a formula.
    """
    if not value:
        return ""
    control = _CONTROL.search(value)
    if control:
        raise InputError(f"control character U+{ord(control[0]):04X} is not allowed")
    text = _cleaned(value).strip() if lines else " ".join(_cleaned(value).split())
    if len(text) > limit:
        raise InputError(f"longer than {limit} characters")
    if _FORMULA.match(text):
        raise InputError(f"begins like a spreadsheet's formula: {quoted(text)}")
    return text


def amount_cell(cell: str, what: str) -> Decimal:
    """An amount of money, 0 or more, with two decimals; raises `InputError` that calls it `what`."""
    if not _AMOUNT.fullmatch(cell):
        raise InputError(
            f"{quoted(cell)} is no {what}; write it without a currency and with a decimal point, like 12.50"
        )
    return Decimal(cell).quantize(Decimal("0.01"))


def quoted(text: str) -> str:
    """The beginning of a text in quotes, for a message that names it."""
    short = one_line(text[: 4 * _SHOWN])
    return f'"{short if len(short) <= _SHOWN else short[: _SHOWN - 1] + "…"}"'


def _cleaned(value: str) -> str:
    # Of a hundred thousand cells nearly all are plain, and looking through each character takes long.
    return value if value.isascii() and value.isprintable() else clean(value)[0]


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


class TableError(InputError):
    """Rows are wrong, so nothing of the table is taken. Its text tells three flaws, `flaws` has up to 1000, by line."""

    def __init__(self, name: str, flaws: Sequence[Flaw], number: int) -> None:
        self.flaws = tuple(flaws)
        self.number = number
        """Of all flaws."""
        told = "; ".join(map(str, flaws[:TOLD]))
        more = f"; and {number - TOLD} more" if number > TOLD else ""
        super().__init__(f"{name}: nothing was imported: {told}{more}")


@dataclass
class Flaws:
    """What is wrong with a table, as far as it was read."""

    found: list[Flaw] = field(default_factory=list)
    number: int = 0
    """Of all flaws; the first 1000 are in `found`."""

    def add(self, line: int, column: str, text: str) -> None:
        """Note one."""
        self.number += 1
        if len(self.found) < MAX_FLAWS:
            self.found.append(Flaw(line, column, text))

    def check(self, name: str) -> None:
        """Raises `TableError` when there is one."""
        if self.number:
            raise TableError(name, sorted(self.found, key=lambda flaw: flaw.line), self.number)


def table_rows(
    file: BinaryIO, name: str, columns: Sequence[str], flaws: Flaws, *, optional: Sequence[str] = ()
) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row that is not empty: the line it begins in, and its cells by heading, without spaces around them.

    The table is in UTF-8, its cells separated by commas or semicolons. Its first line has the headings, in any order and
    case: all of `columns`, and of `optional` any; a column that is left out gives empty cells. Rows that cannot be read go to
    `flaws`. The file can be sought in; `name` is what errors call it. Raises `InputError` when the file is no such table.
    """
    _check_kind(file, name)
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        lines = _lines(text, name)
        heading = next(lines, "")
        delimiter = max(",;", key=heading.count)
        places = _places(heading, delimiter, name, columns, optional)
        empty = dict.fromkeys(optional, "")
        for line, row in rows_below(lines, delimiter):
            if isinstance(row, str):
                flaws.add(line, "row", row)
            elif len(row) != len(places):
                told = f"{len(row)} cells under {len(places)} headings; put cells with a comma, semicolon or quote in quotes"
                flaws.add(line, "row", told)
            else:
                yield line, empty | {column: row[at].strip() for column, at in places.items()}
    finally:
        text.detach()


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


def _places(
    heading: str, delimiter: str, name: str, columns: Sequence[str], optional: Sequence[str]
) -> dict[str, int]:
    """Where each column stands; raises `InputError` when one is missing, unknown or there twice."""
    try:
        cells = next(csv.reader([heading], delimiter=delimiter, skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise InputError(f"{name}: line 1: {QUOTES}") from None
    headings = [cell.strip().casefold() for cell in cells]
    wanted = f"the columns are {delimiter.join((*columns, *optional))}"
    for at, each in enumerate(headings):
        if each not in columns and each not in optional:
            raise InputError(f"{name}: line 1: the column {quoted(each)} is not known; {wanted}")
        if each in headings[:at]:
            raise InputError(f"{name}: line 1: the column {each} is there twice; {wanted}")
    missing = [column for column in columns if column not in headings]
    if missing:
        raise InputError(f"{name}: line 1: missing: {', '.join(missing)}; {wanted}")
    return {each: at for at, each in enumerate(headings)}


def rows_below(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Each row below a heading that is not empty, with the line it begins in, or why it cannot be read."""
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
