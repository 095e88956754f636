"""What is found of documents for each question, and how good that is."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore

from email_assistant.knowledge.embedding import DIMS, Embedder, Embedding
from email_assistant.knowledge.similarity import DOCUMENT_THRESHOLD
from email_assistant.workflows.claims_desk.document_import import DocumentImport
from email_assistant.workflows.claims_desk.document_search import Documents, FoundChunk
from email_assistant.workflows.claims_desk.document_store import Who, public_space, role_space
from email_assistant.workflows.claims_desk.documents.reading import read_folder
from eval.finding import Rows, Share

SAMPLES = Path(__file__).parents[2] / "samples" / "claims"
TOP = 5
ALL = 200


@dataclass(frozen=True)
class Question:
    """What somebody asks, and the labels of the sections that answer it; none for some."""

    id: str
    split: str
    """`dev`, on which the curve is fitted and the threshold chosen, or `test`."""
    who: Who
    text: str
    sections: frozenset[str]


@dataclass(frozen=True)
class Answered:
    """A question and all that was found for it, the surest first."""

    question: Question
    found: Sequence[FoundChunk]

    @property
    def split(self) -> str:
        """Its half."""
        return self.question.split

    def used(self, threshold: float = DOCUMENT_THRESHOLD) -> list[FoundChunk]:
        """What is handed to whoever decides."""
        return [one for one in self.found[:TOP] if one.score >= threshold]

    def answers(self, chunk: FoundChunk) -> bool:
        """Whether a chunk is of a section that answers."""
        return chunk.section in self.question.sections


@dataclass(frozen=True)
class Figures:
    """One half under one embedding."""

    recall: Share
    """Of all sections that answer, how many are among the first five."""
    first: Share
    """Of the questions that have an answer, for how many it comes first."""
    used: Share
    """Of all sections that answer, how many are used."""
    helped: Share
    """Of the questions that have an answer, how many get any of it used."""
    false_items: Share
    """Of the used chunks, how many do not answer."""
    false_questions: Share
    """Of the questions without an answer, for how many something is used all the same."""


def questions() -> list[Question]:
    """All questions, both halves."""
    lines = (Path(__file__).parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [_question(json.loads(line)) for line in lines]


async def answered(embedding: Embedding) -> list[Answered]:
    """The documents of samples/claims imported into a store of its own, and every question asked of them."""
    embedder = Embedder(embedding)
    store = InMemoryStore(index={"dims": DIMS, "embed": embedder.embed, "fields": ["text"]})
    importing, documents = DocumentImport(embedder), Documents(embedder)
    for folder in sorted(SAMPLES.glob("*/*/")):
        tenant, role = folder.parent.name, folder.name
        space = public_space(tenant) if role == "public" else role_space(tenant, role)
        await importing.replace(store, space, read_folder(folder).documents)
    return [
        Answered(one, await documents.find(store, one.who, one.text, ALL, least=0.0)) for one in questions()
    ]


def figures(half: Sequence[Answered], threshold: float = DOCUMENT_THRESHOLD) -> Figures:
    """The figures of a half."""
    some = [one for one in half if one.question.sections]
    none = [one for one in half if not one.question.sections]
    wanted = sum(len(one.question.sections) for one in some)
    used = [(one, chunk) for one in half for chunk in one.used(threshold)]
    right = {(one.question.id, chunk.section) for one, chunk in used if one.answers(chunk)}
    return Figures(
        recall=Share(
            sum(len({c.section for c in one.found[:TOP]} & one.question.sections) for one in some), wanted
        ),
        first=Share(sum(one.answers(one.found[0]) for one in some if one.found), len(some)),
        used=Share(len(right), wanted),
        helped=Share(len({name for name, _ in right}), len(some)),
        false_items=Share(sum(not one.answers(chunk) for one, chunk in used), len(used)),
        false_questions=Share(sum(bool(one.used(threshold)) for one in none), len(none)),
    )


def rows(part: Sequence[Answered]) -> Rows:
    """The evidence of everything that was found."""
    return [((c.evidence.cosine, c.evidence.coverage), one.answers(c)) for one in part for c in one.found]


def _question(fields: dict[str, Any]) -> Question:
    who = Who(fields["tenant"], "C-1", fields["role"])
    return Question(fields["id"], fields["split"], who, fields["text"], frozenset(fields["sections"]))
