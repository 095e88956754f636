"""The declaration of `order_desk`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from email_assistant.workflow_registry import CommandEntry, Undo, Workflow

if TYPE_CHECKING:  # What commands need not import.
    from email_assistant.app.assistant import AppDeps
    from email_assistant.app.journal import JournalDeps

COMMANDS = "email_assistant.workflows.order_desk.commands"


def build(deps: "AppDeps", **compile_options: Any) -> Any:
    """The compiled graph, observed by the journal."""
    from email_assistant.workflows.order_desk import graph

    return graph.build(deps, **compile_options)


def email_input(inputs: Mapping[str, Any], user: Any) -> Any:
    """The mail of an input, given as `email` or as `email_input`."""
    from email_assistant.workflows.order_desk.state import email_input_of

    return email_input_of(inputs.get("email"), inputs.get("email_input"), user)


def undo(deps: "JournalDeps") -> Undo:
    """Gives back what a reply that nobody wants has held."""
    from email_assistant.workflows.order_desk.records.orders import Orders

    orders = Orders(deps.database, deps.clock)

    async def release(values: Mapping[str, Any]) -> dict[str, Any]:
        await orders.release_held(values.get("open_orders") or [])
        return {"open_orders": []}

    return release


class Held:
    """The orders whose stock nobody has decided on."""

    async def facts(self, deps: "JournalDeps") -> dict[str, Any]:
        """How many, and since when."""
        from email_assistant.workflows.order_desk.records.orders import Orders

        number, since = await Orders(deps.database, deps.clock).held_since()
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
    status=Held,
    heading="Shop",
    commands=(
        CommandEntry("catalog", f"{COMMANDS}:catalog", "What the shop sells: import, show.", is_group=True),
        CommandEntry("orders", f"{COMMANDS}:orders", "What was taken for orders: list, show.", is_group=True),
    ),
)
