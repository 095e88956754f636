"""A table in CSV that somebody hands in: read row by row, and told line by line where it is wrong."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import BinaryIO, TextIO

from email_assistant.errors import InputError
from email_assistant.mail.cell import quoted

MAX_LINE = 1_000_000
"""Characters of a line of the file."""
MAX_FLAWS = 1_000
"""Flaws that are kept; the others are counted."""
TOLD = 3
"""Flaws that the error's text tells."""

QUOTES = "the quotes do not match; close them, and write a quote within a cell twice"
LONG_CELL = "a cell is too long; is its quote closed?"

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
        for line, row in _rows(lines, delimiter):
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
