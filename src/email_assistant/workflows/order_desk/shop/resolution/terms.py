"""The inverted index: in which products a word stands, and which words a product has.

Built in memory from arrays of 32-bit numbers. SQLite's FTS5 was measured beside it: it ranks every
row that has one of the words, which takes longer than a mention may when a word is common, and it knows no misspellings.
"""

import heapq
import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.resolution.words import (
    ATTRIBUTES,
    content_words,
    without_umlauts,
    words_of,
)

CACHED = 20_000
CHOICES = 6
"""Words of the catalogue that a misspelt one may be."""
ONE_SLIP, TWO_SLIPS, SHORT_SLIP, UMLAUT = 0.92, 0.85, 0.85, 0.97
"""How alike a word is that is one or two slips away, one slip in four letters, with umlauts written out."""

Matches = dict[int, float]
"""Numbers of words with their likeness, 0 to 1."""
MAX_NAME, MAX_OTHER = 40, 200
"""Words of a product that are kept: of its name, and of its category and description."""
BUDGET = 20_000
"""Products that are weighed one by one; of more, those that have the next word, too."""
CANDIDATES = 64
IN_OTHER_FIELDS = 0.5
"""What a word counts in category or description when candidates are looked for; in the name 1."""
_Unit = tuple["array[int]", float]


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


@dataclass
class TermIndex:
    """Products are positions; their order is fixed by whoever builds it."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    in_names: "dict[int, array[int]]" = field(default_factory=dict)
    in_others: "dict[int, array[int]]" = field(default_factory=dict)
    """Products by a word of their category or description that is not in their name."""
    kinds: set[int] = field(default_factory=set)
    """Words that stand in a category: what kind of thing it is."""
    attributes: dict[int, str] = field(default_factory=dict)
    """The group of words that name a colour, size …"""
    _terms: "array[int]" = field(default_factory=lambda: array("I"))
    _starts: "array[int]" = field(default_factory=lambda: array("I", [0]))
    _middles: "array[int]" = field(default_factory=lambda: array("I"))

    @classmethod
    def build(cls, products: Iterable[Product]) -> "TermIndex":
        """The same for the same products in the same order."""
        made = cls()
        categories: dict[str, list[str]] = {}
        for at, product in enumerate(products):
            if product.category not in categories:
                categories[product.category] = words_of(product.category)
                made.kinds |= {made.vocabulary.number(w) for w in content_words(categories[product.category])}
            made._add(at, product, categories[product.category])
        made._finish()
        return made

    def _add(self, at: int, product: Product, category: Sequence[str]) -> None:
        number = self.vocabulary.number
        words = words_of(product.name)
        # A name of words that say nothing ("The Usual") is all the name there is.
        names = [number(word) for word in (content_words(words) or list(dict.fromkeys(words)))[:MAX_NAME]]
        others = [
            number(word) for word in content_words([*category, *words_of(product.description)])[:MAX_OTHER]
        ]
        others = [term for term in others if term not in names]
        for postings, terms in ((self.in_names, names), (self.in_others, others)):
            for term in terms:
                if term not in postings:
                    postings[term] = array("I")
                postings[term].append(at)
        self._terms.extend(names)
        self._middles.append(len(self._terms))
        self._terms.extend(others)
        self._starts.append(len(self._terms))

    def _finish(self) -> None:
        numbers = self.vocabulary.numbers
        self.attributes = {numbers[w]: group for w, group in ATTRIBUTES.values() if w in numbers}
        self.vocabulary.finish(sorted(word for word, term in numbers.items() if term in self.in_names))

    def name_terms(self, at: int) -> "array[int]":
        """The words of a product's name."""
        return self._terms[self._starts[at] : self._middles[at]]

    def other_terms(self, at: int) -> "array[int]":
        """The words of its category and description that are not in its name."""
        return self._terms[self._middles[at] : self._starts[at + 1]]

    def frequency(self, term: int) -> int:
        """How many products have a word."""
        return len(self.in_names.get(term, ())) + len(self.in_others.get(term, ()))

    def candidates(self, wanted: Sequence[tuple[Matches, float]]) -> list[int]:
        """The products that have the most and the rarest of the words, with short names first; each word with its weight."""
        units = sorted((unit for matches, w in wanted for unit in self._units(matches, w)), key=_size)
        found = self._weighed(units)
        if not found:
            return []
        least = heapq.nlargest(CANDIDATES, found.values())[-1]
        best = [at for at, weight in found.items() if weight >= least]
        best.sort(key=lambda at: (-found[at], self._middles[at] - self._starts[at], at))
        return best[:CANDIDATES]

    def _units(self, matches: Mapping[int, float], weight: float) -> list[_Unit]:
        units = []
        for term, likeness in matches.items():
            rare = math.log(1 + (len(self._middles) + 0.5) / (self.frequency(term) + 0.5))
            for postings, share in ((self.in_names, 1.0), (self.in_others, IN_OTHER_FIELDS)):
                if term in postings:
                    units.append((postings[term], weight * likeness * share * rare))
        return units

    def _weighed(self, units: Sequence[_Unit]) -> dict[int, float]:
        """Sums of weights: the rarest words say which products, the common ones only which of these."""
        found: dict[int, float] = {}
        spent = 0
        for at, (positions, weight) in enumerate(units):
            seeds: Iterable[int] = positions
            if found and spent + len(positions) > BUDGET:
                seeds = set(found).intersection(positions)
            elif len(positions) > BUDGET:
                seeds = _narrowed(positions, [other for other, _ in units[at + 1 :]])
            spent += len(positions)
            for position in seeds:
                found[position] = found.get(position, 0.0) + weight
        return found


def _size(unit: _Unit) -> tuple[int, float]:
    return len(unit[0]), -unit[1]


def _narrowed(positions: "array[int]", others: "Sequence[array[int]]") -> list[int]:
    """Those that are in the others, too, as far as any are left; at most `BUDGET`."""
    left = set(positions)
    for other in others:
        both = left.intersection(other)
        left = both or left
    return sorted(left)[:BUDGET]
