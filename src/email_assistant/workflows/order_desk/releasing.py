"""Giving back what a reply that nobody wants has held."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from email_assistant.errors import InputError, NotFoundError
from email_assistant.workflows.order_desk.records.orders import Orders


@dataclass(frozen=True)
class Releasing:
    """For cards that are settled outside the graph."""

    orders: Orders

    async def __call__(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Release the orders of the thread that are held; what a person has settled by hand stays as it is."""
        for order_id in values.get("open_orders") or []:
            try:
                await self.orders.release(order_id)
            except (InputError, NotFoundError):
                continue
        return {"open_orders": []}
