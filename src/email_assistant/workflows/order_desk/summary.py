"""The desk's work summed up: JSON for the state, lines for the card."""

from collections.abc import Iterator, Mapping
from typing import Any

from email_assistant.workflows.order_desk.shop.order import Order, OrderLine
from email_assistant.workflows.order_desk.state import OrderWork


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
        "product_id": line.product_id,
        "product_name": line.product_name,
        "quantity": line.quantity,
        "fulfilled": line.fulfilled,
        "unit_price": str(line.unit_price),
        "discount": str(line.discount),
        "total": str(line.total),
        "status": line.status,
        "promotion": line.promotion,
        "gifts": list(line.gifts),
        "alternatives": list(line.alternatives),
    }


def card_lines(state: OrderWork, currency: str) -> Iterator[str]:
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
        yield "The stock is held until you decide: sending the reply sells it, ignoring gives it back."
    if len(state.get("open_orders") or []) > 1:
        yield "An earlier order of this conversation is still held, and decided with this one."
    for each in (state.get("stockkeeper") or {}).get("mentions", []):
        if each["status"] != "resolved":
            words = " ".join((each["mention"]["mention_text"] or each["mention"]["product_name"]).split())[
                :120
            ]
            perhaps = ", ".join(candidate["product_id"] for candidate in each["candidates"])
            yield f"Not certain: “{words}”" + (f", perhaps {perhaps}" if perhaps else "")
    for question in (state.get("advisor") or {}).get("unanswered", []):
        yield f"The catalogue does not answer: “{' '.join(question.split())[:160]}”"
