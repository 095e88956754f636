"""Numbers as people write them: `1,234.50`, `1.234,50`, `1 234`, "twenty-five", "two dozen", "fünfundzwanzig"."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

NUMBER = r"(?<![\w.,])\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?(?![\w])|(?<![\w.,])\d+(?:[.,]\d+)?"
"""A number in digits; it may be followed by a unit at once."""
_GROUPED = re.compile(r"\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LONGEST = 40
_MULTIPLIERS = {
    "dozen": 12, "dutzend": 12, "douzaine": 12, "douzaines": 12, "docena": 12, "docenas": 12, "hundred": 100,
    "hundert": 100, "cent": 100, "cents": 100, "cien": 100, "ciento": 100, "thousand": 1000, "tausend": 1000,
    "mille": 1000, "mil": 1000,
}  # fmt: skip
# Said of one thing, these are articles and pronouns; before a multiplier they are numbers.
ARTICLES = frozenset(
    ["a", "an", "one", "ein", "eine", "einen", "einem", "einer", "eins", "un", "une", "una", "uno"]
)
_AND = frozenset({"and", "und", "et", "y"})
_EN = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_DE = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
_FR = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf"
_ES = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve"
)
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
# Spanish for eleven, and English for one time.
_NOT_NUMBERS = frozenset({"once"})


@cache
def _words() -> dict[str, int]:
    found: dict[str, int] = {}
    for names in (_EN, _DE, _FR, _ES):
        found.update({word: n for n, word in enumerate(names.split())})
    for language, names in _TENS.items():
        for n, ten in enumerate(names.split(), 2):
            found[ten] = 10 * n
            for unit in range(1, 10):
                if language == "en":
                    found[f"{ten}-{_EN.split()[unit]}"] = 10 * n + unit
                elif language == "de":
                    found[("ein" if unit == 1 else _DE.split()[unit]) + "und" + ten] = 10 * n + unit
                elif language == "fr" and n not in (7, 9):
                    found[f"{ten.rstrip('s')}-{_FR.split()[unit]}"] = 10 * n + unit
    for unit in range(2, 10):
        found[_DE.split()[unit] + "hundert"] = 100 * unit
    return {
        word: n for word, n in found.items() if word not in _NOT_NUMBERS and word not in ARTICLES and n > 0
    }


def values(written: str) -> frozenset[Decimal]:
    """What a number in digits may mean: `1.234` is 1234 or 1.234, the others are one."""
    plain = re.sub(r"[ ']", "", written)
    dots, commas = plain.count("."), plain.count(",")
    if dots and commas:
        last = max(plain.rfind("."), plain.rfind(","))
        return frozenset({Decimal(re.sub(r"[.,]", "", plain[:last]) + "." + plain[last + 1 :])})
    if dots + commas == 0:
        return frozenset({Decimal(plain)})
    joined = Decimal(re.sub(r"[.,]", "", plain))
    if dots + commas > 1 or " " in written or "'" in written:
        return frozenset({joined})
    decimal = Decimal(plain.replace(",", "."))
    return frozenset({joined, decimal}) if _GROUPED.fullmatch(plain) else frozenset({decimal})


def shown(value: Decimal) -> str:
    """One spelling for equal numbers: 19.9 and 19.90 are "19.9"."""
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text.lstrip("0")) or "0"


def number_words(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """Numbers in words from two on, and dozens and hundreds of them, with where they stand."""
    known = _words()
    start, end, value, article = 0, -1, 0, -1
    for match in _WORD.finditer(text):
        word = match.group().lower() if len(match.group()) <= _LONGEST else ""
        joins = end >= 0 and _adjoins(text, end, match.start())
        if word in _MULTIPLIERS and joins:
            value, end = value * _MULTIPLIERS[word], match.end()
        elif word in _MULTIPLIERS and article >= 0 and text[article : match.start()].split()[1:] == []:
            start, end, value = article, match.end(), _MULTIPLIERS[word]
        elif word in known and joins and known[word] < 100 <= value:
            value, end = value + known[word], match.end()
        elif word in known:
            if end >= 0:
                yield start, end, Decimal(value)
            start, end, value = match.start(), match.end(), known[word]
        elif not (word in _AND and joins):
            if end >= 0:
                yield start, end, Decimal(value)
            end = -1
        article = match.start() if word in ARTICLES else -1
    if end >= 0:
        yield start, end, Decimal(value)


def _adjoins(text: str, end: int, start: int) -> bool:
    between = text[end:start].strip().lower() if start - end <= 6 else "-"
    return (not between or between in _AND) and "\n" not in text[end:start]
