"""Past mail and documents: the curves in use are those that fit, and as much is found as has to be."""

from collections.abc import Sequence

import pytest

from email_assistant.knowledge.embedding import LexicalEmbedding
from eval.documents import measure as documents
from eval.documents.suite import MEASURE as DOCUMENTS
from eval.finding import fit, half
from eval.knowledge import measure as knowledge
from eval.knowledge.cases import past_of_years
from eval.knowledge.suite import MEASURE as PAST_MAIL


@pytest.fixture(scope="module")
async def mails() -> Sequence[knowledge.Answered]:
    """Every query about past mail answered, once."""
    return await knowledge.answered(LexicalEmbedding())


@pytest.fixture(scope="module")
async def chunks() -> Sequence[documents.Answered]:
    """Every question about documents answered, once."""
    return await documents.answered(LexicalEmbedding())


async def test_the_curves_in_use_are_those_that_fit(
    mails: Sequence[knowledge.Answered], chunks: Sequence[documents.Answered]
) -> None:
    """On the open half of the data."""
    assert fit(PAST_MAIL.rows(half(mails, "dev"))) == PAST_MAIL.curves["lexical"]
    assert fit(DOCUMENTS.rows(half(chunks, "dev"))) == DOCUMENTS.curves["lexical"]


async def test_a_large_mailbox_is_searched_as_well_as_a_small_one(
    mails: Sequence[knowledge.Answered],
) -> None:
    """Where everything was asked twenty times, as many queries get help, and no more get false context."""
    years = await knowledge.answered(LexicalEmbedding(), past_of_years(20))
    for split in ("dev", "test"):
        once, often = knowledge.figures(half(mails, split)), knowledge.figures(half(years, split))
        assert often.helped.some >= once.helped.some - 1
        assert often.false_items.some <= once.false_items.some
        assert often.false_queries.some <= once.false_queries.some


async def test_what_a_role_alone_may_see_is_found_by_nobody_else(
    chunks: Sequence[documents.Answered],
) -> None:
    """And by those it is found."""
    inside = {chunk.document for one in chunks for chunk in one.found if not chunk.is_public}
    assert inside == {"claims-guidance.md", "goodwill-limits.md"}
    others = [one for one in chunks if one.question.who.role != "agent"]
    assert all(chunk.is_public for one in others for chunk in one.found)
