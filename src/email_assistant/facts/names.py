"""Names of persons, companies and products, where they can be told from other words.

They can be told in a greeting, under a closing, after a title, and as capitalised words within a sentence of a language
that does not capitalise nouns. German ones are told after titles and words such as "Kollegin", and as two in a row
after "von", "mit" or "bei".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from email_assistant.language.text import language_of
from email_assistant.language.words import WORDS

_UP = r"[A-ZÀ-ÖØ-ÞŠŽ][\w'-]{0,40}"
with WORDS.section("names") as section:
    _GREETING = section.pattern(
        r"(?m)^[ \t]*(?:{greeting})[, ]+(?P<n>[^\n,!:.;]{1,80})(?=[,!:.;]|\n|$)", re.IGNORECASE | re.MULTILINE
    )
    _CLOSING = section.pattern(
        r"(?m)^[ \t]*(?:{closing})[ \t]*[,.!]?[ \t]*\n+(?P<n>[^\n]{1,80})", re.IGNORECASE | re.MULTILINE
    )
    _TITLES = frozenset(section.words("titles"))
    _NO_NAMES = frozenset(section.words("no_names"))
_TITLED = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Dr|Prof|Herrn?|Frau|Kolleg(?:e|en|in)|Madame|Monsieur|Señora?)\b\.?\s(?P<n>{_UP}(?:\s{_UP})?)"
)
_GERMAN_PAIR = re.compile(rf"\b(?:von|mit|bei|durch|an|per|via)\s(?P<n>{_UP}\s{_UP})\b")
_GERMAN_BRAND = re.compile(r"\b(?:von|mit|bei|durch|an|per|via)\s(?P<n>[A-Z]{2,5})\b")
_INNER = re.compile(rf"(?<=[\w,;)]\s)(?P<n>{_UP}(?:\s{_UP})*)")
# At the start of a sentence only what acts as persons and companies do is told from other words.
_ACTING = re.compile(
    rf"(?:(?<=[.!?]\s)|(?<=[;,\n]\s)|(?m:^))(?P<n>{_UP}(?:\s{_UP})?)\s(?:expects?|says?|said|told|wrote|called|sent|asked|recommends?|suggests?|offers?"
    r"|will (?:call|contact|write|visit|collect|pick|bring|deliver|send)|has (?:sent|asked|told|confirmed|delivered))\b"
)
_GERMAN_CARRIER = re.compile(
    rf"(?:liefer|verschick|versend|versand|zustell|\bschick)(?:[^.\n]|(?<=\d)\.){{0,80}}\s(?:mit|per|über|via)\s(?P<n>{_UP})(?=[.,;!]|\sgeliefert|\sverschickt)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name in a draft; `signs` when it stands under the closing."""

    start: int
    end: int
    words: tuple[str, ...]
    signs: bool = False


def names(text: str) -> Iterator[FoundName]:
    """The names in a draft; words that open a sentence are not told from names."""
    german = language_of(text) == "de"
    patterns = [(_GREETING, False), (_CLOSING, True), (_TITLED, False)]
    patterns += (
        [(_GERMAN_PAIR, False), (_GERMAN_BRAND, False), (_GERMAN_CARRIER, False)]
        if german
        else [(_INNER, False), (_ACTING, False)]
    )
    for pattern, signs in patterns:
        for match in pattern.finditer(text):
            words = [
                word
                for word in _WORD.finditer(match["n"])
                if word.group().casefold() not in _TITLES | _NO_NAMES
            ]
            if pattern in {_GREETING, _CLOSING}:
                words = [word for word in words if word.group()[0].isupper() or not word.group().isascii()]
            if words:
                start = match.start("n")
                yield FoundName(
                    start + words[0].start(),
                    start + words[-1].end(),
                    tuple(word.group().casefold() for word in words),
                    signs,
                )


def words_of(text: str) -> set[str]:
    """The words of a source, each as names are compared: whole, without a possessive, and by its parts."""
    return {part for word in set(_WORD.findall(text)) for part in spellings(word.casefold())}


def spellings(word: str) -> set[str]:
    """A word and what remains without "'s", and the parts of a hyphenated one."""
    plain = word.removesuffix("'s")
    return {word, plain, *plain.split("-")}
