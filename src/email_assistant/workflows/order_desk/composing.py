"""compose_response: one reply to everything the mail orders and asks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from langgraph.runtime import Runtime

from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.reply_state import step
from email_assistant.language.text import language_of
from email_assistant.mail.message import Conversation
from email_assistant.models.runner import OFFLINE_NOTE
from email_assistant.workflows.order_desk.calls import COMPOSE, Composed, ComposeInput
from email_assistant.workflows.order_desk.dependencies import OrderDependencies, attempt
from email_assistant.workflows.order_desk.offline.letter import Doubt, Letter, write
from email_assistant.workflows.order_desk.records.tables import OrderRecord
from email_assistant.workflows.order_desk.shop.order import Order
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.state import COMPOSER, OrderWork, mentions_of

MAX_FACTS = 100
TRIES = 2
"""How often a model may write when it leaves something out."""


@dataclass(frozen=True)
class ComposingNodes:
    """The last node before the review."""

    parts: OrderDependencies
    asks: bool = True
    """Whether a person is asked about the reply."""

    async def compose_response(self, state: OrderWork, runtime: Runtime[None]) -> dict[str, Any]:
        """Write the reply; when no model can, the rule does, and the card says so."""
        conversation = conversation_of(state.get("email_input"))
        products, records = await self.parts.orders.database.in_one_read(lambda: self._on_record(state))
        letter = await self._letter(state, conversation, products, [r.order for r in records if r.order])
        (preferences,) = await self.parts.profiles.recent(("response_preferences",), runtime.store)
        feedback = tuple(state.get("feedback") or ())
        previous = state.get("draft_response", "") if feedback else ""
        asked = ComposeInput(conversation, self.parts.user, letter, preferences.content, previous, feedback)
        composed, errors = await attempt(COMPOSER, lambda: self._composed(asked))
        body = composed.body if composed else write(letter)
        checked = await self.parts.checker.check(
            body, letter, products.values(), conversation, "\n".join(feedback)
        )
        offline = self.parts.models.note("strong") or ("" if composed else OFFLINE_NOTE)
        missing = list(left_out(checked.text, letter))
        goes_on = self.asks and state.get("answerable", True)
        return {
            "draft_response": checked.text,
            "final_response": "" if goes_on else checked.text,
            "outcome": "" if goes_on else "composed",
            "composer": {
                "language": letter.language,
                "tone": composed.tone if composed else "plain",
                "body": checked.text,
                "gaps": [gap.quoted for gap in checked.gaps],
                "missing": missing,
                "untold": [record.order_id for record in records if record.order is None],
            },
            "facts": [f"{fact.quoted} ({fact.source})" for fact in checked.facts if fact.source][:MAX_FACTS],
            "offline": offline,
            "ignored_words": list(feedback) if offline else [],
            "errors": errors,
            "performed": [],
            **step(
                _with_agents(state), "compose_response", f"{len(checked.gaps)} gaps, {len(missing)} left out"
            ),
        }

    async def _composed(self, asked: ComposeInput) -> Composed:
        answer = await self.parts.models.run(COMPOSE, asked)
        for _ in range(TRIES - 1):
            missing = tuple(left_out(answer.body, asked.letter))
            if not missing or self.parts.models.is_offline("strong"):
                break
            answer = await self.parts.models.run(
                COMPOSE, replace(asked, previous=answer.body, missing=missing)
            )
        return answer

    async def _letter(
        self,
        state: OrderWork,
        conversation: Conversation,
        products: Mapping[str, Product],
        orders: Sequence[Order],
    ) -> Letter:
        analysis = state.get("classifier") or {}
        advised: Mapping[str, Any] = state.get("advisor") or {}
        current, mentions = conversation.current, mentions_of(state)
        return Letter(
            language=analysis.get("language") or language_of(f"{current.subject}\n{current.text}") or "en",
            customer_name=analysis.get("customer_name") or current.sender.name,
            shop_name=self.parts.user.address.name,
            currency=self.parts.currency,
            orders=tuple(orders),
            products=products,
            lowered=tuple(
                (_words(m), m["quantity"]) for m in mentions if m["is_range"] and m["segment_type"] == "order"
            ),
            answers=tuple((each["question"], each["answer"]) for each in advised.get("answers", [])),
            unanswered=tuple(advised.get("unanswered", [])),
            how_many=tuple(_how_many(mentions, products)),
            doubts=tuple(_doubts(mentions, products)),
            failed=bool({k: v for k, v in (state.get("errors") or {}).items() if k != COMPOSER}),
        )

    async def _on_record(self, state: OrderWork) -> tuple[Mapping[str, Product], list[OrderRecord]]:
        return await self.parts.catalogue_index.catalogue.of_ids(_named_products(state)), await self._open(
            state
        )

    async def _open(self, state: OrderWork) -> list[OrderRecord]:
        """The earlier ones of the conversation that nobody has decided on, and this mail's."""
        latest = (state.get("fulfiller") or {}).get("order_id", "")
        ids = [each for each in state.get("open_orders") or [] if each != latest]
        records = [await self.parts.orders.get(each) for each in (*ids, latest) if each]
        return [record for record in records if record]


def after_compose(state: OrderWork) -> Literal["review", "__end__"]:
    """Without the writer's address there is nobody to send a reply to."""
    return "__end__" if state.get("outcome") else "review"


def left_out(body: str, letter: Letter) -> Iterator[str]:
    """What the reply has to say and does not: each line by its product id, each total."""
    said = body.lower()
    for order in letter.orders:
        for line in order.lines:
            if line.product_id.lower() not in said:
                yield f"what becomes of {line.product_id} {line.product_name}"
        if any(line.fulfilled for line in order.lines) and not _says(said, order, letter.currency):
            yield f"the total of {order.total} {letter.currency}"


def _says(said: str, order: Order, currency: str) -> bool:
    """Whether the total stands there, with a comma or a point, thousands marked off or not."""
    plain = said.replace("\u202f", "").replace("\u00a0", "").replace("'", "")
    exact, grouped = f"{order.total:.2f}", f"{order.total:,.2f}"
    forms = {
        exact,
        exact.replace(".", ","),
        grouped,
        grouped.translate(str.maketrans(",.", ".,")),
        grouped.replace(",", " "),
    }
    if order.total == order.total.to_integral_value():
        forms.add(str(int(order.total)))
    return any(form in plain or form in said for form in forms)


def _how_many(
    mentions: Sequence[Mapping[str, Any]], products: Mapping[str, Product]
) -> Iterator[tuple[str, Product]]:
    for each in mentions:
        unclear = (
            each["segment_type"] == "order" and each["status"] == "resolved" and each["unclear_quantity"]
        )
        product = products.get(each["candidates"][0]["product_id"]) if unclear else None
        if product:
            yield each["unclear_quantity"], product


def _doubts(mentions: Sequence[Mapping[str, Any]], products: Mapping[str, Product]) -> Iterator[Doubt]:
    seen = set()
    for each in mentions:
        words = _words(each)
        if each["status"] == "resolved" or words in seen:
            continue
        seen.add(words)
        candidates = (products.get(candidate["product_id"]) for candidate in each["candidates"])
        yield Doubt(words, tuple(product for product in candidates if product))


def _named_products(state: OrderWork) -> list[str]:
    """Ids of everything that the reply may speak of."""
    mentions = mentions_of(state)
    ids = [candidate["product_id"] for each in mentions for candidate in each["candidates"]]
    lines = (state.get("fulfiller") or {}).get("lines", [])
    return [
        *ids,
        *(line["product_id"] for line in lines),
        *(i for line in lines for i in line["alternatives"]),
    ]


def _words(mention: Mapping[str, Any]) -> str:
    said = mention["mention"]
    return " ".join((said["mention_text"] or said["product_name"] or said["product_id"]).split())[:200]


def _with_agents(state: OrderWork) -> dict[str, Any]:
    """The steps with those of the two agents, which work side by side and so cannot write them."""
    errors = state.get("errors") or {}
    steps: dict[str, Any] = {"steps": list(state.get("steps") or [])}
    order, advice = state.get("fulfiller"), state.get("advisor")
    if state.get("feedback"):
        return steps
    if order or "fulfiller" in errors:
        text = f"{order['status']}, total {order['total']}" if order else ""
        steps |= step(steps, "process_order", errors.get("fulfiller") or text)
    if advice or "advisor" in errors:
        text = f"{len(advice['answers'])} answered, {len(advice['unanswered'])} open" if advice else ""
        steps |= step(steps, "respond_to_inquiry", errors.get("advisor") or text)
    return steps
