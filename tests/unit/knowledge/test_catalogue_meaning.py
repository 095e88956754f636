"""Products found by meaning in the store's own semantic index, with a made-up embedding that knows two languages."""

from collections.abc import Sequence
from decimal import Decimal

import pytest
from langgraph.store.memory import InMemoryStore

from email_assistant.knowledge.embedding import DIMS, Embedder
from email_assistant.workflows.order_desk.catalogue_index import (
    NAMESPACE,
    CatalogueMeaning,
    resolve_by_meaning,
)
from email_assistant.workflows.order_desk.shop.mention import Candidate, ProductMention
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex

CUPS = Product("CUP-1001", "Whale Mug", "Kitchenware", "For hot drinks.", Decimal("9.00"))
SHAWL = Product("SHA-1002", "Fjord Shawl", "Accessories", "Keeps warm.", Decimal("29.00"))
INDEX = ProductIndex.build([CUPS, SHAWL])


class TwoLanguages:
    """Puts drinking vessels in one direction and everything else in another."""

    name = "made-up-1"
    kind = "provider"

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """One of two directions."""
        return [[1.0, 0.0] if "mug" in t.lower() or "becher" in t.lower() else [0.0, 1.0] for t in texts]


def meaning() -> CatalogueMeaning:
    """Over a store of its own."""
    embedder = Embedder(TwoLanguages())
    index = {"dims": DIMS, "embed": embedder.embed, "fields": ["text"]}
    return CatalogueMeaning(InMemoryStore(index=index), embedder)  # type: ignore[arg-type]


async def test_what_the_catalogue_has_no_more_is_not_offered() -> None:
    """The store may be behind, and anybody may write into it."""
    by_meaning = meaning()
    await by_meaning.keep([Product("OLD-1", "Mug of old", "", "", Decimal("1.00"))])
    await by_meaning.store.aput(NAMESPACE, "p-odd", {"embedding": "made-up-1", "text": 7, "product_id": None})
    found = await resolve_by_meaning(INDEX, ProductMention(product_name="Becher"), by_meaning)
    assert found.status == "unresolved"


class Broken:
    """A service that nobody should have asked."""

    async def nearest(self, text: str, limit: int) -> Sequence[Candidate]:
        """Fails."""
        raise AssertionError(text)


@pytest.mark.parametrize(
    "mention", [ProductMention("CUP-1001"), ProductMention(product_name="whale mug"), ProductMention()]
)
async def test_an_embedding_is_asked_only_where_words_do_not_do(mention: ProductMention) -> None:
    """It costs time and perhaps money."""
    assert await resolve_by_meaning(INDEX, mention, Broken()) == INDEX.resolve(mention)
