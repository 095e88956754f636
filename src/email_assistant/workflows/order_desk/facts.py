"""The reply's facts, looked up in the catalogue, in the order and in the mail."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from email_assistant.clock import Clock
from email_assistant.facts.check import check
from email_assistant.facts.fact import CheckedDraft, Source
from email_assistant.mail.message import Conversation
from email_assistant.tools.draft_check import MAX_SOURCE, mail_sources, own_of
from email_assistant.tools.tool import User
from email_assistant.workflows.order_desk.offline.letter import Letter, write
from email_assistant.workflows.order_desk.price_check import When, unbacked_prices
from email_assistant.workflows.order_desk.shop.catalogue_entry import CatalogueEntry
from email_assistant.workflows.order_desk.shop.product import Product


@dataclass(frozen=True)
class OrderFactCheck:
    """See docs/fact_check.md. What the desk worked out is ours: promises may rest on it; what the customer writes never is."""

    user: User
    clock: Clock

    async def check(
        self, draft: str, letter: Letter, products: Iterable[Product], conversation: Conversation
    ) -> CheckedDraft:
        """The draft with a gap for each fact and promise that nothing supports; off the event loop."""
        customer = conversation.current.sender.email
        sources = list(_sources(letter, products, conversation))
        return await asyncio.to_thread(self._checked, draft, letter, sources, customer, self.clock.now())

    def _checked(
        self, draft: str, letter: Letter, sources: Sequence[Source], customer: str, now: datetime
    ) -> CheckedDraft:
        user, zone = self.user, ZoneInfo(self.user.timezone)
        found = check(draft, sources, now=now, timezone=user.timezone, own=own_of(user))
        own = [user.address.email, user.background, customer]
        ours = [*own, *(source.text for source in sources if source.role == "ours")]
        ordered = any(order.lines for order in letter.orders)
        when = When(now.astimezone(zone).date(), zone)
        return unbacked_prices(found, ours, _sums(letter), _asked_about(letter), ordered=ordered, when=when)


def _sums(letter: Letter) -> Iterator[Decimal]:
    """What a reply may say of an order besides what the letter says: the full price of a line, and of all."""
    for order in letter.orders:
        full = [line.unit_price * line.fulfilled for line in order.lines]
        yield from (*full, sum(full, Decimal()), sum((line.discount for line in order.lines), Decimal()))


def _asked_about(letter: Letter) -> str:
    """The mail's words that the customer is asked about: ids that nobody has stand there."""
    return "\n".join([*(doubt.text for doubt in letter.doubts), *(words for words, _ in letter.how_many)])


def _sources(letter: Letter, products: Iterable[Product], conversation: Conversation) -> Iterator[Source]:
    # What the letter quotes of the mail, and a model's answers, are checked and not believed.
    ours = letter.of_the_shop()
    yield Source("the order", write(ours)[:MAX_SOURCE], "ours")
    yield Source("the order", ours.facts[:MAX_SOURCE], "ours")
    for product in products:
        yield Source(
            f"the catalogue, {product.id}", CatalogueEntry(product, letter.currency).text[:MAX_SOURCE], "ours"
        )
    yield from mail_sources(conversation)
