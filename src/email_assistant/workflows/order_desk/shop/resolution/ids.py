"""Products by their ids, as customers write them: "csh 1098", "[CSH-1098]", "CSH-1O98"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from email_assistant.workflows.order_desk.shop.resolution.words import FILLER, fold

MAX_ID = 40
"""Letters and digits of an id that are looked at."""
MAX_PARTS = 4
"""Pieces into which spaces and dashes may part an id."""
MAX_NEAR = 8
"""Pieces of a mention for which near ids are looked up."""
MAX_ALPHABET = 64

SWAPPED_LETTER, TURNED, EDITED = 0.78, 0.72, 0.68
"""Scores of a near id: O for 0 or I for 1; two neighbours turned round; one character wrong, missing or too many."""

_PIECE = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[\s\-_./‐‑‒–—−]{1,3}")
_CONFUSED = str.maketrans("oil", "011")
_KINDS = re.compile(r"\d+|[^\W\d_]+")


def normal(text: str) -> str:
    """The letters and digits of an id, in lower case."""
    return "".join(_PIECE.findall(fold(text)))


def is_like_an_id(text: str) -> bool:
    """Whether there is a digit in it: "unknown" and "n/a" are no ids."""
    return any(char.isdigit() for char in text)


@dataclass(frozen=True, slots=True)
class WrittenId:
    """Letters and digits of a text that may be an id, and where they stand in its folded form."""

    key: str
    start: int
    end: int
    is_one_word: bool
    """Whether no space is in it."""


@dataclass
class Ids:
    """Positions of products by normal id; ids that come to the same are all kept."""

    _exact: dict[str, int] = field(default_factory=dict)
    _same: dict[str, list[int]] = field(default_factory=dict)
    """Where several products share a normal id."""
    _confused: dict[str, list[int]] = field(default_factory=dict)
    """By the id with 0 for o and 1 for i and l, where that makes a difference."""
    _alphabet: str = ""

    @classmethod
    def build(cls, ids: Sequence[str]) -> "Ids":
        """From ids in the order of their products."""
        made, letters = cls(), set[str]()
        for at, key in enumerate(map(normal, ids)):
            if not key:
                continue
            letters.update(key)
            if key in made._exact:
                made._same.setdefault(key, [made._exact[key]]).append(at)
            made._exact.setdefault(key, at)
            if (confused := key.translate(_CONFUSED)) != key:
                made._confused.setdefault(confused, []).append(at)
        made._alphabet = "".join(sorted(letters)[:MAX_ALPHABET])
        return made

    def exact(self, key: str) -> Sequence[int]:
        """Products with this normal id."""
        if key in self._same:
            return self._same[key]
        return (self._exact[key],) if key in self._exact else ()

    def near(self, key: str) -> dict[int, float]:
        """Products whose ids are one slip away, with scores; those of the smallest slip count most."""
        if not 3 <= len(key) <= MAX_ID:
            return {}
        found: dict[int, float] = {}
        for variant, score in self._variants(key.translate(_CONFUSED)):
            for at in (*self.exact(variant), *self._confused.get(variant, ())):
                found[at] = max(score, found.get(at, 0.0))
        for variant, score in self._variants(key):
            for at in self.exact(variant):
                found[at] = max(score, found.get(at, 0.0))
        return found

    def _variants(self, key: str) -> Iterator[tuple[str, float]]:
        yield key, SWAPPED_LETTER
        for i in range(len(key) - 1):
            yield key[:i] + key[i + 1] + key[i] + key[i + 2 :], TURNED
        for i in range(len(key)):
            yield key[:i] + key[i + 1 :], EDITED
            for letter in self._alphabet:
                yield key[:i] + letter + key[i + 1 :], EDITED
        for i in range(len(key) + 1):
            for letter in self._alphabet:
                yield key[:i] + letter + key[i:], EDITED

    def written_in(self, folded: str) -> tuple[list[WrittenId], list[WrittenId]]:
        """The ids that stand in a folded text, and what may be one written wrongly."""
        known: list[WrittenId] = []
        unknown: list[WrittenId] = []
        pieces = list(_PIECE.finditer(folded))
        at = 0
        while at < len(pieces):
            found, parts = self._longest(folded, pieces[at : at + MAX_PARTS])
            if found:
                known.append(found)
            elif len(unknown) < MAX_NEAR:
                unknown += self._maybe(folded, pieces[at : at + MAX_PARTS])
            at += parts
        return known, unknown[:MAX_NEAR]

    def _longest(self, folded: str, pieces: Sequence[re.Match[str]]) -> tuple[WrittenId | None, int]:
        best, parts = None, 1
        for number, joined in zip(count(1), _joined(folded, pieces), strict=False):
            if joined.key in self._exact and _is_distinct(folded, joined, number):
                best, parts = joined, number
        return best, parts

    def _maybe(self, folded: str, pieces: Sequence[re.Match[str]]) -> list[WrittenId]:
        return [
            joined
            for number, joined in zip(range(1, 3), _joined(folded, pieces), strict=False)
            if joined.is_one_word
            and _is_mixed(joined.key)
            and _is_distinct(folded, joined, number)
            and len(joined.key) >= 5
        ]


def _joined(folded: str, pieces: Sequence[re.Match[str]]) -> Iterator[WrittenId]:
    """The first piece, the first two, and so on, as long as only spaces and dashes part them."""
    key, end, is_one_word = "", -1, True
    for piece in pieces:
        if end >= 0 and not _BETWEEN.fullmatch(folded, end, piece.start()):
            return
        is_one_word = is_one_word and not (end >= 0 and any(c.isspace() for c in folded[end : piece.start()]))
        key, end = key + piece[0], piece.end()
        if len(key) > MAX_ID:
            return
        yield WrittenId(key, pieces[0].start(), end, is_one_word)


def _is_mixed(key: str) -> bool:
    return not key.isdigit() and is_like_an_id(key)


def _is_distinct(folded: str, written: WrittenId, parts: int) -> bool:
    """Whether it can hardly be anything else: a number alone may be a quantity, and "for 200" is not the id FOR-200."""
    before = folded[max(0, written.start - 1) : written.start]
    if before in {"[", "#"}:
        return True
    if parts > 1 and any(word in FILLER for word in _KINDS.findall(folded[written.start : written.end])):
        return False
    if _is_mixed(written.key):
        return len(written.key) >= 4
    return parts == 1 and written.key.isdigit() and len(written.key) >= 5
