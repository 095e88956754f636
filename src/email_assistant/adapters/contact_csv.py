"""Contacts from a table in CSV, its columns known by their headings: our own names, and those of usual exports.

Known are the exports of Google Contacts (old and new), Outlook and Thunderbird. What stands in other columns is left out.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from email_assistant.adapters.contact_entries import ContactEntry, ContactFlaw, FileLine
from email_assistant.errors import InputError
from email_assistant.journal.contact import ContactFields
from email_assistant.mail.text import one_line

DELIMITERS = ",;\t|"
SEVERAL = ":::"
"""Google's sign between several values in one cell."""
_SHOWN = 5

_ADDRESS = re.compile(
    r"e-?mail|e-?mail[ _]address|mail|(?:primary|secondary|work|home) e-?mail|e-?mail \d+(?: - value| address)?"
)
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "full name", "full_name", "display name"),
    "first": ("first name", "given name", "first_name", "firstname"),
    "middle": ("middle name", "additional name"),
    "last": ("last name", "family name", "surname", "last_name", "lastname"),
    "organisation": (
        "organisation", "organization", "company", "organization name", "organization 1 - name", "company name",
    ),
    "role": ("role", "job title", "position", "organization title", "organization 1 - title", "job_title"),
    "phone": (
        "phone", "phone number", "telephone", "mobile phone", "mobile number", "mobile", "business phone",
        "work phone", "primary phone", "home phone", "phone 1 - value", "phone 2 - value", "phone 3 - value",
    ),
    "notes": ("notes", "note"),
    "tags": ("tags", "labels", "categories", "group membership"),
}  # fmt: skip
"""The headings of each detail in lower case; of several that are filled the first one is taken."""
_TAG_SIGNS = re.compile(r":::|[,;]")
_SYSTEM_LABEL = "* "
"""How the labels begin that Google gives every contact."""


def read_table(lines: Iterator[FileLine], name: str) -> Iterator[ContactEntry | ContactFlaw]:
    """The entries of the table, empty rows left out; raises `InputError` when its first row names no addresses."""
    feed = _Feed(lines)
    first = next(iter(feed), "")
    columns = _best(first)
    if not columns.address:
        raise InputError(f"{name}: {_no_address(first)}")
    rows = csv.reader(feed, delimiter=columns.delimiter, skipinitialspace=True, strict=True)
    while True:
        start = feed.number + 1
        feed.whole = True
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            long = "limit" in str(error)
            told = (
                f"a cell is longer than {csv.field_size_limit()} characters"
                if long
                else "the quotes do not match"
            )
            yield ContactFlaw(start, f"row: {told}")
            continue
        if not feed.whole:
            yield ContactFlaw(start, "row: the line is too long")
        elif len(row) > columns.width and any(cell.strip() for cell in row[columns.width :]):
            yield ContactFlaw(
                start, f"row: {len(row)} cells under {columns.width} headings; is a quote missing?"
            )
        elif any(cell.strip() for cell in row):
            yield columns.entry(start, row)


@dataclass
class _Feed:
    """The lines as the `csv` module takes them, remembering where it is."""

    lines: Iterator[FileLine]
    number: int = 0
    whole: bool = True

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.number = line.number
            self.whole = self.whole and line.whole
            yield line.text if line.whole else "\n"


@dataclass(frozen=True)
class _Columns:
    """Where what stands in a row."""

    delimiter: str
    width: int
    address: tuple[int, ...] = ()
    details: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def known(self) -> int:
        """How many columns mean something."""
        return len(self.address) + sum(map(len, self.details.values()))

    def entry(self, line: int, row: Sequence[str]) -> ContactEntry:
        """The entry that a row stands for."""
        cells = [cell.strip() for cell in row] + [""] * (self.width - len(row))
        addresses = [part.strip() for at in self.address for part in cells[at].split(SEVERAL)]
        parts = [self._first(cells, part) for part in ("first", "middle", "last")]
        fields: ContactFields = {
            "name": self._first(cells, "name") or " ".join(filter(None, parts)),
            "organisation": self._first(cells, "organisation"),
            "role": self._first(cells, "role"),
            "phone": self._first(cells, "phone"),
            "notes": self._first(cells, "notes"),
            "tags": _tags(self._first(cells, "tags")),
        }
        return ContactEntry(line, tuple(filter(None, addresses)), fields)

    def _first(self, cells: Sequence[str], detail: str) -> str:
        filled = (cells[at] for at in self.details.get(detail, ()) if cells[at])
        found = next(filled, "")
        return found if detail in {"notes", "tags"} else found.split(SEVERAL)[0].strip()


def _best(first: str) -> _Columns:
    """The columns as read with the delimiter that makes most sense of the first row."""
    found = [_columns(first, delimiter) for delimiter in DELIMITERS]
    return max(found, key=lambda columns: columns.known)


def _columns(first: str, delimiter: str) -> _Columns:
    headings = _headings(first, delimiter)
    address = tuple(at for at, heading in enumerate(headings) if _ADDRESS.fullmatch(heading))
    if not address:  # Elsewhere "address" is a street's.
        address = tuple(at for at, heading in enumerate(headings) if heading == "address")
    details = {
        detail: tuple(at for name in names for at, heading in enumerate(headings) if heading == name)
        for detail, names in _COLUMNS.items()
    }
    return _Columns(delimiter, len(headings), address, details)


def _headings(first: str, delimiter: str) -> list[str]:
    try:
        row = next(csv.reader([first], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []
    return [" ".join(heading.split()).casefold() for heading in row]


def _no_address(first: str) -> str:
    if not first.strip():
        return "the first line is empty; it must name the columns, like email,name,organisation,phone"
    columns = _headings(first, max(DELIMITERS, key=first.count))
    told = ", ".join(f'"{one_line(heading[:200], limit=30)}"' for heading in columns[:_SHOWN])
    return f'line 1 names no column of addresses: call one "email". It has {told}{", …" if len(columns) > _SHOWN else ""}'


def _tags(cell: str) -> tuple[str, ...]:
    tags = (tag.strip() for tag in _TAG_SIGNS.split(cell))
    return tuple(tag for tag in tags if tag and not tag.startswith(_SYSTEM_LABEL))
