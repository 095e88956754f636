"""What a reply of the desk may not say by itself, on top of the fact check: amounts that nobody worked out, and matters of others.

The fact check lets a reply restate what the customer writes. Here money is only what the shop's own texts say, and so are addresses,
links and references. Some matters are never the desk's: accounts, addresses, credit, goodwill. These are rules by words.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from email_assistant.facts.fact import Checked, Gap

_GAP = re.compile(r"\[confirm:[^\]\n]*\]")
_AMOUNT = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?:[ .,'\u00a0\u202f]\d{3})+|\d{1,12})(?:[.,]\d{2})?(?=\s?(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?|€|\$|£))|"
    r"(?<=[€$£])\s?\d{1,12}(?:[.,]\d{2})?|(?<![\w.,])\d{1,12}[.,]\d{2}(?![\d.,]?\d|\s?(?:%|mm|cm|m\b|kg|g\b|l\b))",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|\bhttps?://[^\s\]]{1,300}|\bwww\.[^\s\]]{1,300}|"
    r"\b[A-Z]{1,6}-?\d{2,10}\b"
)
_MATTERS = re.compile(
    r"\b(?:"
    r"(?:[A-Z]\w*['’]s|his|her|their|other customers['’]) (?:address|account|orders?)\b|charged? to\b|"
    r"credit note|credited|(?:staff|employee|insider|trade) (?:price|discount)|goodwill[^.\n\[]{0,60}|"
    r"(?:price|discount) for life|as (?:we )?agreed|(?:the )?rest will follow|(?:will|shall) follow\b|"
    r"(?:address|account|status) (?:has been|was|is now) (?:changed|updated|set)|free of charge|"
    r"gutschrift|kulanz\w*|mitarbeiter(?:preis|rabatt)|wie vereinbart|kostenlos|der rest folgt|"
    r"avoir de|geste commercial|comme convenu|gratuitement|nota de crédito|como acordado|gratis|sin cargo|"
    r"nota di credito|come concordato|gratuitamente|creditnota|coulance|zoals afgesproken|kosteloos|conforme combinado"
    r")",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"\byour order (?:of|is|has|was|will)\b|\border has been\b", re.IGNORECASE)
_LONGEST = 180


def reserved(
    checked: Checked, ours: Iterable[str], amounts: Iterable[Decimal], asked: str, *, ordered: bool
) -> Checked:
    """The draft with further gaps.

    `ours`: what the shop's own texts say; `amounts`: sums besides those in them; `asked`: words of the mail that are asked
    about, whose references may be quoted; `ordered`: whether there is an order to speak of.
    """
    own = "\n".join(ours)
    known = {*amounts, *(value for m in _AMOUNT.finditer(own) for value in _values(m[0]))}
    spans = sorted(_spans(checked.text, own, known, asked, ordered=ordered))
    text, parts, at, gaps = checked.text, [], 0, list(checked.gaps)
    for start, end, reason in spans:
        if start < at:
            continue
        parts += [text[at:start], f"[confirm: {text[start:end]}]"]
        gaps.append(Gap("gap", text[start:end], reason))
        at = end
    return replace(checked, text="".join([*parts, text[at:]]), gaps=tuple(gaps))


def _spans(
    text: str, own: str, known: set[Decimal], asked: str, *, ordered: bool
) -> Iterator[tuple[int, int, str]]:
    open_text = _GAP.sub(lambda gap: "\0" * len(gap[0]), text)
    said, quoted = own.casefold(), f"{own}\n{asked}".casefold()
    for found in _AMOUNT.finditer(open_text):
        if not known & _values(found[0]):
            yield found.start(), found.end(), "no price or total of the shop"
    for found in _REFERENCE.finditer(open_text):
        if found[0].casefold() not in quoted:
            yield found.start(), found.end(), "no reference of the shop"
    for found in _MATTERS.finditer(open_text):
        if found[0].casefold() not in said:
            yield found.start(), min(found.end(), found.start() + _LONGEST), "not a matter of this desk"
    if not ordered:
        for found in _ORDERED.finditer(open_text):
            yield found.start(), found.end(), "nothing was ordered"


def _values(written: str) -> set[Decimal]:
    """The amount; two or no decimals, thousands set off in any way."""
    whole, cents = written.strip(), ""
    if len(whole) > 3 and whole[-3] in ".,":
        whole, cents = whole[:-3], whole[-2:]
    digits = re.sub(r"\D", "", whole)
    try:
        return {Decimal(f"{digits}.{cents or '00'}")}
    except InvalidOperation:
        return set()
