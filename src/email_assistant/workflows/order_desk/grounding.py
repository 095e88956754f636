"""Words of models, held against what is known: a mention against the mail, a reply against catalogue, order and mail."""

import asyncio
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.clock import Clock, now_for
from email_assistant.facts.check import check
from email_assistant.facts.fact import CheckedDraft, Source
from email_assistant.mail.message import Conversation, Message
from email_assistant.tools.draft_check import MAX_SOURCE, mail_sources, own_of
from email_assistant.tools.tool import User
from email_assistant.workflows.order_desk.offline.letter import Letter, write
from email_assistant.workflows.order_desk.price_check import prices_of_the_shop, unbacked_words
from email_assistant.workflows.order_desk.shop.product import CatalogueEntry, Product

MAX_NESTED = 10
_WORDS = re.compile(r"\w+")
_QUOTED = re.compile(r"(?m)^[ \t]*>.*$")
_BRACES = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class MailWords:
    """The words of a mail, without case, accents and punctuation."""

    words: str
    """With a space between them and at both ends."""
    letters: str
    """The same without spaces: ids are written with and without them."""

    @classmethod
    def of(cls, message: Message) -> "MailWords":
        """Subject, text, signature, and what is forwarded: a customer may order what stands there.

        Not what is quoted with `>`, which anybody can write in our name, and nothing in braces: that is data, no words.
        """
        forwarded = _QUOTED.sub("", message.quoted)
        text = f"{message.subject}\n{message.text}\n{message.signature}\n{forwarded}"
        for _ in range(MAX_NESTED):
            text, found = _BRACES.subn(" ", text)
            if not found:
                break
        words = _words(text)
        return cls(f" {words} ", words.replace(" ", ""))

    def grounded(self, mention: Mapping[str, Any]) -> dict[str, Any]:
        """The mention without what the mail does not say. Description and category are the model's to tell: they make nothing certain."""
        product_id, name = _words(mention["product_id"]).replace(" ", ""), _words(mention["product_name"])
        said = {
            "product_id": product_id in self.letters,
            # "Enamel mug" stands in "two Enamel mugs".
            "product_name": all(word in self.letters for word in name.split()),
            "mention_text": f" {_words(mention['mention_text'])} " in self.words,
        }
        return {**mention, **{field: "" for field, is_said in said.items() if not is_said}}

    def distinct(
        self, mentions: Iterable[tuple[int, Mapping[str, Any]]]
    ) -> list[tuple[int, Mapping[str, Any]]]:
        """The mentions with their segments, without those of words that the mail does not have once more."""
        counts: Counter[tuple[str, str]] = Counter()
        kept = []
        for segment, mention in mentions:
            words = f" {_words(mention['mention_text'])} "
            key = (str(mention["segment_type"]), words)
            counts[key] += 1
            if counts[key] <= max(1, self.words.count(words)):
                kept.append((segment, mention))
        return kept


def _words(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    # A combining accent is no part of a word, and must not divide it.
    bare = "".join(each for each in plain if not unicodedata.combining(each))
    return " ".join(_WORDS.findall(bare.replace("_", " ")))


@dataclass(frozen=True)
class OrderFactCheck:
    """See docs/fact_check.md. What the desk worked out is ours: promises may rest on it; what the customer writes never is."""

    user: User
    clock: Clock

    async def check(
        self,
        draft: str,
        letter: Letter,
        products: Iterable[Product],
        conversation: Conversation,
        said: str = "",
    ) -> CheckedDraft:
        """The draft with a gap for each fact and promise that nothing supports, nor what the user `said`; off the event loop."""
        customer = conversation.current.sender.email
        sources = [*_sources(letter, products, conversation), Source("what you said", said, "ours")]
        now = now_for(self.clock, conversation.arrived)
        return await asyncio.to_thread(self._checked, draft, letter, sources, customer, now)

    def _checked(
        self, draft: str, letter: Letter, sources: Sequence[Source], customer: str, now: datetime
    ) -> CheckedDraft:
        user, zone = self.user, ZoneInfo(self.user.timezone)
        own = [user.address.email, user.background, customer]
        ours = [*own, *(source.text for source in sources if source.role == "ours")]
        prices = prices_of_the_shop(ours, letter.currency, now.astimezone(zone).date(), zone)
        found = check(draft, sources, now=now, timezone=user.timezone, own=own_of(user), distrusted=prices)
        ordered = any(order.lines for order in letter.orders)
        return unbacked_words(found, ours, _asked_about(letter), ordered=ordered)


def _sums(letter: Letter) -> Iterator[Decimal]:
    """Sums that a reply may name besides those of the letter: the full price of a line, and of all."""
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
    sums = "\n".join(f"{amount:.2f} {letter.currency}" for amount in _sums(letter) if amount)
    yield Source("the order", sums[:MAX_SOURCE], "ours")
    for product in products:
        yield Source(
            f"the catalogue, {product.id}", CatalogueEntry(product, letter.currency).text[:MAX_SOURCE], "ours"
        )
    yield from mail_sources(conversation)
