"""Amounts of money that a text names, and words that tell it is about money."""

import re

_SIGN = r"(?:€|\$|£|EUR|USD|GBP|CHF|US\$)"
_NUMBER = r"(?P<{0}>\d{{1,3}}(?:[.,' ]\d{{3}}){{0,3}}(?:[.,]\d{{2}})?|\d{{1,9}}(?:[.,]\d{{2}})?)"
_AMOUNT = re.compile(
    rf"{_SIGN}\s?{_NUMBER.format('a')}(?!\d)|(?<!\d){_NUMBER.format('b')}\s?(?:{_SIGN}|euros?|dollars?|pounds|francs|franken)(?!\w)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:invoice|payment|pay(?:able)?|contract|refund|salary|tax|loan|mortgage|bank (?:details|transfer)|overdue|rechnung|zahlung|"
    r"überweis\w*|mahnung|vertrag|erstattung|gehalt|steuer|facture|paiement|virement|contrat|remboursement|impôt|factura|pago|"
    r"transferencia|contrato|reembolso|impuesto)\b",
    re.IGNORECASE,
)
MAX_AMOUNTS = 50


def largest_amount(text: str) -> float:
    """The largest amount named, in whatever currency; 0 when there is none."""
    found = []
    for match in _AMOUNT.finditer(text):
        found.append(_value(match["a"] or match["b"]))
        if len(found) == MAX_AMOUNTS:
            break
    return max(found, default=0.0)


def is_about_money(text: str) -> bool:
    """Whether words such as "invoice" stand in the text."""
    return _ABOUT.search(text) is not None


def _value(written: str) -> float:
    """ "1.234,50" and "1,234.50" are the same: a mark before the last two digits is the decimal one."""
    whole, cents = written, "0"
    if re.search(r"[.,]\d{2}$", written):
        whole, cents = written[:-3], written[-2:]
    return float(f"{re.sub(r'[^0-9]', '', whole)}.{cents}")
