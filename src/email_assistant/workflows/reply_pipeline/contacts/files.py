"""Contacts from a CSV table, as address books export them.

The columns are known by their headings: our own names, and those of the exports of Google Contacts (old and new), Outlook and Thunderbird.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from email_assistant.errors import InputError
from email_assistant.mail.table import rows_below
from email_assistant.mail.text import one_line
from email_assistant.word_files import WordFiles
from email_assistant.workflows.reply_pipeline.records.contacts import (
    MAX_SOURCE,
    Contact,
    ContactFields,
    checked,
    contact_address,
)

UTF8 = "utf-8-sig"
MAX_FILE = 64 * 1024 * 1024
"""Bytes of a file that is read."""
DELIMITERS = ",;\t|"
SEVERAL = ":::"
"""Google's sign between several values in one cell."""
_SHOWN = 5
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HEADINGS = WordFiles((Path(__file__).with_name("words.toml"),), frozenset({"headings"}))
with _HEADINGS.section("headings") as section:
    _ADDRESS = section.pattern("{address}", re.NOFLAG)
    _COLUMNS = {detail: tuple(names.splitlines()) for detail, names in section.entries("columns").items()}
_TAG_SIGNS = re.compile(r":::|[,;]")
_SYSTEM_LABEL = "* "
"""How the labels begin that Google gives every contact."""


@dataclass
class ContactFile:
    """One import of a file. The count is right when `contacts` has come to its end."""

    path: Path
    encoding: str = UTF8
    without_address: int = 0
    """Rows that are left out because they have no email address."""

    def contacts(self) -> Iterator[Contact]:
        """The contacts of the file, checked; a row with several addresses gives one for each.

        Raises `InputError` when the file cannot be read, and at the first row that is wrong; an address that was in an earlier row is.
        """
        source = one_line(f"import of {self.path.name}", limit=MAX_SOURCE)
        first, _, rest = self._text().partition("\n")
        columns = _best(first)
        if not columns.address:
            raise InputError(f"{self.path}: {_no_address(first)}")
        seen: dict[str, int] = {}
        for line, row in rows_below(iter(io.StringIO(rest)), columns.delimiter):
            try:
                found = list(dict.fromkeys(map(contact_address, columns.addresses(row))))
                details = checked(columns.fields(row))
                if twice := next((each for each in found if each in seen), ""):
                    raise InputError(f"address: {twice} is in line {seen[twice]} already")
            except InputError as error:
                raise InputError(f"{self.path}: nothing was imported: line {line}: {error}") from None
            seen.update(dict.fromkeys(found, line))
            self.without_address += not found
            yield from (Contact(address, **details, source=source) for address in found)

    def _text(self) -> str:
        """What is in the file, lines ended by "\\n"; raises `InputError` when it is no text in this encoding."""
        if not self.path.is_file():
            raise InputError(f"{self.path}: {'not a file' if self.path.exists() else 'no such file'}")
        if self.path.stat().st_size > MAX_FILE:
            raise InputError(f"{self.path}: larger than {MAX_FILE // 1024 // 1024} MB; split it")
        raw = self.path.read_bytes()
        if raw.startswith(_UTF16) and self.encoding == UTF8:
            raise InputError(f"{self.path}: is written in UTF-16, not in UTF-8: add --encoding utf-16")
        if raw.startswith(b"PK\x03\x04") or (b"\0" in raw and self.encoding == UTF8):
            raise InputError(f"{self.path}: not a text file: export the contacts as CSV (UTF-8)")
        return self._decoded(raw).replace("\r\n", "\n").replace("\r", "\n")

    def _decoded(self, raw: bytes) -> str:
        try:
            return raw.decode(self.encoding)
        except UnicodeError as error:
            line = raw.count(b"\n", 0, getattr(error, "start", 0)) + 1
            name = "UTF-8" if self.encoding == UTF8 else self.encoding
            way = "save the file as UTF-8, or name its encoding, like --encoding cp1252 for older Windows programs"
            raise InputError(f"{self.path}: line {line} is not written in {name}: {way}") from None
        except (LookupError, ValueError):
            told = f"--encoding: there is no text encoding {self.encoding!r}; one is cp1252"
            raise InputError(told) from None


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

    def addresses(self, row: Sequence[str] | str) -> list[str]:
        """The addresses of a row; raises `InputError` for one that is none."""
        cells = self._cells(row)
        found = [part.strip() for at in self.address for part in cells[at].split(SEVERAL)]
        return list(filter(None, found))

    def fields(self, row: Sequence[str] | str) -> ContactFields:
        """The details of a row."""
        cells = self._cells(row)
        parts = [self._first(cells, part) for part in ("first", "middle", "last")]
        tags = (tag.strip() for tag in _TAG_SIGNS.split(self._first(cells, "tags")))
        return {
            "name": self._first(cells, "name") or " ".join(filter(None, parts)),
            "organisation": self._first(cells, "organisation"),
            "role": self._first(cells, "role"),
            "phone": self._first(cells, "phone"),
            "notes": self._first(cells, "notes"),
            "tags": tuple(tag for tag in tags if tag and not tag.startswith(_SYSTEM_LABEL)),
        }

    def _cells(self, row: Sequence[str] | str) -> list[str]:
        if isinstance(row, str):
            raise InputError(f"row: {row}")
        if any(cell.strip() for cell in row[self.width :]):
            raise InputError(f"row: {len(row)} cells under {self.width} headings; is a quote missing?")
        return [cell.strip() for cell in row] + [""] * (self.width - len(row))

    def _first(self, cells: Sequence[str], detail: str) -> str:
        found = next((cells[at] for at in self.details.get(detail, ()) if cells[at]), "")
        return found if detail in {"notes", "tags"} else found.split(SEVERAL)[0].strip()


def _best(first: str) -> _Columns:
    """The columns as read with the delimiter that makes most sense of the first row."""
    return max((_columns(first, delimiter) for delimiter in DELIMITERS), key=lambda columns: columns.known)


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
