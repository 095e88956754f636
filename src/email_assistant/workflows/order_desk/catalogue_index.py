"""Resolving mentions of products: the catalogue's index, kept while nothing is imported, and products found by what is meant.

Meaning is asked of the store's semantic index, where a real embedding is configured.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from langgraph.store.base import BaseStore

from email_assistant.errors import InputError
from email_assistant.knowledge.embedding import Embedder, marked
from email_assistant.knowledge.similarity import CURVES, MatchEvidence, coverage
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.shop.mention import (
    SHOWN,
    Candidate,
    ProductMention,
    Resolution,
    settled,
)
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.resolution.fit import CAP
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex

MAX_MEANT = 20_000
"""A larger catalogue is not put into the store while a mail waits; words alone decide there."""

NAMESPACE = ("email_assistant", "catalogue")
MAX_TEXT = 2_000
"""Characters of a product, or of a mention, that are embedded."""
TOGETHER = 64
"""Products that are embedded and written together."""


def words_of_product(product: Product) -> str:
    """The text of a product that is embedded."""
    return f"{product.name}\n{product.category}\n{product.description}"[:MAX_TEXT]


def key_of_product(product_id: str) -> str:
    """The key of a product's item: of one length and harmless characters."""
    return "p-" + hashlib.sha256(product_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True)
class CatalogueMeaning:
    """Finds products by what a text means, in a store.

    Scores are those of past mail's curve for the same embedding (knowledge/similarity.py): an assumption for products, on the careful
    side, as long as nobody has measured it.
    """

    store: BaseStore
    embedder: Embedder

    @property
    def is_worth_asking(self) -> bool:
        """The embedding knows more than shared words, which the catalogue's own index finds faster."""
        return self.embedder.embedding.kind != "lexical"

    async def keep(self, products: Iterable[Product]) -> int:
        """Put products into the store, those as they are there already left out; returns how many were written."""
        listed, written = list(products), 0
        for start in range(0, len(listed), TOGETHER):
            written += await self._keep(listed[start : start + TOGETHER])
        return written

    async def _keep(self, products: Sequence[Product]) -> int:
        name = self.embedder.embedding.name
        wanted = {}
        for product in products:
            key = key_of_product(product.id)
            text = marked(name, key, words_of_product(product))
            wanted[key] = {"product_id": product.id, "text": text, "embedding": name}
        there = await asyncio.gather(*(self.store.aget(NAMESPACE, key) for key in wanted))
        missing = {
            k: v
            for (k, v), item in zip(wanted.items(), there, strict=True)
            if item is None or item.value != v
        }
        if missing:
            # First here: an embedding that fails inside the store fails everybody's writes of that moment.
            await self.embedder.embed([value["text"] for value in missing.values()])
            await asyncio.gather(
                *(self.store.aput(NAMESPACE, k, v, index=["text"]) for k, v in missing.items())
            )
        return len(missing)

    async def nearest(self, text: str, limit: int) -> Sequence[Candidate]:
        """Products for a text, the surest first; raises what `Embedder.embed` does."""
        name, kind = self.embedder.embedding.name, self.embedder.embedding.kind
        asked = marked(name, "query", text[:MAX_TEXT])
        await self.embedder.embed([asked])
        hits = await self.store.asearch(NAMESPACE, query=asked, filter={"embedding": name}, limit=4 * limit)
        found = []
        for hit in hits:
            product_id, words = hit.value.get("product_id"), hit.value.get("text")
            if isinstance(product_id, str) and isinstance(words, str) and hit.score is not None:
                evidence = MatchEvidence(
                    max(0.0, hit.score), coverage(text[:MAX_TEXT], words.partition("\n")[2])
                )
                found.append(Candidate(product_id, round(CURVES[kind].score(evidence), 4), "meaning"))
        found.sort(key=lambda one: (-one.score, one.product_id))
        return found[:limit]


def asked_of(mention: ProductMention) -> str:
    """The words of a mention, as one text."""
    parts = (mention.product_name, mention.category, mention.description, mention.mention_text)
    return "\n".join(part for part in parts if part.strip())


async def resolve_by_meaning(
    index: ProductIndex, mention: ProductMention, meaning: CatalogueMeaning
) -> Resolution:
    """The resolution of a mention when the meaning of its words is asked for, too.

    Asked only where the index is not certain. What is found so is a candidate for a question, never certain: nearness of
    meaning does not tell a product from its twin.
    """
    first = index.resolve(mention)
    text = asked_of(mention)
    if first.status == "resolved" or not text or any(one.method != "meaning" for one in first.candidates):
        return first
    found = {one.product_id: one for one in first.candidates}
    for one in await meaning.nearest(text, SHOWN):
        capped = replace(one, score=min(one.score, CAP), method="meaning")
        if one.product_id in index and capped.score > (
            found[one.product_id].score if one.product_id in found else 0.0
        ):
            found[one.product_id] = capped
    return settled(mention, found.values())


@dataclass
class CatalogueIndex:
    """Safe to share between runs; building the index again costs time, so that is done once for each import."""

    catalogue: Catalogue
    embedder: Embedder | None = None
    """Compares products where words do not do; None for words alone."""
    _kept: tuple[int, ProductIndex] | None = field(default=None, init=False, repr=False)
    """The revision of the catalogue that was indexed last, and its index."""
    _meant: ProductIndex | None = field(default=None, init=False, repr=False)
    """The catalogue that was put into the store; a server has one store, whatever object stands for it in a run."""

    async def index(self) -> ProductIndex:
        """The index of the catalogue as it is now; raises `InputError` when there is no catalogue."""
        revision = await self.catalogue.revision()
        if revision == 0:
            raise InputError("there is no catalogue; import one with: email-assistant catalog import FILE")
        if self._kept is None or self._kept[0] != revision:
            products = await self.catalogue.all()
            self._kept = (revision, await asyncio.to_thread(ProductIndex.build, products))
        return self._kept[1]

    async def meaning(self, store: BaseStore | None) -> CatalogueMeaning | None:
        """The finder of products by their meaning, all of them put into the store; None where that knows no more than words do.

        The first mail after an import or a start waits until they are there. Raises what embedding does.
        """
        if store is None or self.embedder is None:
            return None
        found = CatalogueMeaning(store, self.embedder)
        if not found.is_worth_asking:
            return None
        index = await self.index()
        if len(index) > MAX_MEANT:
            return None
        if self._meant is not index:
            await found.keep(await self.catalogue.all())
            self._meant = index
        return found
