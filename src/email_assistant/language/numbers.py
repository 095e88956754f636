"""Numbers in digits (`1,234.50`, `1.234,50`, `1'234.50`, `12,34,567`), shares in percent, and whole numbers in words of four languages
("twenty-five", "two dozen", "zweihundertfünfzig", "mille deux cents").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

from email_assistant.language.text import language_of, unaccented
from email_assistant.language.words import WORDS

DIGITS = (
    r"(?:\d{1,3}(?:(?:,\d{3})+|(?:\.\d{3})+|(?: \d{3})+|(?:'\d{3})+)(?:[.,]\d{1,2})?(?!\w)"
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,2})?(?!\w)|\d+(?:[.,]\d+)?)"
)
"""A number in digits, as a pattern for folded text (`text.fold`); a unit may follow it at once."""
NUMBER = rf"(?<![.,])(?:(?<!\w)|(?<=[\u3040-\u30ff\u4e00-\u9fff])){DIGITS}"
"""The same, where it begins a number: not within a word (Japanese puts no spaces) or behind another number's mark."""
_NUMBER = re.compile(NUMBER)
_PERCENT = re.compile(r"\s?(?:%|(?:percent|pct|prozent|pour cent|por ciento)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A number at a place of a text."""

    start: int
    end: int
    readings: tuple[Decimal, ...]
    """What it may mean, the likeliest first: `1.234` is 1234 or 1.234."""
    bare: bool = False
    """Said of one thing it is an article, or a figure of speech: "a", "one", "mille grazie"."""

    @property
    def value(self) -> Decimal:
        """The likeliest reading."""
        return self.readings[0]


def numbers(text: str) -> Iterator[Number]:
    """The numbers in digits of a folded text, in order; parts of dates, times and ids among them."""
    return (Number(match.start(), match.end(), readings(match.group())) for match in _NUMBER.finditer(text))


def readings(written: str) -> tuple[Decimal, ...]:
    """What digits (as `DIGITS` matches them) may mean, the likeliest first.

    Of points and commas the last one is the decimal mark, unless three digits follow and another group, or nothing, stands before: then
    it may part thousands.
    """
    plain = re.sub(r"[ ']", "", written)
    at = max(plain.rfind("."), plain.rfind(","))
    if at < 0:
        return (Decimal(plain),)
    head, mark, tail = plain[:at], plain[at], plain[at + 1 :]
    whole = re.sub(r"[.,]", "", head)
    decimal, joined = Decimal(f"{whole}.{tail}"), Decimal(whole + tail)
    if (
        len(tail) != 3
        or (len(head) > 3 and head == whole)
        or (head != whole and mark not in head)
        or head == "0"
    ):
        return (decimal,)
    return (joined,) if head != whole else (joined, decimal)


def percent_after(text: str, end: int) -> int:
    """Where "%" or a word for it ends that follows a number's end; -1 without."""
    found = _PERCENT.match(text, end)
    return found.end() if found else -1


def shown(value: Decimal) -> str:
    """One spelling for equal numbers: 19.9 and 19.90 are "19.9"."""
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text.lstrip("0")) or "0"


# From zero to twenty; "/" joins two spellings.
with WORDS.section("numbers") as section:
    _UNITS = section.by_file("units")
    _TENS = section.by_file("tens")
    _HUNDREDS = section.by_file("hundreds")
    _FACTORS = {
        number: section.by_file(name)
        for number, name in ((100, "hundred"), (1000, "thousand"), (12, "dozen"))
    }
    _SIX = section.pattern(r"\b(?:{half_a_dozen})\b")
ARTICLES = frozenset({"a", "an", "one", "ein", "eine", "einen", "einem", "einer", "eins", "un", "une", "una", "uno"})  # fmt: skip
"""Said of one thing these are articles and pronouns; before a factor, or a unit, they are numbers."""
JOINERS = frozenset({"and", "und", "et", "y", "e", "en"})
# What else these are: "all at once", "sac à dos", "un sac neuf", "two cents"; they count in a text of their language only.
_AMBIGUOUS = frozenset({"once", "dos", "neuf", "elf", "sept", "cent", "cents", "mil"})
_AMBIGUOUS_WORD = re.compile(rf"\b(?:{'|'.join(_AMBIGUOUS)})\b", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<grouped>[0-9]{1,3}(?P<sep>[.,'’ ])[0-9]{3}(?:(?P=sep)[0-9]{3}){0,2}(?![0-9]))|[0-9]+|[^\W\d_]+(?:-[^\W\d_]+)*"
)
_PARTS = re.compile(r"-|(hundert|tausend)(?:und)?|(veinti)(?=.)")
_LONGEST_RUN = 6


@dataclass(frozen=True, slots=True)
class _Word:
    """A number that one word says, and the languages (ISO 639-1) in which it does."""

    value: int
    languages: frozenset[str] = frozenset()
    is_factor: bool = False
    """Whether it says how many times what stands before it."""
    is_ambiguous: bool = False


def _plus(total: int, word: _Word) -> int | None:
    """A number with one word more, or None when the word begins another number."""
    number, rest, tens = word.value, total % 1000, total % 100
    if word.is_factor:
        ahead = total if number == 1000 else rest
        return total - ahead + (ahead or 1) * number if ahead < (1000 if number == 1000 else 100) else None
    if number == 20 and tens == 4 and "fr" in word.languages:  # "quatre-vingt"
        return total + 76
    fits = (
        rest == 0
        or (tens == 0 and 0 < number < 100)
        or (tens >= 20 and tens % 10 == 0 and 0 < number < 10)
        or (tens in {60, 80} and 10 <= number < 20)
    )
    return total + number if fits else None


def _sum(total: int | None, words: Sequence[_Word]) -> int | None:
    for word in words:
        total = None if total is None else _plus(total, word)
    return total


def number_words(text: str, *, language: str | None = None) -> Iterator[Number]:
    """The numbers of a folded text that are written in words, or in digits and words ("2 dozen"); see `whole_numbers`."""
    for number in whole_numbers(text, language=language):
        written = text[number.start : number.end]
        if any(map(str.isalpha, written)) and not (
            written[0].isdecimal() and re.search(r"\d[.,]$", text[: number.start][-2:])
        ):
            yield number


def whole_numbers(text: str, *, language: str | None = None) -> Iterator[Number]:
    """The whole numbers of a folded text in order, in digits and in words; a run of words is one number as far as it makes one.

    `language` (ISO 639-1; "" when it is not known) decides on words that are something else in other languages ("once", "dos"). With
    None the text tells.
    """
    return iter(_whole_numbers(text, language))


@lru_cache(maxsize=8)  # Amounts, lengths and quantities are looked for in the same text, one after the other.
def _whole_numbers(text: str, language: str | None) -> tuple[Number, ...]:
    sixes = [match.span() for match in _SIX.finditer(text)]
    tokens = [t for t in _TOKEN.finditer(text) if not any(a <= t.start() < b for a, b in sixes)]
    found = [Number(start, end, (Decimal(6),)) for start, end in sixes]
    if language is None:
        language = language_of(text) if _AMBIGUOUS_WORD.search(text) else ""
    place = 0
    while place < len(tokens):
        number, place = _run(text, tokens, place, language)
        found += [number] if number else []
    return tuple(sorted(found, key=lambda number: number.start))


def _run(text: str, tokens: Sequence[re.Match[str]], place: int, language: str) -> tuple[Number | None, int]:
    """The number that begins at a token, and the place after its last token."""
    first, last, at = tokens[place], tokens[place], place + 1
    written, words = unaccented(first.group()), _words(first.group())
    # Where nothing tells the language, a number leads the text.
    leads = words[0].languages if words and not (place or language) else frozenset()
    total = _sum(0, words) if _counts(words, language, leads) else None
    if total is None or (words[0].is_factor and written.endswith("s")):  # "dozens of bags"
        return None, at
    while at < len(tokens) and at < place + _LONGEST_RUN and _adjoin(text, last, tokens[at]):
        is_joined = tokens[at].group().lower() in JOINERS and total >= 20 and at + 1 < len(tokens)
        if is_joined and not _adjoin(text, tokens[at], tokens[at + 1]):
            break
        following = tokens[at + is_joined]
        more = _words(following.group())
        together = _sum(total, more) if _counts(more, language, words[-1].languages) else None
        if together is None or not following.group()[0].isalpha() or following.group().lower() in {"a", "an"}:
            break
        total, words, last, at = together, more, following, at + is_joined + 1
    bare = last is first and (
        written in ARTICLES or (len(words) == 1 and words[0].value == 1000 and words[0].is_factor)
    )
    return Number(first.start(), last.end(), (Decimal(total),), bare), at


def _adjoin(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    return text[first.end() : second.start()] in {" ", "-"}


def _counts(words: Sequence[_Word], language: str, before: frozenset[str]) -> bool:
    """True of words that are numbers in this text, or go on with one of their language."""
    return any(
        not word.is_ambiguous or language in word.languages or before & word.languages for word in words[:1]
    )


@lru_cache(maxsize=4_096)
def _words(written: str) -> tuple[_Word, ...]:
    """The numbers that a token is made of: "zweihundertfünfzig" of three; none when a part of it is no number."""
    if written[0].isdecimal():
        return (_Word(int(re.sub(r"\D", "", written)[:9])),)
    parts = [part for part in _PARTS.split(unaccented(written)) if part]
    counted = [part for at, part in enumerate(parts) if not (at and part in JOINERS)]
    words = [_table()[part] for part in counted if part in _table()]
    return tuple(words) if len(words) == len(counted) and written.lower() != "très" else ()


@cache
def _table() -> dict[str, _Word]:
    """The words, as `unaccented` writes them, that are a number or a factor by themselves."""
    found = {article: _Word(1) for article in ARTICLES}
    for language, number, word in _spelled():
        plain = unaccented(word)
        languages = found[plain].languages if plain in found else frozenset()
        is_factor = word in _FACTORS.get(number, {}).get(language, "").split()
        found[plain] = _Word(number, languages | {language}, is_factor, plain in _AMBIGUOUS)
    return found


def _spelled() -> Iterator[tuple[str, int, str]]:
    for language, written in _UNITS.items():
        units = dict(enumerate(written.split()))
        tens = {20: units[20].split("/")[0]} | dict(
            zip(range(30, 100, 10), _TENS[language].split(), strict=False)
        )
        words = [*units.items(), *tens.items()]
        words += [(factor, word) for factor, each in _FACTORS.items() for word in each[language].split()]
        words += [(20, "veinti")] if language == "es" else []
        if language == "de":  # "einundzwanzig"
            stems = [(unit, stem) for unit in range(2, 10) for stem in units[unit].split("/")]
            words += [
                (t + u, f"{stem}und{ten}") for t, ten in tens.items() for u, stem in [(1, "ein"), *stems]
            ]
        stems = list(enumerate(_HUNDREDS.get(language, "").split(), 2))
        words += [(100 * number, f"{stem}os/{stem}as") for number, stem in stems]
        yield from ((language, number, word) for number, each in words for word in each.split("/"))
