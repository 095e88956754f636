"""The catalogue as the graph uses it: products by id, and the index that resolves mentions, kept while nothing is imported."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from langgraph.store.base import BaseStore

from email_assistant.errors import InputError
from email_assistant.knowledge.embedding import Embedder
from email_assistant.workflows.order_desk.catalogue_index import CatalogueMeaning
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex

MAX_MEANT = 20_000
"""A larger catalogue is not put into the store while a mail waits; words alone decide there."""


@dataclass(frozen=True)
class _Kept:
    revision: int
    index: ProductIndex


@dataclass
class Shelf:
    """Safe to share between runs; building the index again costs time, so that is done once for each import."""

    catalogue: Catalogue
    embedder: Embedder | None = None
    """What products are compared by where words do not do; None for words alone."""
    _kept: _Kept | None = field(default=None, init=False, repr=False)
    _meant: ProductIndex | None = field(default=None, init=False, repr=False)
    """The catalogue that was put into the store; a server has one store, whatever object stands for it in a run."""

    async def index(self) -> ProductIndex:
        """The index of the catalogue as it is now; raises `InputError` when there is no catalogue."""
        revision = await self.catalogue.revision()
        if revision == 0:
            raise InputError("there is no catalogue; import one with: email-assistant catalog import FILE")
        kept = self._kept
        if kept is None or kept.revision != revision:
            products = await self.catalogue.all()
            kept = _Kept(revision, await asyncio.to_thread(ProductIndex.build, products))
            self._kept = kept
        return kept.index

    async def meaning(self, store: BaseStore | None) -> CatalogueMeaning | None:
        """What finds products by their meaning, all of them put into the store; None where that knows no more than words do.

        The first mail after an import or a start waits until they are there. Raises what embedding does.
        """
        if store is None or self.embedder is None:
            return None
        found = CatalogueMeaning(store, self.embedder)
        index = await self.index()
        if not found.is_worth_asking or len(index) > MAX_MEANT:
            return None
        if self._meant is not index:
            await found.keep(await self.catalogue.all())
            self._meant = index
        return found

    async def products(self, ids: Iterable[str]) -> dict[str, Product]:
        """The products of these ids with their stock at this moment; unknown ids are left out."""
        found = [await self.catalogue.get(product_id) for product_id in dict.fromkeys(ids)]
        return {product.id: product for product in found if product}
