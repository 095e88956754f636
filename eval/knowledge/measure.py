"""What is found for each query, how good that is, and the curve that fits it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langgraph.store.memory import InMemoryStore

from email_assistant.knowledge.embedding import DIMS, Embedder, Embedding
from email_assistant.knowledge.similarity import THRESHOLD, Curve, MatchEvidence
from email_assistant.mail.message import Message
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import CANDIDATES, Knowledge
from eval.intervals import wilson
from eval.knowledge.cases import SHOP, Query, past, queries

TOP = 5
RIDGE = 0.1
"""How strongly the curve's numbers are held near 0: there are few relevant pairs."""


@dataclass(frozen=True)
class Candidate:
    """One past mail that was found for a query."""

    mail: str
    is_relevant: bool
    evidence: MatchEvidence
    score: float


@dataclass(frozen=True)
class Answered:
    """A query and what was found for it, the surest first."""

    query: Query
    candidates: Sequence[Candidate]

    def used(self, threshold: float = THRESHOLD) -> list[Candidate]:
        """What a reply would be written with."""
        return [one for one in self.candidates[:TOP] if one.score >= threshold]


@dataclass(frozen=True)
class Share:
    """Some of all, with the 95 % interval after Wilson."""

    some: int
    all: int

    def __str__(self) -> str:
        if not self.all:
            return "–"
        low, high = self.interval
        return f"{self.some / self.all:.0%} ({self.some} of {self.all}; {low:.0%} to {high:.0%})"

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies."""
        return wilson(self.some, self.all)


@dataclass(frozen=True)
class Figures:
    """One half under one embedding."""

    recall: Share
    """Of all relevant past mails, how many are among the first five."""
    used: Share
    """Of all relevant past mails, how many are used."""
    helped: Share
    """Of the queries with something relevant, how many get any of it used."""
    false_items: Share
    """Of the used items, how many are not relevant."""
    false_queries: Share
    """Of the queries with nothing relevant, for how many something is used all the same."""


async def answered(embedding: Embedding, mails: Sequence[Sequence[Message]] = ()) -> list[Answered]:
    """The past (the labelled mails when left out) indexed in a store of its own, and every query asked of it.

    What follows a "#" in an id does not count for its label.
    """

    async def sure(_: Message) -> list[str]:
        return []

    embedder = Embedder(embedding)
    store = InMemoryStore(index={"dims": DIMS, "embed": embedder.embed, "fields": ["text"]})
    knowledge = Knowledge("eval", frozenset({SHOP.key}), embedder, sure)
    for conversation in mails or past():
        await knowledge.index(store, conversation)
    found = []
    for query in queries():
        hits = await knowledge.find(store, query.message, limit=CANDIDATES, least=0.0)
        named = [h.source.message_id.partition("#")[0] for h in hits]
        candidates = [
            Candidate(name, name in query.relevant, hit.evidence, hit.score)
            for name, hit in zip(named, hits, strict=True)
        ]
        found.append(Answered(query, candidates))
    return found


def figures(half: Sequence[Answered], threshold: float = THRESHOLD) -> Figures:
    """The figures of a half."""
    some = [one for one in half if one.query.relevant]
    none = [one for one in half if not one.query.relevant]
    relevant = sum(len(one.query.relevant) for one in some)
    used = [each for one in half for each in one.used(threshold)]
    right = sum(each.is_relevant for each in used)
    return Figures(
        recall=Share(sum(each.is_relevant for one in some for each in one.candidates[:TOP]), relevant),
        used=Share(right, relevant),
        helped=Share(sum(any(e.is_relevant for e in one.used(threshold)) for one in some), len(some)),
        false_items=Share(len(used) - right, len(used)),
        false_queries=Share(sum(bool(one.used(threshold)) for one in none), len(none)),
    )


def half(all_: Sequence[Answered], split: str) -> list[Answered]:
    """The `dev` or the `test` half."""
    return [one for one in all_ if one.query.split == split]


def fitted(dev: Sequence[Answered]) -> Curve:
    """The logistic curve that fits the candidates best."""
    rows = [((c.evidence.cosine, c.evidence.coverage), c.is_relevant) for one in dev for c in one.candidates]
    return Curve(*fit(rows), is_measured=True)


def fit(rows: Sequence[tuple[Sequence[float], bool]]) -> list[float]:
    """The constant and the weights of a logistic curve over evidence (Newton's method, a little ridge), to a tenth."""
    examples = [((1.0, *evidence), float(is_right)) for evidence, is_right in rows]
    size = len(examples[0][0])
    at = [0.0] * size
    for _ in range(30):
        slope = [-RIDGE * a for a in at]
        bend = [[RIDGE * (i == j) for j in range(size)] for i in range(size)]
        for x, y in examples:
            p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(at, x, strict=True))))
            for i in range(size):
                slope[i] += (y - p) * x[i]
                for j in range(size):
                    bend[i][j] += p * (1 - p) * x[i] * x[j]
        at = [a + step for a, step in zip(at, _solved(bend, slope), strict=True)]
    return [round(a, 1) for a in at]


def rescored(all_: Sequence[Answered], curve: Curve) -> list[Answered]:
    """The same candidates with the scores of another curve."""
    return [
        replace(
            one,
            candidates=sorted(
                (replace(c, score=curve.score(c.evidence)) for c in one.candidates), key=lambda c: -c.score
            ),
        )
        for one in all_
    ]


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a small system of equations, by elimination."""
    size = len(right)
    rows = [[*matrix[i], right[i]] for i in range(size)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(size):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [rows[i][size] / rows[i][i] for i in range(size)]
