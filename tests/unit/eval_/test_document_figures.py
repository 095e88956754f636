"""The figures that docs/knowledge.md has of documents are what the measure gives, and the curve in use is the one that fits."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from email_assistant.knowledge.embedding import LexicalEmbedding
from email_assistant.knowledge.similarity import DOCUMENT_CURVES
from email_assistant.workflows.claims_desk.documents.reading import read_folder
from eval.documents.__main__ import told
from eval.documents.measure import SAMPLES, Answered, answered, figures, fitted, half, questions

DOC = Path(__file__).parents[3] / "docs" / "knowledge.md"


@pytest.fixture(scope="module")
async def lexical() -> Sequence[Answered]:
    """Every question answered, once."""
    return await answered(LexicalEmbedding())


def test_the_questions_are_whole() -> None:
    """Enough of them, every named section there, and both halves with and without an answer."""
    sections = {
        (folder.parent.name, chunk.section)
        for folder in SAMPLES.glob("*/*/")
        for document in read_folder(folder).documents
        for chunk in document.chunks
    }
    asked = questions()
    assert len({one.id for one in asked}) == len(asked) >= 40
    assert {(one.who.tenant_id, section) for one in asked for section in one.sections} <= sections
    for split in ("dev", "test"):
        part = [one for one in asked if one.split == split]
        assert sum(not one.sections for one in part) >= 8
        assert sum(bool(one.sections) for one in part) >= 20


async def test_the_committed_figures_are_the_measured_ones(lexical: Sequence[Answered]) -> None:
    """Whoever changes words, chunks, samples or questions runs `python -m eval.documents` and says what has become of them."""
    first_table = told("lexical-1", "lexical", lexical).split("\n\n")[2]
    assert first_table in DOC.read_text(encoding="utf-8")
    assert fitted(half(lexical, "dev")) == DOCUMENT_CURVES["lexical"]


async def test_the_bounds_hold(lexical: Sequence[Answered]) -> None:
    """Not much less is found than was, and what a role alone may see is found by nobody else."""
    for split in ("dev", "test"):
        found = figures(half(lexical, split))
        assert found.recall.some / found.recall.all >= 0.7
    inside = {chunk.document for one in lexical for chunk in one.found if not chunk.is_public}
    assert inside == {"claims-guidance.md", "goodwill-limits.md"}
    assert not [
        1 for one in lexical if one.question.who.role != "agent" for c in one.found if not c.is_public
    ]
