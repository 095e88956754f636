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
_PERCENT = re.compile(
    r"\s?(?:%|(?:percent|pct|prozent|procent|per cento?|pour cent|por ciento|por cento)\b)", re.IGNORECASE
)


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
_MARKS = {
    "tausend": (1000, "de"), "duizend": (1000, "nl"), "mila": (1000, "it"), "mille": (1000, "it"), "hundert": (100, "de"),
    "honderd": (100, "nl"), "cento": (100, "it"),
}  # fmt: skip
ARTICLES = frozenset(
    ["a", "an", "one", "ein", "eine", "einen", "einem", "einer", "eins", "un", "een", "une", "una", "uno", "um", "uma"]
)  # fmt: skip
"""Said of one thing these are articles and pronouns; before a factor, or a unit, they are numbers."""
JOINERS = frozenset({"and", "und", "et", "y", "e", "en"})
_THOUSANDS = frozenset({"mille", "tausend", "mil", "mila", "duizend", "thousand"})
# "Dozens of bags" are no number of them.
_PLURALS = frozenset({"dozens", "douzaines", "docenas", "dozzine", "duzias", "cents"})
# What else these words are: "all at once", "sac à dos", "due date", "un sac neuf", "per cent"; the languages in which they count.
_AMBIGUOUS = {
    "once": "es", "dos": "es", "due": "it", "sei": "it", "neuf": "fr", "elf": "de nl", "sept": "fr", "cent": "fr",
    "cents": "fr", "cento": "it pt", "mil": "es pt",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<grouped>[0-9]{1,3}(?P<sep>[.,'’ ])[0-9]{3}(?:(?P=sep)[0-9]{3}){0,2}(?![0-9]))|[0-9]+|[^\W\d_]+(?:-[^\W\d_]+)*"
)
_LONGEST_WORD = 40
_LONGEST_RUN = 6


@dataclass(frozen=True, slots=True)
class _Word:
    """A number that one word says, and the languages (ISO 639-1) in which it does."""

    value: int
    languages: frozenset[str]
    is_factor: bool = False
    """Whether it says how many times what stands before it."""


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

    `language` (ISO 639-1; "" when it is not known) decides on words that are numbers in one language only ("once", "dos", "neuf"):
    otherwise they count only where they go on with a number of their language, or lead the text. With None the text tells.
    """
    return iter(_whole_numbers(text, language))


@lru_cache(maxsize=8)  # Amounts, lengths and quantities are looked for in the same text, one after the other.
def _whole_numbers(text: str, language: str | None) -> tuple[Number, ...]:
    tongue = _Tongue(text, language)
    sixes = [match.span() for match in _SIX.finditer(text)]
    tokens = list(_TOKEN.finditer(text))
    if sixes:
        tokens = [token for token in tokens if not any(a <= token.start() < b for a, b in sixes)]
    found = [Number(start, end, (Decimal(6),)) for start, end in sixes]
    place = 0
    while place < len(tokens):
        if not _may_begin(tokens[place].group()):
            place += 1
            continue
        number, place = _run(text, tokens, place, tongue)
        if number:
            found.append(number)
    return tuple(sorted(found, key=lambda number: number.start))


class _Tongue:
    """The language of a text, looked for when it is first asked for."""

    def __init__(self, text: str, language: str | None) -> None:
        self._text, self._language = text, language

    def counts(self, word: str, *, said: Sequence[str]) -> bool:
        """Whether a word of two meanings is the number here; `said`: the words of the number that it would go on with."""
        languages = set(_AMBIGUOUS[word].split())
        if said and all(languages & languages_of(each) for each in said):
            return True
        if self._language is None:
            self._language = language_of(self._text)
        if self._language or said:
            return self._language in languages
        return not self._text.lower().strip().partition(word)[0]


def _run(
    text: str, tokens: Sequence[re.Match[str]], place: int, tongue: _Tongue
) -> tuple[Number | None, int]:
    """The number that begins at a token, and the place after its last token."""
    first = last = tokens[place]
    words = [_plain(first)]
    value = number_of(words) if _is_number(words[0], tongue, said=()) else None
    if value is None or words[0] in _PLURALS:
        return None, place + 1
    ahead = place + 1
    while ahead < len(tokens) and len(words) < _LONGEST_RUN and _adjoin(text, last, tokens[ahead]):
        more = [_plain(tokens[ahead])]
        if more[0] in JOINERS and value >= 20 and ahead + 1 < len(tokens):
            more += [_plain(tokens[ahead + 1])] if _adjoin(text, tokens[ahead], tokens[ahead + 1]) else []
        together = None
        if (
            more[-1] not in {"a", "an"}
            and not more[-1].isdecimal()
            and _is_number(more[-1], tongue, said=words)
        ):
            together = number_of([*words, *more])
        if together is None:
            break
        words, value = [*words, *more], together
        last, ahead = tokens[ahead + len(more) - 1], ahead + len(more)
    bare = last is first and words[0] in ARTICLES | _THOUSANDS
    return Number(first.start(), last.end(), (Decimal(value),), bare), ahead


def _plain(token: re.Match[str]) -> str:
    written = token.group()
    digits = re.sub(r"[.,'’ ]", "", written) if token["grouped"] else written
    if digits.isdecimal():
        return digits[:9].lstrip("0") or "0"
    return unaccented(written) if written.lower() != "très" else ""


@lru_cache(maxsize=4_096)
def _may_begin(written: str) -> bool:
    """Whether a number may begin with what is written; most words of a text are none, wherever they stand."""
    if written[0].isdecimal():
        return True
    word = unaccented(written)
    return word in _AMBIGUOUS or word in ARTICLES or any(map(_lookup, [word, *word.split("-")]))


def _adjoin(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    return text[first.end() : second.start()] in {" ", "-"}


def _is_number(word: str, tongue: _Tongue, *, said: Sequence[str]) -> bool:
    """Whether a word, or all parts of it that hyphens join, are numbers or factors; an article is one."""
    if word in _AMBIGUOUS:
        return tongue.counts(word, said=said)
    if word.isdecimal() or word in ARTICLES or _lookup(word):
        return True
    parts = word.split("-")
    return len(parts) > 1 and all(part in _table() or part in JOINERS for part in parts)


def number_of(words: Sequence[str]) -> int | None:
    """The number that words (as `unaccented` writes them) say together, or None when it is none, or several: "two hundred and ten"."""
    total = current = 0
    for part in (part for word in words for part in ([word] if _lookup(word) else word.split("-"))):
        known = _lookup(part)
        if part in JOINERS and not known:
            continue
        if known and known.is_factor:
            total, current = (
                (total + (current or 1) * 1000, 0)
                if known.value == 1000
                else (total, (current or 1) * known.value)
            )
            continue
        number = int(part) if part.isdecimal() else 1 if part in ARTICLES else known.value if known else None
        added = None if number is None else _added(current, number, part)
        if added is None:
            return None
        current = added
    return total + current


def _added(current: int, number: int, word: str) -> int | None:
    rest = current % 100
    if word.startswith("vingt") and rest == 4:
        return current + 76
    if current == 0 or (number < 100 and (rest == 0 or (rest >= 20 and rest % 10 == 0 and number < 10))):
        return current + number
    return current + number if rest in (60, 80) and 10 <= number < 20 else None


def languages_of(word: str) -> frozenset[str]:
    """The languages (ISO 639-1) in which a word, as `unaccented` writes it, is a number."""
    known = _lookup(word)
    return known.languages if known else frozenset()


@lru_cache(maxsize=4_096)  # A check of a draft asks five hundred times, mostly about the same short words.
def _lookup(word: str) -> _Word | None:
    """What a word says; one with a hundred or a thousand inside is taken apart: "zweihundertfünfzig"."""
    known = _table().get(word)
    if known or len(word) > _LONGEST_WORD:
        return known
    for mark, (factor, language) in _MARKS.items():
        head, found, tail = word.partition(mark)
        if found:
            times = _part(head.removesuffix("und")) if head else 1
            rest = _part(re.sub(r"^(?:und|en)(?=.)", "", tail)) if tail else 0
            return _Word(times * factor + rest, frozenset({language})) if times and rest is not None else None
    return None


def _part(word: str) -> int | None:
    known = _lookup(word)
    return known.value if known else 1 if word in ARTICLES else None


@cache
def _table() -> dict[str, _Word]:
    """The words, as `unaccented` writes them, that are a number or a factor by themselves."""
    found: dict[str, _Word] = {}
    for language, number, word in _described():
        plain = unaccented(word)
        languages = found[plain].languages if plain in found else frozenset()
        found[plain] = _Word(number, languages | {language})
    for factor, tongues in _FACTORS.items():
        for language, words in tongues.items():
            for word in map(unaccented, words.split()):
                languages = found[word].languages if word in found else frozenset()
                found[word] = _Word(factor, languages | {language}, is_factor=True)
    return found


def _described() -> Iterator[tuple[str, int, str]]:
    for language, written in _UNITS.items():
        units = [spelt.split("/") for spelt in written.split()]
        tens = [units[20][0], *_TENS[language].split()]
        yield from ((language, number, word) for number, words in enumerate(units) for word in words)
        yield from (
            (language, number, word) for number, word in zip(range(30, 100, 10), tens[1:], strict=False)
        )
        for number in range(1, 10):
            for ten, word in zip(range(20, 100, 10), tens, strict=False):
                for unit in units[number]:
                    if joined := _joined(language, word, unit, number):
                        yield language, ten + number, joined
        for number, stem in enumerate(_HUNDREDS.get(language, "").split(), 2):
            yield from ((language, 100 * number, stem + end) for end in ("os", "as"))


def _joined(language: str, ten: str, unit: str, number: int) -> str:
    """What a language writes as one word between 21 and 99; the others write two."""
    if language == "de":
        return f"{'ein' if number == 1 else unit}und{ten}"
    if language == "nl":
        return f"{unit}en{ten}"
    if language == "it":
        return (ten[:-1] if number in (1, 8) else ten) + unit
    return f"veinti{unit}" if language == "es" and ten == "veinte" else ""
