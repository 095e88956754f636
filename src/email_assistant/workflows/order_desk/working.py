"""process_order and respond_to_inquiry: what is sold, and what the catalogue answers. They work side by side."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.clock import now_for
from email_assistant.errors import InputError
from email_assistant.journal.sql import clean
from email_assistant.kit.conversations import conversation_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.workflows.order_desk.calls import ADVISE, AdviseInput, InquiryAnswers
from email_assistant.workflows.order_desk.dependencies import OrderDependencies, attempt
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.records.tables import OrderState
from email_assistant.workflows.order_desk.shop.order import (
    Order,
    OrderLine,
    Wanted,
    settle_order,
    with_alternatives,
)
from email_assistant.workflows.order_desk.shop.product import CatalogueEntry, Product, season_of
from email_assistant.workflows.order_desk.state import ADVISOR, FULFILLER, OrderWork, mentions_of

MAX_AGAIN = 20
"""Times that an order of one mail can be taken again after it was given back."""
MAX_EARLIER = 20
"""Earlier mails of a conversation whose orders are looked for; an older one that is held is settled by hand."""


def order_ids(message: Message) -> list[str]:
    """The order's id, and those it gets one after the other when it is taken again after it was given back."""
    content = f"{message.sender.key}\n{message.subject}\n{message.text}"
    digest = hashlib.sha256(content.encode(errors="replace")).hexdigest()[:12]
    first = f"{clean(message.id)[:120]}:{digest}"
    return [first, *(f"{first}:{again}" for again in range(1, MAX_AGAIN + 1))]


async def held_of(orders: Orders, conversation: Conversation, known: Sequence[str]) -> list[str]:
    """Those of the conversation that are held, the oldest first: by its mails, and of those that the thread remembers."""
    mails = (*conversation.earlier[-MAX_EARLIER:], conversation.current)
    return list(await orders.held_among([*known, *(each for mail in mails for each in order_ids(mail))]))


@dataclass(frozen=True)
class AgentNodes:
    """The two agents."""

    parts: OrderDependencies

    async def process_order(self, state: OrderWork) -> dict[str, Any]:
        """Take what is ordered from the stock, once for each mail, and work out what it comes to."""
        message = conversation_of(state.get("email_input")).current
        done, errors = await attempt(FULFILLER, lambda: self._fulfilled(state, message))
        # What an earlier run has taken is held, too, and decided with the reply.
        order, held = done or (None, await self._held(message))
        opened = list(dict.fromkeys([*(state.get("open_orders") or []), *held]))
        return {"fulfiller": order, "open_orders": opened, "errors": errors}

    async def _fulfilled(self, state: OrderWork, message: Message) -> tuple[dict[str, Any], Sequence[str]]:
        """The order, and the ids of those of the mail that are held."""
        if state.get("sender_warnings"):
            raise InputError("the sender is in doubt, so nothing was taken from the stock")
        wanted = _wanted(mentions_of(state))
        if not wanted:
            return order_json("", Order("no_valid_products"), held=False), await self._held(message)
        return await self.parts.orders.database.in_one_write(lambda: self._sold(message, wanted))

    async def _sold(self, message: Message, wanted: Sequence[Wanted]) -> tuple[dict[str, Any], Sequence[str]]:
        """In one transaction: units are taken together with what they come to, or not at all."""
        parts, order_id = self.parts, await self._order_id(message)
        taken = await parts.orders.take(order_id, wanted, hold=parts.hold)
        products = await parts.catalogue_index.catalogue.of_ids(each.product_id for each in taken)
        settled = settle_order(
            [(t.product_id, t.asked, t.taken) for t in taken if t.product_id in products], products
        )
        offered = await self._on_offer(settled, products)
        today = now_for(parts.clock, message.arrived).astimezone(ZoneInfo(parts.user.timezone)).date()
        order = await parts.orders.record(order_id, with_alternatives(settled, offered, season_of(today)))
        return order_json(order_id, order, held=parts.hold), await self._held(message)

    async def _held(self, message: Message) -> Sequence[str]:
        return await self.parts.orders.held_among(order_ids(message))

    async def _order_id(self, message: Message) -> str:
        """The same for the same mail; another one after it was given back, so that a mail can be dealt with again."""
        for order_id in order_ids(message):
            record = await self.parts.orders.get(order_id)
            if record is None or record.state is not OrderState.released:
                return order_id
        raise InputError(
            f"the order of message {message.id} was given back {MAX_AGAIN} times; it is not taken again"
        )

    async def _on_offer(self, order: Order, products: Mapping[str, Product]) -> dict[str, Product]:
        """The products of the order, and those in stock that could stand in for what is missing of it."""
        short = [products[line.product_id] for line in order.lines if line.status != "created"]
        offered = dict(products)
        for category in dict.fromkeys(product.category for product in short):
            found = await self.parts.catalogue_index.catalogue.in_stock(category)
            offered |= {product.id: product for product in found}
        return offered

    async def respond_to_inquiry(self, state: OrderWork) -> dict[str, Any]:
        """Answer the questions from the catalogue."""
        done, errors = await attempt(ADVISOR, lambda: self._advised(state))
        return {"advisor": done, "errors": errors}

    async def _advised(self, state: OrderWork) -> dict[str, Any]:
        analysis = state.get("classifier") or {}
        segments = [each for each in analysis["segments"] if each["segment_type"] == "inquiry"]
        questions = [question for segment in segments for question in _questions(segment)]
        known = await self._known(mentions_of(state))
        asked = AdviseInput(self.parts.user, analysis["language"], questions, known)
        answered = await self.parts.models.run(ADVISE, asked)
        return _kept(answered, questions, {each.product.id for each in known})

    async def _known(self, mentions: Sequence[Mapping[str, Any]]) -> list[CatalogueEntry]:
        """The products that the mail means or may mean, each once."""
        certain: dict[str, bool] = {}
        for each in mentions:
            sure = each["status"] == "resolved"
            for candidate in each["candidates"][: 1 if sure else None]:
                product_id = candidate["product_id"]
                certain[product_id] = certain.get(product_id, False) or sure
        products = await self.parts.catalogue_index.catalogue.of_ids(certain)
        return [CatalogueEntry(p, self.parts.currency, certain[key]) for key, p in products.items()]


def _questions(segment: Mapping[str, Any]) -> list[str]:
    """Each sentence that asks, by itself; the main one when none has a question mark."""
    said = [segment["main_sentence"], *segment["related_sentences"]]
    return list(dict.fromkeys(each for each in said if "?" in each)) or said[:1]


def _wanted(mentions: Sequence[Mapping[str, Any]]) -> list[Wanted]:
    """The demand on the stock: certain products in certain numbers, of order segments only, each once."""
    wanted: dict[str, Wanted] = {}
    for each in mentions:
        if each["segment_type"] != "order" or each["status"] != "resolved" or each["unclear_quantity"]:
            continue
        product_id = each["candidates"][0]["product_id"]
        before = wanted.get(product_id)
        quantity = each["quantity"] + (before.quantity if before else 0)
        wanted[product_id] = Wanted(
            product_id, quantity, each["everything"] or bool(before and before.everything)
        )
    return list(wanted.values())


def _kept(answered: InquiryAnswers, questions: Sequence[str], known: set[str]) -> dict[str, Any]:
    """Only answers that rest on products of the catalogue; every question is answered, open, or both."""
    answers, left = [], list(questions)
    for number, answer in enumerate(answered.answers):
        ids = [product_id for product_id in answer.product_ids if product_id in known]
        question = (
            answer.question if answer.question in left else _same(answer.question, left, number, questions)
        )
        if ids and question:
            answers.append({"question": question, "answer": answer.answer, "product_ids": ids})
            if answer.is_whole:
                left.remove(question)
    return {"answers": answers, "unanswered": left}


def _same(text: str, left: Sequence[str], number: int, questions: Sequence[str]) -> str:
    """The question that a model has told in slightly other words: the one that holds it, or the one in its place."""
    plain = " ".join(text.lower().split())
    for question in left:
        if plain and (plain in (whole := " ".join(question.lower().split())) or whole in plain):
            return question
    in_place = questions[number] if number < len(questions) else ""
    return in_place if in_place in left else ""


def order_json(order_id: str, order: Order, *, held: bool) -> dict[str, Any]:
    """The order for the state; money as text."""
    return {
        "order_id": order_id,
        "status": order.status,
        "lines": [_line_json(line) for line in order.lines],
        "total": str(order.total),
        "held": held,
    }


def _line_json(line: OrderLine) -> dict[str, Any]:
    return {
        name: str(value) if isinstance(value, Decimal) else list(value) if isinstance(value, tuple) else value
        for name, value in asdict(line).items()
    }
