"""Catalogue, orders and models of the order desk's nodes, and its side of the common reply."""

import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import structlog
from langgraph.store.base import BaseStore

from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.kit.reply_workflow import ReplyWorkflow
from email_assistant.workflows.order_desk.catalogue_index import CatalogueIndex
from email_assistant.workflows.order_desk.grounding import OrderFactCheck
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.records.tables import OrderState
from email_assistant.workflows.order_desk.state import OrderWork, mentions_of

T = TypeVar("T")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class OrderDependencies(ReplyWorkflow):
    """Catalogue and orders of the nodes, and the desk's side of the common reply."""

    catalogue_index: CatalogueIndex
    orders: Orders
    checker: OrderFactCheck
    currency: str
    """ISO 4217."""
    hold: bool
    """Stock waits for the approval of the reply."""
    learns: ClassVar[bool] = True
    checks_facts: ClassVar[bool] = True

    def review_reasons(self, state: OrderWork) -> list[str]:
        """Always: the reply says what is sold and for how much."""
        return ["A person approves what the order desk writes.", *_doubts(state)]

    def card_lines(self, state: OrderWork) -> Sequence[str]:
        """The orders and what is not certain."""
        return tuple(_card_lines(state, self.currency))

    def headline(self, state: OrderWork) -> str:
        """Whose mail it is, and what it wants."""
        intent = (state.get("classifier") or {}).get("primary_intent", "mail")
        return f"{{who}} {{wants}} ({intent})"

    async def blocking_reason(self, state: OrderWork) -> str:
        """An order that a person has given back by hand, which must not be told as sold."""
        for order_id in state.get("open_orders") or []:
            record = await self.orders.get(order_id)
            if record is None or record.state is OrderState.released:
                return f"Order {order_id} was given back meanwhile, so this reply is not wanted: say so, and take the mail up again."
        return ""

    async def sent(self, state: OrderWork, store: BaseStore | None) -> dict[str, Any]:
        """Sell the stock that was held."""
        errors = []
        for order_id in state.get("open_orders") or []:
            try:
                await self.orders.confirm(order_id)
            except InputError as error:  # given back in this very moment; the reply is out
                errors.append(str(error))
        return {"open_orders": [], **({"error": "; ".join(errors)} if errors else {})}

    async def rejected(self, state: OrderWork) -> dict[str, Any]:
        """Put the stock that was held up for sale again; what a person has sold by hand stays sold."""
        await self.orders.release_held(state.get("open_orders") or [])
        return {"open_orders": []}


async def attempt(agent: str, work: Callable[[], Awaitable[T]]) -> tuple[T | None, dict[str, str | None]]:
    """The result of the agent's work, and the update of `errors`: one that fails stops no other."""
    try:
        return await work(), {agent: None}
    except EmailAssistantError as error:
        problem = " ".join(str(error).split())[:500] or type(error).__name__
    except Exception as error:  # noqa: BLE001 - a bug of one agent must not keep the customer from a reply
        # The place, and not the text: a validation error quotes the mail.
        problem = f"it failed unexpectedly ({type(error).__name__} at {_place(error)})"
    log.warning("agent_failed", agent=agent, detail=problem[:200])
    return None, {agent: problem}


def _place(error: Exception) -> str:
    """File and line where it was raised, of ours where there is one."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "email_assistant" in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "an unknown place"


def _doubts(state: OrderWork) -> Iterator[str]:
    for agent, problem in (state.get("errors") or {}).items():
        yield f"The {agent} failed: {problem}"
    if state.get("sender_warnings"):
        yield "The sender is in doubt."
    composed = state.get("composer") or {}
    if gaps := composed.get("gaps"):
        yield f"Nothing supports what stands in {len(gaps)} place{'' if len(gaps) == 1 else 's'} of the reply."
    for left_out in composed.get("missing") or []:
        yield f"The reply does not say: {left_out}"
    for order_id in composed.get("untold") or []:
        yield f"The reply does not tell order {order_id}, which was never worked out; sending it sells that, too."


def _card_lines(state: OrderWork, currency: str) -> Iterator[str]:
    """The order, what approving does, and what is not certain."""
    order: Mapping[str, Any] = state.get("fulfiller") or {}
    for line in order.get("lines", []):
        offer = f", {line['discount']} off ({line['promotion']})" if line["promotion"] else ""
        yield (
            f"{line['fulfilled']} of {line['quantity']} × {line['product_id']} {line['product_name']} at "
            f"{line['unit_price']} {currency}{offer}: {line['total']} {currency} ({line['status']})"
        )
    if order.get("lines"):
        yield f"Order: {order['status']}, total {order['total']} {currency}."
    if state.get("open_orders"):
        yield "The stock is held until you decide: sending the reply sells it, “Not wanted” gives it back."
    if len(state.get("open_orders") or []) > 1:
        yield "An earlier order of this conversation is still held, and decided with this one."
    for each in mentions_of(state):
        if each["status"] != "resolved":
            words = " ".join((each["mention"]["mention_text"] or each["mention"]["product_name"]).split())[
                :120
            ]
            perhaps = ", ".join(candidate["product_id"] for candidate in each["candidates"])
            yield f"Not certain: “{words}”" + (f", perhaps {perhaps}" if perhaps else "")
    for question in (state.get("advisor") or {}).get("unanswered", []):
        yield f"The catalogue does not answer: “{' '.join(question.split())[:160]}”"
