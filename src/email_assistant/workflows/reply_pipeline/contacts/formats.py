"""Contacts from tables in CSV and from vCards (RFC 2426 for version 3.0, RFC 6350 for 4.0), one entry at a time, not checked yet.

The columns of a table are known by their headings: our own names, and those of the exports of Google Contacts (old and new), Outlook and
Thunderbird. Of a card we read FN (or N), EMAIL, ORG, TITLE (or ROLE), TEL, NOTE and CATEGORIES. What else there is, pictures of megabytes
included, is passed over.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from icalendar.parser import (
    Contentline,
    Contentlines,
    split_on_unescaped_comma,
    split_on_unescaped_semicolon,
    unescape_backslash,
)

from email_assistant.errors import InputError
from email_assistant.mail.table import quoted, rows_below
from email_assistant.mail.text import one_line
from email_assistant.word_files import WordFiles
from email_assistant.workflows.reply_pipeline.records.contacts import ContactFields

DELIMITERS = ",;\t|"
SEVERAL = ":::"
"""Google's sign between several values in one cell."""
_SHOWN = 5

_HEADINGS = WordFiles((Path(__file__).with_name("words.toml"),), frozenset({"headings"}))
with _HEADINGS.section("headings") as section:
    _ADDRESS = section.pattern("{address}", re.NOFLAG)
    _COLUMNS = {detail: tuple(names.splitlines()) for detail, names in section.entries("columns").items()}
_TAG_SIGNS = re.compile(r":::|[,;]")
_SYSTEM_LABEL = "* "
"""How the labels begin that Google gives every contact."""

VERSIONS = ("3.0", "4.0")
MAX_VALUES = 20
_BEGIN = re.compile(r"^(?=BEGIN:)", re.IGNORECASE | re.MULTILINE)
_WHOLE = re.compile(r"BEGIN:VCARD[ \t]*\n.*\nEND:VCARD\s*", re.IGNORECASE | re.DOTALL)
# [group "."] name, and what follows it (RFC 6350 §3.3)
_CONTENT_LINE = re.compile(r"(?:[A-Za-z0-9-]+\.)?(?P<line>(?P<name>[A-Za-z0-9-]+)[:;].*)")
_ENCODED = frozenset({"QUOTED-PRINTABLE", "BASE64", "B"})
_EVERYONE = "myContacts"
"""The category that Google gives every contact."""
_READ = frozenset({"VERSION", "FN", "N", "EMAIL", "ORG", "TITLE", "ROLE", "TEL", "NOTE", "CATEGORIES"})


@dataclass(frozen=True, slots=True)
class ContactEntry:
    """One row or card as it was written, not checked yet."""

    line: int
    """Where it begins, from 1."""
    addresses: tuple[str, ...]
    fields: ContactFields


@dataclass(frozen=True, slots=True)
class ContactFlaw:
    """Why an entry cannot be taken: `text` begins with the field's name."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


def read_table(text: str, name: str) -> Iterator[ContactEntry | ContactFlaw]:
    """The entries of the table, empty rows left out; raises `InputError` when its first row names no addresses."""
    first, _, rest = text.partition("\n")
    columns = _best(first)
    if not columns.address:
        raise InputError(f"{name}: {_no_address(first)}")
    for line, row in rows_below(iter(io.StringIO(rest)), columns.delimiter):
        if isinstance(row, str):
            yield ContactFlaw(line, f"row: {row}")
        elif any(cell.strip() for cell in row[columns.width :]):
            told = f"row: {len(row)} cells under {columns.width} headings; is a quote missing?"
            yield ContactFlaw(line, told)
        else:
            yield columns.entry(line, row)


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


def read_cards(text: str) -> Iterator[ContactEntry | ContactFlaw]:
    """The entry of each card, or what is wrong with it; a card that is wrong does not spoil the next."""
    line = 1
    for card in _BEGIN.split(text):
        if card.strip():
            yield _card(line, card)
        line += card.count("\n")


def _card(line: int, text: str) -> ContactEntry | ContactFlaw:
    if not _WHOLE.fullmatch(text):
        return ContactFlaw(line, "card: it does not begin with BEGIN:VCARD and end with END:VCARD")
    values: dict[str, list[str]] = {}
    try:
        for content in Contentlines.from_ical(text):  # type: ignore[no-untyped-call]
            name, value = _property(content) if content else ("", "")
            values.setdefault(name, []).append(value)
    except ValueError as error:
        return ContactFlaw(line, str(error))
    version = _text(values, "VERSION")
    if version not in VERSIONS:
        told = f"is {version[:10]!r}" if version else "is missing"
        return ContactFlaw(line, f"VERSION: {told}; export the contacts as vCard 3.0 or 4.0")
    if crowded := next((name for name in _READ if len(values.get(name, ())) > MAX_VALUES), ""):
        return ContactFlaw(line, f"{crowded}: more than {MAX_VALUES} in one card")
    addresses = [unescape_backslash(value).strip() for value in values.get("EMAIL", [])]
    return ContactEntry(line, tuple(filter(None, addresses)), _fields(values))


def _property(content: str) -> tuple[str, str]:
    """Name and value of a line, "" for what is not read; raises `ValueError` saying what is wrong with it."""
    match = _CONTENT_LINE.fullmatch(content)
    if match is None:
        raise ValueError(f"line: not of the form NAME:VALUE: {quoted(content)}")
    name = match["name"].upper()
    if name not in _READ:
        return "", ""
    as_in_2_1 = ValueError(f"{name}: written as in version 2.1; export the contacts as vCard 3.0 or 4.0")
    try:
        _, params, value = Contentline(match["line"]).raw_parts()  # type: ignore[no-untyped-call]
    except ValueError:
        raise as_in_2_1 from None
    if str(params.get("ENCODING", "")).upper() in _ENCODED and name != "VERSION":
        raise as_in_2_1
    return name, value


def _fields(values: Mapping[str, Sequence[str]]) -> ContactFields:
    family, given = [*split_on_unescaped_semicolon(_first(values, "N")), "", ""][:2]
    tags = [tag for line in values.get("CATEGORIES", ()) for tag in split_on_unescaped_comma(line)]
    return {
        "name": _text(values, "FN") or f"{given} {family}".strip(),
        "organisation": split_on_unescaped_semicolon(_first(values, "ORG"))[0],
        "role": _text(values, "TITLE") or _text(values, "ROLE"),
        "phone": re.sub(r"^tel:", "", _text(values, "TEL"), flags=re.IGNORECASE),
        "notes": _text(values, "NOTE"),
        "tags": [tag for tag in tags if tag != _EVERYONE],
    }


def _first(values: Mapping[str, Sequence[str]], name: str) -> str:
    return next((value for value in values.get(name, ()) if value.strip()), "")


def _text(values: Mapping[str, Sequence[str]], name: str) -> str:
    return str(unescape_backslash(_first(values, name))).strip()
