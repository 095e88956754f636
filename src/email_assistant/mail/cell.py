"""A cell of a table or card that somebody hands in: cleaned and of bounded size, or told to be wrong."""

import re
from decimal import Decimal

from email_assistant.errors import InputError
from email_assistant.mail.text import clean, one_line

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
