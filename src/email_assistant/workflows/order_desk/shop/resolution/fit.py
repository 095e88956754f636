"""How well the words of a mention fit a product, on a scale from 0 to 1."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from email_assistant.workflows.order_desk.shop.mention import Method
from email_assistant.workflows.order_desk.shop.resolution.terms import Matches, TermIndex

MAX_WORDS, MAX_TIES = 12, 24
"""Words of a mention that are looked at: of its name, and of what else it says."""
UNKNOWN = 0.7
"""What a word counts that the catalogue does not have; a word of one product counts 1."""
COMMONNESS = 0.15
IN_OTHER_FIELDS = 0.9
"""What a word counts that stands in category or description only."""
PARTIAL, COMPLETE, TIES = 0.86, 0.06, 0.08
"""What makes the score: words found, nothing of the product's name missing, what else the mention says."""
OPEN = 0.855
"""The most for a part of a name and words of the description: not certain, and near enough to make a part of a name uncertain."""
BY_MEANING = 0.95
"""What is left of the score when most of it is the description's: names go first."""
PART_OF_PHRASE = 0.85
"""What is left of the score when a phrase of the mail's words has only a part of the name."""
CAPPED_RANGE = 0.03
CAP = 0.75
"""The most that is given when something speaks against a product, or nothing but its description speaks for it."""


Source = Literal["name", "description", "phrase"]
"""Where the words are from: a phrase of the mail's words names a product only when it has all of the name."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a mention."""

    matches: Matches
    weight: float
    names_others: bool
    """Whether it stands in names, so that a product without it is hardly the one that is meant."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a mention says."""

    words: tuple[Word, ...]
    ties: tuple[Matches, ...] = ()
    attributes: tuple[int, ...] = ()
    """Colours, sizes and the like that are said anywhere in the mention."""
    source: Source = "name"
    whole_name_only: bool = False
    """Words that say nothing are a name only where they are all of it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a product fits."""

    score: float
    method: Method
    share: float
    """Of the mention's words that the product has, weighed."""
    is_against: bool = False
    """Whether something that is said speaks against the product: a word of other products' names, another colour."""


def word_of(index: TermIndex, word: str) -> Word:
    """A word, looked up."""
    matches = index.vocabulary.matches(word)
    often = max((index.frequency(term) for term in matches), default=0)
    weight = 1 / (1 + COMMONNESS * math.log(often)) if often else UNKNOWN
    known = any(likeness == 1 and term in index.in_names for term, likeness in matches.items())
    return Word(matches, weight, known)


def joined(index: TermIndex, words: Sequence[str]) -> list[str]:
    """The words, with two of them made one where only that is known ("back pack"), or one made two ("softshell")."""
    numbers, found, at = index.vocabulary.numbers, list[str](), 0
    while at < len(words):
        pair = "".join(words[at : at + 2])
        is_pair = (
            pair in numbers and at + 1 < len(words) and not all(w in numbers for w in words[at : at + 2])
        )
        parts = () if is_pair or index.vocabulary.matches(words[at]) else index.vocabulary.parts(words[at])
        found += [pair] if is_pair else parts or [words[at]]
        at += 2 if is_pair else 1
    return found


@dataclass(slots=True)
class _Found:
    """What of a mention's words a product has, added up word by word; in weights."""

    got: float = 0.0
    total: float = 0.0
    in_name: float = 0.0
    against: bool = False
    only_kinds: bool = True
    only_name: bool = True
    met: set[int] = field(default_factory=set)
    """Words of its name."""

    def add(self, word: Word, names: set[int], others: set[int], kinds: set[int]) -> None:
        """One more word, of a product with these words in its name and in its category and description."""
        self.total += word.weight
        self.met |= names & word.matches.keys()
        likeness, term = max(((v, t) for t, v in word.matches.items() if t in names), default=(0.0, -1))
        self.in_name += word.weight * likeness
        if not likeness:
            shared = [(v * IN_OTHER_FIELDS, t) for t, v in word.matches.items() if t in others]
            likeness, term = max(shared, default=(0.0, -1))
            self.only_name = self.only_name and not likeness
        self.got += word.weight * likeness
        self.against = self.against or (word.names_others and not likeness)
        self.only_kinds = self.only_kinds and (term < 0 or term in kinds)


def fit(index: TermIndex, query: Query, at: int) -> Fit:
    """How well the product at a position fits."""
    names, others = set(index.name_terms(at)), set(index.other_terms(at))
    found = _Found()
    for word in query.words:
        found.add(word, names, others, index.kinds)
    if not found.got:
        return Fit(0.0, "meaning", 0.0)
    share, is_complete = found.got / found.total, found.met >= names
    if query.whole_name_only:
        is_name = is_complete and share == 1
        return Fit(PARTIAL + COMPLETE + TIES / 2 if is_name else 0.0, "name", share)
    by_name = found.in_name >= found.got / 2
    found.against = found.against or _contradicts(index, query, names | others)
    score = share * (PARTIAL + COMPLETE * is_complete) + TIES * _tied(query, names | others)
    if found.against or not by_name or (found.only_kinds and not is_complete):
        score = _capped(score) * (1 if by_name else BY_MEANING)
    if not is_complete:
        score = _of_a_part(score, found, query)
    return Fit(score, "name" if by_name else "meaning", share, found.against)


def _of_a_part(score: float, found: _Found, query: Query) -> float:
    """What the score of a part of a name comes to."""
    score = score if found.only_name else min(score, OPEN)
    return _capped(score) * PART_OF_PHRASE if query.source == "phrase" else score


def _capped(score: float) -> float:
    """At most `CAP`; what would have more stays before what would have less."""
    return score if score <= CAP else CAP - CAPPED_RANGE * (1 - score)


def _tied(query: Query, terms: set[int]) -> float:
    """The share of what else the mention says that the product has; a half when it says nothing else."""
    if not query.ties:
        return 0.5
    return sum(max((v for t, v in m.items() if t in terms), default=0.0) for m in query.ties) / len(
        query.ties
    )


def _contradicts(index: TermIndex, query: Query, terms: set[int]) -> bool:
    """Whether the product is of another colour, size … than the mention says."""
    if not query.attributes:
        return False
    groups: dict[str, set[int]] = {}
    for term in terms & index.attributes.keys():
        groups.setdefault(index.attributes[term], set()).add(term)
    return any(
        wanted not in groups[group]
        for wanted in query.attributes
        if (group := index.attributes[wanted]) in groups
    )
