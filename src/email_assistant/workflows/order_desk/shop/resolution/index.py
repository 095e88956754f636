"""`resolve_product_mentions` without a model: every mention of a mail against the whole catalogue."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from email_assistant.workflows.order_desk.shop.mention import (
    Candidate,
    Method,
    ProductMention,
    Resolution,
    settled,
)
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.resolution.fit import (
    CAP,
    MAX_TIES,
    MAX_WORDS,
    Fit,
    Query,
    Source,
    fit,
    joined,
    word_of,
)
from email_assistant.workflows.order_desk.shop.resolution.ids import Ids, WrittenId, is_like_an_id, normal
from email_assistant.workflows.order_desk.shop.resolution.terms import TermIndex
from email_assistant.workflows.order_desk.shop.resolution.words import (
    content_words,
    fold,
    names_nothing,
    phrases_of,
    words_of,
)

AGREES = 0.6
"""Share of the mention's words that a product must have for the name to speak for it, too."""
CLEARLY = 0.1
"""By how much better another product must fit for the name to speak against an id."""
WHOLE, WHOLE_MARGIN = 0.95, 0.03
"""The score of a name that is said whole, and by how much another product's must be lower to be another name."""
SPOKEN = 0.66
"""What a name must fit at least to speak against an id: single words of a sentence do not."""
NAMED = 0.8
"""Share of the words that a product must have to be clearly named."""
WITH_NAME = 0.9
"""Score of a near id whose name in the same mention agrees."""
TIE_WEIGHT = 0.3
"""What a word that is no name counts when candidates are looked for."""

_Found = dict[int, tuple[float, Method]]

MAX_PHRASES = 6
"""Phrases of the mail's words that are taken for a name each, the longest."""


@dataclass(frozen=True, slots=True)
class ReadMention:
    """What a mention says."""

    exact: tuple[str, ...]
    """Normal ids of the catalogue, each once."""
    maybe: tuple[str, ...]
    """What may be an id written wrongly."""
    name: tuple[str, ...]
    description: tuple[str, ...]
    text: tuple[str, ...]
    category: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    """What of the mail's words may be a name."""


def read(mention: ProductMention, ids: Ids) -> ReadMention:
    """Take it apart. An id in the field for ids may be any that exists; elsewhere only one that can hardly be anything else."""
    exact: dict[str, None] = {}
    maybe: dict[str, None] = {}
    rest = []
    field = "" if ids.exact(normal(mention.product_id)) else mention.product_id
    for text in (field, mention.product_name, mention.description, mention.mention_text):
        folded = fold(text)
        known, unknown = ids.written_in(folded)
        unknown = [one for one in unknown if ids.near(one.key)]
        exact |= dict.fromkeys(one.key for one in known)
        maybe |= dict.fromkeys(one.key for one in unknown)
        # "Mug 300" stays what it is, even where MUG-300 is an id: then the name may speak against it.
        rest.append(_without(folded, [one for one in (*known, *unknown) if one.is_one_word]))
    key = normal(mention.product_id)
    if ids.exact(key):
        # The words of the mail may name others beside it; if they name only others, one of both is wrong.
        exact = {key: None} if key in exact or not exact else {key: None} | exact
    elif key:
        maybe[key] = None
    name, description, said = (tuple(words_of(text)) for text in rest[1:])
    phrases = sorted(map(tuple, phrases_of(rest[-1])), key=lambda phrase: (-len(phrase), phrase))
    return ReadMention(
        tuple(exact), tuple(maybe), _without_quantity(name, mention.quantity), description, said,
        tuple(words_of(mention.category)), tuple(_without_numbers(phrases)[:MAX_PHRASES]),
    )  # fmt: skip


def _without(folded: str, spans: Sequence[WrittenId]) -> str:
    """The text with blanks where ids stand."""
    for span in spans:
        folded = folded[: span.start] + " " * (span.end - span.start) + folded[span.end :]
    return folded


def _without_numbers(phrases: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The phrases, and those that begin with a number once more without it: it may be how many are wanted."""
    return [
        p for each in phrases for p in ((each, each[1:]) if each[0].isdigit() and len(each) > 1 else (each,))
    ]


def _without_quantity(words: tuple[str, ...], quantity: int) -> tuple[str, ...]:
    """The words of a name without the number of units before it."""
    return words[1:] if len(words) > 1 and words[0] == str(quantity) else words


@dataclass
class ProductIndex:
    """A catalogue as it was when it was deps; safe to use from several threads."""

    _ids: tuple[str, ...]
    _by_id: Ids
    _terms: TermIndex = field(repr=False)

    @classmethod
    def build(cls, products: Iterable[Product]) -> "ProductIndex":
        """The same whatever the order of the products."""
        ordered = sorted(products, key=lambda product: (product.id, product.name))
        ids = tuple(product.id for product in ordered)
        return cls(ids, Ids.build(ids), TermIndex.build(ordered))

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, product_id: str) -> bool:
        """Whether a product has this id, as the shop writes it."""
        return any(self._ids[at] == product_id for at in self._by_id.exact(normal(product_id)))

    def resolve(self, mention: ProductMention) -> Resolution:
        """What a mention comes to: the same for the same catalogue and mention. Takes no time to speak of; never raises."""
        said = read(mention, self._by_id)
        queries = self._queries(said)
        exact = [at for key in said.exact for at in self._by_id.exact(key)]
        if exact:
            found = self._by_exact_id(exact, queries)
        else:
            found = self._by_words(queries)
            near = self._near(said)
            if near:
                found = self._with_near(near, queries, found)
            elif is_like_an_id(normal(mention.product_id)):
                # An id that nobody has, beside a name that somebody has: one of both is wrong.
                found = {at: (min(score, CAP), method) for at, (score, method) in found.items()}
        return settled(mention, [Candidate(self._ids[at], *rest) for at, rest in found.items()])

    def _queries(self, said: ReadMention) -> list[Query]:
        """What to look for: the name; without one, what the mention describes, and the phrases of its own words."""
        rest = [*said.description, *said.text, *said.category]
        if said.name:
            return [self._query(said.name, rest, "name")]
        found = [self._query(said.description, rest, "description")] if said.description else []
        found += [self._query(phrase, rest, "phrase") for phrase in said.phrases or [said.text] if phrase]
        return found or ([self._query(said.category, rest, "description")] if said.category else [])

    def _query(self, head: Sequence[str], rest: Sequence[str], source: Source) -> Query:
        index = self._terms
        words = joined(index, content_words(head))[:MAX_WORDS]
        if names_nothing(words):
            names = tuple(word_of(index, word) for word in head[:MAX_WORDS])
            return Query(names, source=source, whole_name_only=True)
        others = [word for word in joined(index, content_words(rest)) if word not in words][:MAX_TIES]
        numbers = index.vocabulary.numbers
        attributes = {numbers[w] for w in (*words, *others) if numbers.get(w) in index.attributes}
        ties = [m for m in map(index.vocabulary.matches, others) if m]
        return Query(tuple(word_of(index, w) for w in words), tuple(ties), tuple(sorted(attributes)), source)

    def _fits(self, query: Query) -> dict[int, Fit]:
        wanted = [(word.matches, 1.0) for word in query.words]
        wanted += [(matches, TIE_WEIGHT) for matches in query.ties]
        return {at: fit(self._terms, query, at) for at in self._terms.candidates(wanted)}

    def _by_words(self, queries: Sequence[Query]) -> _Found:
        found: _Found = {}
        for query in queries:
            for at, one in self._fits(query).items():
                if one.score > found.get(at, (0.0, "name"))[0]:
                    found[at] = (one.score, one.method)
        return found

    def _by_exact_id(self, exact: Sequence[int], queries: Sequence[Query]) -> _Found:
        """Certain, unless there are several or the name in the same mention is another product's."""
        if len(exact) > 1:
            return dict.fromkeys(exact, (CAP, "id"))
        own = exact[0]
        names = [query for query in queries if query.source != "description" and not query.whole_name_only]
        fits = [fit(self._terms, query, own) for query in names]
        others: _Found = {}
        if not any(_agrees(one) for one in fits):
            for query, mine in zip(names, fits, strict=True):
                others |= {at: (CAP, "name") for at, one in self._fits(query).items() if _clearly(one, mine)}
        for query, mine in zip(names, fits, strict=True):
            wholly = (at for at, one in self._fits(query).items() if _wholly(one, mine))
            others |= dict.fromkeys(wholly, (CAP, "name"))
        others.pop(own, None)
        return {own: (CAP if others else 1.0, "id"), **others}

    def _near(self, said: ReadMention) -> dict[int, float]:
        found: dict[int, float] = {}
        for key in said.maybe:
            for at, score in self._by_id.near(key).items():
                found[at] = max(score, found.get(at, 0.0))
        return found

    def _with_near(self, near: dict[int, float], queries: Sequence[Query], found: _Found) -> _Found:
        """A near id is a candidate; with a name that fits no other product better it is certain."""
        best = max((score for score, _ in found.values()), default=0.0)
        own = (
            {at: max((fit(self._terms, q, at) for q in queries), key=lambda f: f.score) for at in near}
            if queries
            else {}
        )
        merged: _Found = {at: (min(score, CAP), method) for at, (score, method) in found.items()}
        for at, score in near.items():
            one = own.get(at)
            agrees = one is not None and _agrees(one) and one.score >= best - 0.02
            merged[at] = (WITH_NAME + 0.05 * score if agrees else score, "near_id")
        return merged


def _agrees(one: Fit) -> bool:
    """Whether a name may well be the product's."""
    return one.share >= AGREES and not one.is_against


def _wholly(one: Fit, than: Fit) -> bool:
    """Whether a name is all of this product's name, and only a part of the other one's."""
    return one.method == "name" and one.score >= WHOLE and than.score < one.score - WHOLE_MARGIN


def _clearly(one: Fit, than: Fit) -> bool:
    """Whether a name is clearly this product's and not the other one's."""
    is_named = one.method == "name" and one.share >= NAMED and not one.is_against
    return is_named and one.score >= max(than.score + CLEARLY, SPOKEN)
