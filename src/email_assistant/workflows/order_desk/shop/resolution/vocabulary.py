"""The words of a catalogue, and which of them a customer's word may be."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from email_assistant.workflows.order_desk.shop.resolution.words import without_umlauts

CACHED = 20_000
CHOICES = 6
"""Words of the catalogue that a misspelt one may be."""
ONE_SLIP, TWO_SLIPS, SHORT_SLIP, UMLAUT = 0.92, 0.85, 0.85, 0.97
"""How alike a word is that is one or two slips away, one slip in four letters, with umlauts written out."""

Matches = dict[int, float]
"""Numbers of words with their likeness, 0 to 1."""


@dataclass
class Vocabulary:
    """Every word has a number. Only words that stand in names are guessed at: a slip in any other word costs little."""

    numbers: dict[str, int] = field(default_factory=dict)
    _umlauts: dict[str, int] = field(default_factory=dict)
    _ends: dict[str, list[str]] = field(default_factory=dict)
    """Words of names by their first two and by their last two letters: a slip leaves one of both as it is."""

    def __post_init__(self) -> None:
        self._cached = lru_cache(CACHED)(self._search)

    def number(self, word: str) -> int:
        """The number of a word, which is new when it was not known."""
        return self.numbers.setdefault(word, len(self.numbers))

    def finish(self, in_names: list[str]) -> None:
        """Make ready for searching; `in_names` in a fixed order."""
        ends: dict[str, list[str]] = defaultdict(list)
        for word in in_names:
            if len(word) >= 4 and not word.isdigit():
                ends["^" + word[:2]].append(word)
                ends[word[-2:] + "$"].append(word)
            if (plain := without_umlauts(word)) != word:
                self._umlauts.setdefault(plain, self.numbers[word])
        self._ends = dict(ends)

    def matches(self, word: str) -> Matches:
        """The words it may be. A word that is known is itself and no slip for another one."""
        if word in self.numbers:
            return {self.numbers[word]: 1.0}
        return self._cached(word)

    def _search(self, word: str) -> Matches:
        plain = without_umlauts(word)
        if plain in self.numbers:
            return {self.numbers[plain]: UMLAUT}
        if word in self._umlauts:
            return {self._umlauts[word]: UMLAUT}
        if len(word) < 4 or word.isdigit():
            return {}
        slips = 2 if len(word) >= 8 else 1
        found: dict[str, float] = {}
        for end in ("^" + word[:2], word[-2:] + "$"):
            hits = process.extract(
                word, self._ends.get(end, ()), scorer=OSA.distance, score_cutoff=slips, limit=CHOICES
            )
            found |= {term: distance for term, distance, _ in hits}
        nearest = sorted(found, key=lambda term: (found[term], term))[:CHOICES]
        return {self.numbers[term]: _likeness(word, int(found[term])) for term in nearest}

    def parts(self, word: str) -> tuple[str, ...]:
        """The two known words that it is made of, if it is: "rainjacket"."""
        for cut in range(3, len(word) - 2):
            if word[:cut] in self.numbers and word[cut:] in self.numbers:
                return word[:cut], word[cut:]
        return ()


def _likeness(word: str, slips: int) -> float:
    if slips == 1:
        return SHORT_SLIP if len(word) == 4 else ONE_SLIP
    return TWO_SLIPS
