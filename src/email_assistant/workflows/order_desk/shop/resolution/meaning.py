"""Meaning by other means than shared words: what an index of embeddings finds, beside what the catalogue's own index finds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from email_assistant.workflows.order_desk.shop.mention import Candidate, ProductMention, Resolution
from email_assistant.workflows.order_desk.shop.resolution.fit import CAP
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex
from email_assistant.workflows.order_desk.shop.resolution.score import SHOWN, settled


class Meaning(Protocol):
    """Finds products by what a text means."""

    async def nearest(self, text: str, limit: int) -> Sequence[Candidate]:
        """Products for a text, with scores from 0 to 1; may raise what its service does."""
        ...


def asked_of(mention: ProductMention) -> str:
    """What a mention says, as one text."""
    parts = (mention.product_name, mention.category, mention.description, mention.mention_text)
    return "\n".join(part for part in parts if part.strip())


async def resolve_by_meaning(index: ProductIndex, mention: ProductMention, meaning: Meaning) -> Resolution:
    """What a mention comes to when the meaning of its words is asked for, too.

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
