"""The catalogue as the graph uses it: products by id, and the index that resolves mentions, kept while nothing is imported."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from email_assistant.errors import InputError
from email_assistant.journal.catalogue import Catalogue
from email_assistant.shop.product import Product
from email_assistant.shop.resolution.index import ProductIndex


@dataclass(frozen=True)
class _Kept:
    revision: int
    index: ProductIndex


@dataclass
class Shelf:
    """Safe to share between runs; building the index again costs time, so that is done once for each import."""

    catalogue: Catalogue
    _kept: _Kept | None = field(default=None, init=False, repr=False)

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

    async def products(self, ids: Iterable[str]) -> dict[str, Product]:
        """The products of these ids with their stock at this moment; unknown ids are left out."""
        found = [await self.catalogue.get(product_id) for product_id in dict.fromkeys(ids)]
        return {product.id: product for product in found if product}
