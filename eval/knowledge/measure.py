"""What past mail is found for each query, and how good that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from langgraph.store.memory import InMemoryStore

from email_assistant.knowledge.embedding import DIMS, Embedder, Embedding
from email_assistant.knowledge.similarity import THRESHOLD, MatchEvidence
from email_assistant.mail.message import Message
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import CANDIDATES, Knowledge
from eval.finding import Rows, Share
from eval.knowledge.cases import SHOP, Query, past, queries

TOP = 5


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

    @property
    def split(self) -> str:
        """Its half."""
        return self.query.split

    def used(self, threshold: float = THRESHOLD) -> list[Candidate]:
        """What a reply would be written with."""
        return [one for one in self.candidates[:TOP] if one.score >= threshold]


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


def rows(part: Sequence[Answered]) -> Rows:
    """The evidence of every candidate."""
    return [((c.evidence.cosine, c.evidence.coverage), c.is_relevant) for one in part for c in one.candidates]
