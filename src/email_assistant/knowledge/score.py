"""How sure it is that a past message helps, or a chunk of a document answers: from cosine and shared words to one number between 0 and 1.

A cosine means something else for every embedding, and says nothing of how telling the shared words are. Two pieces of evidence
are therefore weighed by a logistic curve for each embedding: the cosine, and which part of the query's words the past mail
shares. The curve was fitted by `python -m eval.knowledge` on the `dev`
half of its labelled mail; docs/knowledge.md has the figures.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from email_assistant.knowledge.lexical import terms_of

THRESHOLD = 0.5
"""Nothing below is used. docs/knowledge.md says what it lets through."""


@dataclass(frozen=True, slots=True)
class MatchEvidence:
    """What speaks for a past message."""

    cosine: float
    coverage: float
    """Share of the query's words that it has, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve over the evidence."""

    constant: float
    cosine: float
    coverage: float
    is_measured: bool
    """Whether it was fitted to labelled mail; else it is an assumption, on the careful side."""

    def score(self, evidence: MatchEvidence) -> float:
        """From 0 to 1: of a hundred past mails with 0.7, about seventy help."""
        at = self.constant + self.cosine * evidence.cosine + self.coverage * evidence.coverage
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, at))))


CURVES: Mapping[str, Curve] = {
    "lexical": Curve(-5.7, 5.6, 7.9, is_measured=True),
    "provider": Curve(-11.0, 19.0, 4.0, is_measured=False),
}
"""For past mail, by the embedding's kind."""

DOCUMENT_THRESHOLD = 0.15
"""No chunk of a document below is used. It is lower than that of mail, because whoever reads it cites what answers and leaves
the rest, and what is not found cannot be cited."""
DOCUMENT_CURVES: Mapping[str, Curve] = {
    "lexical": Curve(-6.6, 6.4, 4.3, is_measured=True),
    "provider": Curve(-11.0, 19.0, 4.0, is_measured=False),
}
"""For chunks of documents: their questions are shorter and their texts longer. `python -m eval.documents` fits them."""


def coverage(query: str, text: str) -> float:
    """Which part of the query's words the text shares.

    All count the same. Weighing them by how rare they are among the candidates fits a small mailbox better and fails in a
    large one, where every candidate has all words but one: that one then counts for more than all the others.
    """
    wanted = terms_of(query)
    return len(wanted & terms_of(text)) / len(wanted) if wanted else 0.0
