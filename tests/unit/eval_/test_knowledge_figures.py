"""The figures of docs/knowledge.md are what the measure gives, and the curve in use is the one that fits."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from email_assistant.knowledge.embedding import LexicalEmbedding
from email_assistant.knowledge.similarity import CURVES, THRESHOLD
from eval.knowledge.__main__ import told
from eval.knowledge.cases import past, past_of_years, queries
from eval.knowledge.measure import Answered, Share, answered, figures, fitted, half

DOC = Path(__file__).parents[3] / "docs" / "knowledge.md"


@pytest.fixture(scope="module")
async def lexical() -> Sequence[Answered]:
    """Every query answered, once."""
    return await answered(LexicalEmbedding())


def test_the_cases_are_whole() -> None:
    """Enough of them, every named mail there, and both halves with and without something relevant."""
    ids = {conversation[0].id for conversation in past()}
    asked = queries()
    assert len(ids) >= 60
    assert len({query.id for query in asked}) == len(asked) >= 30
    assert set().union(*(query.relevant for query in asked)) <= ids
    for split in ("dev", "test"):
        part = [query for query in asked if query.split == split]
        assert sum(not query.relevant for query in part) >= 8
        assert sum(bool(query.relevant) for query in part) >= 15


async def test_the_committed_figures_are_the_measured_ones(lexical: Sequence[Answered]) -> None:
    """Whoever changes words, weights or cases runs `python -m eval.knowledge` and says what has become of them."""
    first_table = told("lexical-1", "lexical", lexical).split("\n\n")[2]
    assert first_table in DOC.read_text(encoding="utf-8")
    assert fitted(half(lexical, "dev")) == CURVES["lexical"]


async def test_the_bounds_hold(lexical: Sequence[Answered]) -> None:
    """Nothing false is used, and not much less is found."""
    dev, test = figures(half(lexical, "dev")), figures(half(lexical, "test"))
    for each in (dev, test):
        assert each.false_items.some == each.false_queries.some == 0
    assert dev.recall.some / dev.recall.all >= 0.7
    assert test.recall.some / test.recall.all >= 0.65


async def test_a_large_mailbox_is_searched_as_well_as_a_small_one(lexical: Sequence[Answered]) -> None:
    """Where everything was asked twenty times, as many queries get help, and no more get false context."""
    years = await answered(LexicalEmbedding(), past_of_years(20))
    for split in ("dev", "test"):
        once, often = figures(half(lexical, split)), figures(half(years, split))
        assert often.helped.some >= once.helped.some - 1
        assert often.false_items.some <= once.false_items.some
        assert often.false_queries.some <= once.false_queries.some


async def test_scores_mean_what_they_say(lexical: Sequence[Answered]) -> None:
    """Over both halves: what has 0.6 and more helps nearly always, what has less than 0.05 nearly never."""
    scored = [c for one in lexical for c in one.candidates]
    high = [c.is_relevant for c in scored if c.score >= 0.6]
    low = [c.is_relevant for c in scored if c.score < 0.05]
    assert sum(high) / len(high) >= 0.9
    assert sum(low) / len(low) <= 0.03
    assert 0 < THRESHOLD < 1


def test_intervals_are_wilsons() -> None:
    """As in any table of them: 0 of 10 and 5 of 10."""
    assert Share(0, 10).interval == pytest.approx((0.0, 0.2775), abs=1e-3)
    assert Share(5, 10).interval == pytest.approx((0.2366, 0.7634), abs=1e-3)
