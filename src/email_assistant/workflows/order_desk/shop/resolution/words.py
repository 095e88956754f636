"""Texts of customers and catalogues as words that can be compared: no case, accents, plurals and words that say little.

Fixed rules for English, German, French, Spanish and Italian. Scripts without spaces are read as one long word and are not found.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from email_assistant.workflows.order_desk.wording import WORDS

with WORDS.section("products") as section:
    FILLER = frozenset(section.words("filler"))
    _ORDINALS = frozenset(section.words("ordinal"))
    IRREGULAR = section.entries("irregular")
    _GROUPS = {group: section.entries(group) for group in ("colour", "material", "size", "for")}
ATTRIBUTES: dict[str, tuple[str, str]] = {
    word: (value, group)
    for group, values in _GROUPS.items()
    for value, words in values.items()
    for word in words.split()
}
"""A word's value and group."""


MAX_TEXT = 2_000
"""Characters of a text that are looked at, from its beginning."""
MAX_WORD = 40
"""Longer words are left out; characters."""

_SPECIAL = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ð": "d", "þ": "th"}
_APOSTROPHES = dict.fromkeys("’‘ʼ`´", "'")
_ELISION = re.compile(r"\b[dl]'(?=\w)")
_HYPHENED_LETTER = re.compile(r"\b([a-z])-(?=[a-z]{2})")
_WORD = re.compile(r"\d+|[^\W\d_]+")
_PUNCTUATION = re.compile(r"[,;:!?()\[\]\n\"“”„«»|]|\.\s|\s[-–—]\s")
_UMLAUT = re.compile(r"([aou])e")


class _Table(dict[int, str]):
    """What stands for a character, worked out when it is first met (Unicode NFKD, case folded)."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _APOSTROPHES:
            plain = "'"
        elif unicodedata.category(char) in {"Cf", "Mn"}:
            plain = ""
        else:
            plain = unicodedata.normalize("NFKD", char.casefold())
            plain = "".join(_SPECIAL.get(c, c) for c in plain if not unicodedata.combining(c))
        self[code] = plain
        return plain


_TABLE = _Table()


def fold(text: str) -> str:
    """The text in lower case, without accents and invisible characters; its beginning, when it is very long."""
    text = text[:MAX_TEXT]
    return text.lower() if text.isascii() else text.translate(_TABLE)


def words_of(text: str) -> list[str]:
    """The words of a text in order, letters apart from digits, without their plural."""
    folded = _ELISION.sub("", fold(text)) if "'" in text or not text.isascii() else fold(text)
    folded = folded.replace("'s ", " ").replace("'", "")
    folded = _HYPHENED_LETTER.sub(r"\1", folded).replace("t shirt", "tshirt")
    return [stem(word) for word in _WORD.findall(folded) if len(word) <= MAX_WORD]


def phrases_of(text: str) -> list[list[str]]:
    """What is left of a sentence between punctuation and words that say little: "5 [Alpine Jackets] for my [office]"."""
    found: list[list[str]] = [[]]
    for part in _PUNCTUATION.split(text[:MAX_TEXT]):
        for word in words_of(part):
            if word not in _FILLER_STEMS:
                found[-1].append(word)
            elif found[-1]:
                found.append([])
        found.append([])
    return [phrase for phrase in found if phrase]


def content_words(words: Iterable[str]) -> list[str]:
    """The words that say something of a product, each once."""
    return [word for word in dict.fromkeys(words) if word not in _FILLER_STEMS]


def names_nothing(words: Iterable[str]) -> bool:
    """Whether none of the content words can be meant for a product: "the first one" is of a list, and no "First aid kit"."""
    return _ORDINAL_STEMS.issuperset(words)


@lru_cache(100_000)
def stem(word: str) -> str:
    """A word without its plural ending; colours and the like in one language."""
    known = ATTRIBUTES.get(word)
    if known:
        return known[0]
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) > 4 and word.endswith(("ies", "ie")):
        return word.removesuffix("s")[:-2] + "y"
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    bare = word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]
    return ATTRIBUTES.get(bare, (bare,))[0]


def without_umlauts(word: str) -> str:
    """Umlauts written out, put back: "baer" as "bar", which is what "Bär" is without its dots."""
    return _UMLAUT.sub(r"\1", word)


_FILLER_STEMS = frozenset(stem(word) for word in FILLER) | FILLER
_ORDINAL_STEMS = frozenset(stem(word) for word in _ORDINALS)
