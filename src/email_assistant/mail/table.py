"""Tables that somebody hands in as CSV (RFC 4180): bounded, decoded, each row checked by a model; nothing is taken where one is wrong."""

import codecs
import csv
import io
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import Annotated, Any, BinaryIO, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from email_assistant.errors import InputError
from email_assistant.mail.text import clean, one_line

MAX_FILE = 64 * 1024 * 1024
"""Bytes of a file that is read."""
TOLD = 10
"""Flaws that are told."""
UTF8 = "utf-8-sig"

QUOTES = "the quotes do not match; close them, and write a quote within a cell twice"
LONG_CELL = "a cell is too long; is its quote closed?"
CELLS = "put cells with a comma, semicolon or quote in quotes"

Row = TypeVar("Row", bound=BaseModel)
Flaw = tuple[int, str, str]
"""What is wrong with a row: the line that it begins in, the column or "row", and how to mend it."""

_SHOWN = 40
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# What a spreadsheet would calculate: nothing is called so, and whoever exports the table again would run it.
_FORMULA = re.compile(r"=\s*[\w(\[{\"'+@-]|[+@-]\S*(?:\||[A-Za-z]\()")

Amount = Annotated[
    Decimal,
    Field(
        ge=0,
        max_digits=11,
        decimal_places=2,
        description="write an amount without a currency and with a decimal point, like 12.50",
    ),
    AfterValidator(lambda amount: amount.quantize(Decimal("0.01"))),
]
"""An amount of money, 0 or more, with two decimals."""


def checked_cell(value: str, limit: int, *, lines: bool = False) -> str:
    """The cell without characters that nobody sees, in one line unless `lines`.

    Raises `InputError` when it is longer than `limit` characters, or holds a control character or a formula.
    """
    if not value:
        return ""
    control = _CONTROL.search(value)
    if control:
        raise InputError(f"control character U+{ord(control[0]):04X} is not allowed")
    # Of a hundred thousand cells nearly all are plain, and looking through each character takes long.
    text = value if value.isascii() and value.isprintable() else clean(value)[0]
    text = text.strip() if lines else " ".join(text.split())
    if len(text) > limit:
        raise InputError(f"longer than {limit} characters")
    if _FORMULA.match(text):
        raise InputError(f"begins like a spreadsheet's formula: {quoted(text)}")
    return text


def quoted(text: str) -> str:
    """The beginning of a text in quotes, for a message that names it."""
    short = one_line(text[: 4 * _SHOWN])
    return f'"{short if len(short) <= _SHOWN else short[: _SHOWN - 1] + "…"}"'


class TableError(InputError):
    """Rows are wrong, so nothing of the table is taken; its text tells the first ten flaws."""

    def __init__(self, name: str, flaws: Iterable[Flaw]) -> None:
        listed = [f"line {line}, {column}: {text}" for line, column, text in sorted(flaws, key=itemgetter(0))]
        more = "; and more" if len(listed) > TOLD else ""
        super().__init__(f"{name}: nothing was imported: {'; '.join(listed[:TOLD])}{more}")


def read_table(file: BinaryIO, name: str, model: type[Row]) -> list[tuple[int, Row]]:
    """Each row that is not empty, with the line that it begins in.

    The table is in UTF-8, its cells separated by commas or semicolons. Its first line has the headings, in any order and case: the
    fields of the model, of which those with a default may be left out, or empty. `name` is what errors call the file.
    Raises `TableError` for wrong rows, `InputError` when the file is no such table.
    """
    text = text_of(file.read(MAX_FILE + 1), name)
    delimiter = max(",;", key=text.partition("\n")[0].count)
    rows = rows_of(text, delimiter)
    columns = _columns(next(rows, (1, []))[1], delimiter, name, model)
    optional = {column for column, field in model.model_fields.items() if not field.is_required()}
    found, flaws = [], list[Flaw]()
    for line, row in rows:
        if isinstance(row, str):
            flaws.append((line, "row", row))
        elif len(row) != len(columns):
            flaws.append((line, "row", f"{len(row)} cells under {len(columns)} headings; {CELLS}"))
        else:
            cells = {column: cell.strip() for column, cell in zip(columns, row, strict=True)}
            given = {column: cell for column, cell in cells.items() if cell or column not in optional}
            try:
                found.append((line, model.model_validate(given)))
            except ValidationError as error:
                flaws += [(line, str(each["loc"][0]), _described(each, model)) for each in error.errors()]
        if len(flaws) > TOLD:
            break
    if flaws:
        raise TableError(name, flaws)
    return found


def repeated(column: str, keys: Iterable[tuple[int, Hashable]]) -> list[Flaw]:
    """The flaws of rows, each with its line, that have the key of an earlier one."""
    lines: dict[Hashable, int] = {}
    found = [(line, lines.setdefault(key, line)) for line, key in keys]
    return [
        (line, column, f"is in line {first} already; take one row out")
        for line, first in found
        if line != first
    ]


def text_of(raw: bytes, name: str, encoding: str = UTF8, remedy: str = "save it as CSV in UTF-8") -> str:
    """The text of a file, lines ended by "\\n"; raises `InputError` when it is too long or no text in this encoding."""
    if len(raw) > MAX_FILE:
        raise InputError(f"{name}: larger than {MAX_FILE // 1024 // 1024} MB; split it")
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and encoding == UTF8:
        raise InputError(f"{name}: is written in UTF-16; {remedy}")
    if raw.startswith(b"PK\x03\x04") or (b"\0" in raw and encoding == UTF8):
        raise InputError(f"{name}: not a text file; save the table as CSV in UTF-8")
    try:
        return raw.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeError as error:
        line = raw.count(b"\n", 0, getattr(error, "start", 0)) + 1
        spoken = "UTF-8" if encoding == UTF8 else encoding
        raise InputError(f"{name}: line {line} is not written in {spoken}; {remedy}") from None


def rows_of(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Each row that is not empty, with the line it begins in, or why it cannot be read."""
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        begins = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield begins, LONG_CELL if "limit" in str(error) else QUOTES
            continue
        if any(cell.strip() for cell in row):
            yield begins, row


def _columns(row: Sequence[str] | str, delimiter: str, name: str, model: type[BaseModel]) -> list[str]:
    """The headings; raises `InputError` when one is missing, unknown or there twice."""
    if isinstance(row, str):
        raise InputError(f"{name}: line 1: {row}")
    columns = [cell.strip().casefold() for cell in row]
    known = f"the columns are {delimiter.join(model.model_fields)}"
    for each in columns:
        if each not in model.model_fields:
            raise InputError(f"{name}: line 1: the column {quoted(each)} is not known; {known}")
        if columns.count(each) > 1:
            raise InputError(f"{name}: line 1: the column {each} is there twice; {known}")
    required = (column for column, field in model.model_fields.items() if field.is_required())
    if missing := [column for column in required if column not in columns]:
        raise InputError(f"{name}: line 1: missing: {', '.join(missing)}; {known}")
    return columns


def _described(error: Any, model: type[BaseModel]) -> str:
    """An error of pydantic's in our words: what a validator of ours said, else the field's description, which says how to write it."""
    if isinstance(ours := error.get("ctx", {}).get("error"), InputError):
        return str(ours)
    field = model.model_fields[error["loc"][0]]
    return f"{quoted(str(error['input']))}: {field.description or error['msg']}"
