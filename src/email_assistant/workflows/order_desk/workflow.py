"""The declaration of `order_desk`."""

from collections.abc import Mapping, Sequence
from typing import Any

from email_assistant.workflow_registry import CommandEntry, Undo, Workflow

COMMANDS = "email_assistant.workflows.order_desk.commands"


def build(built: Any, **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.order_desk.services import OrderDeskServices

    return OrderDeskServices.of(built).graph(**compile_options)


def email_input(inputs: Mapping[str, Any], user: Any) -> Any:
    """The mail of an input, given as `email` or as `email_input`."""
    from email_assistant.workflows.order_desk.email import email_input_of

    return email_input_of(inputs.get("email"), inputs.get("email_input"), user)


def undo(built: Any) -> Undo:
    """Gives back what a reply that nobody wants has held."""
    from email_assistant.workflows.order_desk.releasing import Releasing
    from email_assistant.workflows.order_desk.services import OrderDeskServices

    return Releasing(OrderDeskServices.of(built).orders)


class Held:
    """The orders whose stock nobody has decided on."""

    async def facts(self, built: Any) -> dict[str, Any]:
        """How many, and since when."""
        from email_assistant.workflows.order_desk.services import OrderDeskServices

        number, since = await OrderDeskServices.of(built).orders.held_since()
        return {"orders_held": {"number": number, "since": since}}

    def rows(self, facts: Mapping[str, Any]) -> dict[str, str]:
        """A line when there are any."""
        held = facts["orders_held"]
        if not held["number"]:
            return {}
        how = "a card decides each, or `email-assistant orders confirm ID` (sold) or `orders release ID` (given back)"
        return {"orders held": f"{held['number']}, since {held['since']:%Y-%m-%d %H:%M} UTC: {how}"}

    def failures(self, facts: Mapping[str, Any]) -> Sequence[str]:
        """Nothing fails here."""
        return ()


WORKFLOW = Workflow(
    "order_desk",
    build,
    last_node="rejected",
    email_input=email_input,
    undo=undo,
    status=Held(),
    commands=(
        CommandEntry(
            "catalog", f"{COMMANDS}.catalog:app", "What the shop sells: import, show.", is_group=True
        ),
        CommandEntry(
            "orders", f"{COMMANDS}.orders:app", "What was taken for orders: list, show.", is_group=True
        ),
    ),
)
