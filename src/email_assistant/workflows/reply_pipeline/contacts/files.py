"""Contacts from a CSV table, as address books export them.

The columns are known by their headings: our own names, and those of the exports of Google Contacts (old and new), Outlook and Thunderbird.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from email_assistant.errors import InputError
from email_assistant.mail.table import MAX_FILE, UTF8, quoted, rows_of, text_of
from email_assistant.mail.text import one_line
from email_assistant.word_files import WordFiles
from email_assistant.workflows.reply_pipeline.records.contacts import (
    MAX_SOURCE,
    Contact,
    ContactFields,
    checked,
    contact_address,
)

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
_REMEDY = "save it as CSV in UTF-8, or name its encoding, like --encoding utf-16, or cp1252 for older Windows programs"


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
        text = self._text()
        first = text.partition("\n")[0]
        delimiter = max(DELIMITERS, key=lambda each: sum(map(_is_known, _headings(first, each))))
        headings = _headings(first, delimiter)
        # In the table of another program "address" is a street's.
        places = [each for each in headings if _ADDRESS.fullmatch(each)] or [
            each for each in headings if each == "address"
        ]
        if not places:
            raise InputError(f"{self.path}: {_no_address(first)}")
        seen: dict[str, int] = {}
        rows = rows_of(text, delimiter)
        next(rows)
        for line, row in rows:
            try:
                cells = _cells(headings, row)
                parts = [part.strip() for place in places for part in cells[place].split(SEVERAL)]
                found = list(dict.fromkeys(map(contact_address, filter(None, parts))))
                details = checked(_fields(cells))
                if twice := next((each for each in found if each in seen), ""):
                    raise InputError(f"address: {twice} is in line {seen[twice]} already")
            except InputError as error:
                raise InputError(f"{self.path}: nothing was imported: line {line}: {error}") from None
            seen.update(dict.fromkeys(found, line))
            self.without_address += not found
            yield from (Contact(address, **details, source=source) for address in found)

    def _text(self) -> str:
        if not self.path.is_file():
            raise InputError(f"{self.path}: {'not a file' if self.path.exists() else 'no such file'}")
        with self.path.open("rb") as file:
            raw = file.read(MAX_FILE + 1)
        try:
            return text_of(raw, str(self.path), self.encoding, _REMEDY)
        except LookupError:
            text = f"--encoding: there is no text encoding {self.encoding!r}; one is cp1252"
            raise InputError(text) from None


def _is_known(heading: str) -> bool:
    return bool(_ADDRESS.fullmatch(heading)) or any(heading in names for names in _COLUMNS.values())


def _headings(first: str, delimiter: str) -> list[str]:
    row = next(rows_of(first, delimiter), (1, ""))[1]
    return [] if isinstance(row, str) else [" ".join(heading.split()).casefold() for heading in row]


def _cells(headings: list[str], row: list[str] | str) -> dict[str, str]:
    """The cells of a row by heading, of two of one name the one that is filled; raises `InputError` for a row that is none."""
    if isinstance(row, str):
        raise InputError(f"row: {row}")
    if any(cell.strip() for cell in row[len(headings) :]):
        raise InputError(f"row: {len(row)} cells under {len(headings)} headings; is a quote missing?")
    cells = dict.fromkeys(headings, "")
    for heading, cell in zip(headings, row, strict=False):
        cells[heading] = cells[heading] or cell.strip()
    return cells


def _fields(cells: Mapping[str, str]) -> ContactFields:
    """The details of a row."""
    whole = {
        detail: next((cells[name] for name in names if cells.get(name)), "")
        for detail, names in _COLUMNS.items()
    }
    first = {detail: cell.split(SEVERAL)[0].strip() for detail, cell in whole.items()}
    tags = (tag.strip() for tag in _TAG_SIGNS.split(whole.get("tags", "")))
    parts = (first.get(part) for part in ("first", "middle", "last"))
    return {
        "name": first["name"] or " ".join(filter(None, parts)),
        "organisation": first["organisation"],
        "role": first["role"],
        "phone": first["phone"],
        "notes": whole["notes"],
        "tags": tuple(tag for tag in tags if tag and not tag.startswith(_SYSTEM_LABEL)),
    }


def _no_address(first: str) -> str:
    if not first.strip():
        return "the first line is empty; it must name the columns, like email,name,organisation,phone"
    columns = _headings(first, max(DELIMITERS, key=first.count))
    text = ", ".join(quoted(heading) for heading in columns[:_SHOWN])
    return f'line 1 names no column of addresses: call one "email". It has {text}{", …" if len(columns) > _SHOWN else ""}'
