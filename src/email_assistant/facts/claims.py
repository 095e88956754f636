"""The claims in a text: every recogniser in turn, each taking only what none before it has taken.

Values that are compared as they are written: money, percentages, quantities, numbers; links, addresses, phone numbers, ids.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, tzinfo
from decimal import Decimal
from functools import lru_cache
from itertools import chain

from email_assistant.facts.fact import Claim, Key
from email_assistant.facts.times import dates, in_words, stamps, times
from email_assistant.language.measures import Length, amounts, lengths
from email_assistant.language.numbers import Number, number_words, numbers, percent_after, shown
from email_assistant.language.words import COMMON, WORDS

_CHUNK = 4_000
_MOST_KEPT = 10_000
"""Characters of a text whose claims are kept."""


def chunks(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces of a few thousand characters, cut at line ends or spaces, with where each begins."""
    start = 0
    while start < len(text):
        end = min(len(text), start + _CHUNK)
        if end < len(text):
            cut = max(text.rfind("\n", start, end), start) or start
            cut = cut if cut > start else text.rfind(" ", start, end)
            end = cut + 1 if cut > start else end
        yield start, text[start:end]
        start = end


def claims_in(text: str, base: date, zone: tzinfo, *, day_first: bool | None) -> Iterator[Claim]:
    """The claims of a folded text (see `language.text.fold`), in order within each piece; `base` is when it was written."""
    for offset, piece in chunks(text):
        for claim in sorted(_piece(piece, base, zone, day_first), key=lambda claim: claim.start):
            end = claim.end - _ends_sentence(piece[claim.start : claim.end])
            yield replace(claim, start=offset + claim.start, end=offset + end)


def claims_of(text: str, base: date, zone: tzinfo, *, day_first: bool | None) -> Iterable[Claim]:
    """The same, kept: a source is read again for each draft that is checked by it, and by each check of a draft."""
    if len(text) > _MOST_KEPT:
        return claims_in(text, base, zone, day_first=day_first)
    return _kept_claims(text, base, zone, day_first)


@lru_cache(maxsize=256)
def _kept_claims(text: str, base: date, zone: tzinfo, day_first: bool | None) -> tuple[Claim, ...]:
    return tuple(claims_in(text, base, zone, day_first=day_first))


def _ends_sentence(written: str) -> bool:
    """Whether a claim took in the full stop after it: "3 pm." does, "p.m." and "3.12." do not."""
    return written.endswith(".") and written.count(".") == 1 and written[-2:-1].isalpha()


def _piece(text: str, base: date, zone: tzinfo, day_first: bool | None) -> Iterator[Claim]:
    taken = bytearray(len(text))
    yield from _take(links(text), taken)
    if not re.search(r"\w", text):
        return
    yield from _take(chain.from_iterable(stamps(text, zone)), taken)
    for start, end in idioms(text):
        taken[start:end] = b"\x01" * (end - start)
    yield from _take(in_words(_rest(text, taken)), taken)
    yield from _take(dates(_rest(text, taken), base, day_first=day_first), taken)
    rest = _rest(text, taken)
    yield from _take(money(rest), taken)
    if any(char.isdecimal() for char in rest):
        yield from _take(ids(_rest(text, taken)), taken, before=phones(_rest(text, taken)))
    yield from _take(times(_rest(text, taken), base, zone), taken)
    rest = _rest(text, taken)
    for claim in _take(quantities(rest), taken):
        if not (claim.kind == "number" and is_list_mark(rest, claim.start, claim.end)):
            yield claim


def _take(found: Iterable[Claim], taken: bytearray, before: Iterable[Claim] = ()) -> Iterator[Claim]:
    for claim in chain(before, found):
        if claim.end > claim.start and not any(taken[claim.start : claim.end]):
            taken[claim.start : claim.end] = b"\x01" * (claim.end - claim.start)
            yield claim


def _rest(text: str, taken: bytearray) -> str:
    """The text with what is taken blanked out by a sign that no recogniser reads."""
    if not any(taken):
        return text
    out, at = [], 0
    for match in re.finditer(rb"\x01+", bytes(taken)):
        out += [text[at : match.start()], "\x1f" * (match.end() - match.start())]
        at = match.end()
    return "".join([*out, text[at:]])


with COMMON.section("quantities") as section:
    _UNIT = {name: unit for unit, names in section.entries("units").items() for name in names.split()}
with WORDS.section("facts") as section:
    # "a week" is a length of time after these, and an idiom elsewhere ("have a good week").
    _A_WHILE = section.pattern(r"\b(?:{a_while})\s(?:about\s|only\s|just\s|von\s)?$")
    _PHONE_WORD = section.pattern(r"(?:\b(?:{phone})\b|☎)[^\d\n]{0,40}$")
_METRIC: dict[str, tuple[str, Decimal]] = {
    "kg": ("g", Decimal(1000)),
    "km": ("m", Decimal(1000)),
    "cm": ("m", Decimal("0.01")),
    "mm": ("m", Decimal("0.001")),
}
_UNIT_AFTER = re.compile(r"[\s-]?(?P<u>[^\W\d_]+[2²]?)(?![\w])")
_FRACTION = re.compile(r"(?<!\d)(?:(?P<n>\d{1,6})\s?)?(?P<f>[¼½¾])")
_FRACTIONS = {"¼": Decimal("0.25"), "½": Decimal("0.5"), "¾": Decimal("0.75")}
_NOUNS = re.compile(r"(?:\s?x)?[\s-](?P<a>[^\W\d_]{3,})(?:[\s-](?P<b>[^\W\d_]{3,}))?")
_LIST_MARK = re.compile(r"(?:^|\n)[ \t>*-]*$")
_IDIOMS = re.compile(r"24/7|\b24-7\b|\b365 days\b", re.IGNORECASE)

_TOP = "com|org|net|info|biz|edu|gov|int|io|ai|app|dev|shop|store|online|site|me|de|at|ch|fr|es|it|nl|be|pl|eu|uk|us|ca|co|jp|se|no|dk|fi|ie|pt|au|test|example"  # noqa: E501
_LINK = re.compile(
    rf"(?<![\w@.])(?:https?://[^\s<>\"\]]{{1,2000}}|www\.[^\s<>\"\]]{{1,500}}"
    rf"|(?:[a-z0-9][a-z0-9-]{{0,62}}\.){{1,5}}(?:{_TOP})\b(?!@)(?:/[^\s<>\"\]]{{0,500}})?)",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_PHONE = re.compile(
    r"(?<![\w#./-])(?:\+|00|\(?0)\d?[\d ()/.-]{5,22}\d(?!\w)|(?<![\w#./-])\(\d{3}\)\s?\d{3}[-. ]\d{4}(?!\w)"
    r"|(?<![\w#./-])\d{3}[-.]\d{3}[-.]\d{4}(?!\w)"
)
_PLAIN_PHONE = re.compile(r"(?<![\w#./-])\d[\d /-]{5,20}\d(?![\w])")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_TOKEN = re.compile(r"(?<![\w@])#?[^\W_]+(?:[-/_.][^\W_]+)*(?!\w)")
_ISO_OR_CLOCK = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:t[\d:.]+z?)?|\d{1,2}[-.]?\d{0,2}(?:am|pm|h|h\d\d|uhr|st|nd|rd|th|er)|\d{1,2}/\d{1,2}(?:/\d{2,4})?"
    r"|\d+x|x\d+|\d+(?:[.,]\d+)?(?:k|m|mm|cm|km|g|kg|l|ml|gb|mb|tb|w|kw|kwh|min|mins|hrs?|bn|mio|ft|qm|m2)"
    r"|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d+(?:-\d+)?-(?:[^\W\d]+-?)+",
    re.IGNORECASE,
)
_LONG_ID = 7


def idioms(text: str) -> Iterator[tuple[int, int]]:
    """Figures of speech that count nothing."""
    return (match.span() for match in _IDIOMS.finditer(text))


def money(text: str) -> Iterator[Claim]:
    """Amounts with a currency before or after."""
    for amount in amounts(text):
        keys: Iterator[Key] = (("money", amount.currency, shown(value)) for value in amount.readings)
        yield Claim("money", amount.start, amount.end, frozenset(keys))


def quantities(text: str) -> Iterator[Claim]:
    """Percentages, quantities with units, and other numbers, in digits or words, longest reading first."""
    fractions = (
        Number(m.start(), m.end(), (Decimal(m["n"] or 0) + _FRACTIONS[m["f"]],))
        for m in _FRACTION.finditer(text)
    )
    words = (number for number in number_words(text) if number.value)
    for length in lengths(text):
        if not length.bare or _counts_one(text, length.start):
            yield Claim("quantity", length.start, length.end, frozenset({_length_key(length)}))
    for number in chain(fractions, words, numbers(text)):
        claim = _claim(text, number)
        if not number.bare or (claim.kind != "number" and _counts_one(text, number.start)):
            yield claim


def _length_key(length: Length) -> Key:
    if length.unit == "working_day":
        return "quantity", "working days", shown(length.count)
    return "quantity", "minutes", shown(length.minutes)


def _counts_one(text: str, start: int) -> bool:
    """Whether "one" or an article counts: where it says "one", or behind a word that a length follows."""
    return text.startswith(("one ", "One "), start) or bool(_A_WHILE.search(text, max(0, start - 40), start))


def _claim(text: str, number: Number) -> Claim:
    start, end, values = number.start, number.end, number.readings
    if (percent := percent_after(text, end)) >= 0:
        return Claim("percentage", start, percent, frozenset(("percentage", shown(n)) for n in values))
    unit = _UNIT_AFTER.match(text, end)
    if unit and unit["u"].lower() in _UNIT and unit.group() != "-m":
        return Claim("quantity", start, unit.end(), _unit_keys(unit["u"].lower(), values))
    nouns = _NOUNS.match(text, end)
    found = tuple(word.lower()[:5] for word in nouns.groups() if word) if nouns else ()
    return Claim("number", start, end, frozenset(("number", shown(n)) for n in values), nouns=found)


def is_list_mark(text: str, start: int, end: int) -> bool:
    """Whether a number begins a line as "1." or "2)" does."""
    return text[end : end + 1] in {".", ")"} and bool(_LIST_MARK.search(text[max(0, start - 20) : start]))


def _unit_keys(name: str, numbers: Iterable[Decimal]) -> frozenset[Key]:
    unit = _UNIT[name.replace("²", "2")]
    metric, factor = _METRIC.get(unit, (unit, Decimal(1)))
    return frozenset(("quantity", metric, shown(n * factor)) for n in numbers)


def links(text: str) -> Iterator[Claim]:
    """E-mail addresses, then web addresses with or without a scheme."""
    taken: list[tuple[int, int]] = []
    for match in _EMAIL.finditer(text):
        address = match.group().rstrip(".-")
        taken.append((match.start(), match.start() + len(address)))
        yield Claim("email", *taken[-1], frozenset({("email", address.casefold())}))
    for match in _LINK.finditer(text):
        written = match.group().rstrip(".,;:!?)'*_")
        host, _, path = re.sub(r"^https?://", "", written, flags=re.IGNORECASE).partition("/")
        host = host.casefold().removeprefix("www.")
        path = path.rstrip("/")
        yield Claim("link", match.start(), match.start() + len(written), frozenset({("link", host, path)}))


def phones(text: str) -> Iterator[Claim]:
    """Phone numbers: by their look, or any longer run of digits that "call" or "phone" stands before."""
    for match in _PHONE.finditer(text):
        yield from _phone(match)
    for match in _PLAIN_PHONE.finditer(text):
        if _PHONE_WORD.search(text[max(0, match.start() - 60) : match.start()]):
            yield from _phone(match)


def _phone(match: re.Match[str]) -> Iterator[Claim]:
    digits = re.sub(r"\D", "", match.group())
    # "04/12/2026" and "0.125" look like numbers to call but are none.
    if 7 <= len(digits) <= 15 and not re.fullmatch(
        r"\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d+[.,]\d+", match.group()
    ):
        yield Claim("phone", match.start(), match.end(), frozenset({("phone", national(digits))}))


def national(digits: str) -> str:
    """The last nine digits, without prefixes that are dialled or not: +49 30 1234567 and 030 1234567 are one."""
    return digits.lstrip("0")[-9:] if len(digits.lstrip("0")) >= 9 else digits.lstrip("0")


def ids(text: str) -> Iterator[Claim]:
    """Tokens of letters and digits, `#` and digits, digits with hyphens, and long digits."""
    for match in _IBAN.finditer(text):
        yield Claim("id", match.start(), match.end(), frozenset({id_key(match.group())}))
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(token) > 80 or not any(char.isdecimal() for char in token) or not _is_id(token):
            continue
        yield Claim("id", match.start(), match.end(), frozenset({id_key(token)}))


def _is_id(token: str) -> bool:
    if token.startswith("#"):
        return True
    if _ISO_OR_CLOCK.fullmatch(token):
        return False
    if any(char.isalpha() for char in token):
        return True
    return (token.isdecimal() and len(token) >= _LONG_ID) or bool(
        re.fullmatch(r"\d+(?:[-/_]\d+)+", token) and len(token) > 7
    )


def id_key(token: str) -> tuple[str, str]:
    """An id without `#`, hyphens and spaces, in capitals; leading zeros count."""
    return "id", re.sub(r"[#\s/_.-]", "", token).upper()
