"""Cards as the server holds them, for the commands that show or answer them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from email_assistant.review.card_view import CardView
from email_assistant.workflows.registry import NAMES

if TYPE_CHECKING:  # Slow to import; each is imported where it is built.
    from langgraph_sdk.client import LangGraphClient

PAGE = 100


@dataclass(frozen=True)
class WaitingCard:
    """A card that waits for an answer, and the thread it waits on."""

    thread_id: str
    graph: str
    title: str
    args: dict[str, str]
    config: dict[str, bool]
    description: str
    view: dict[str, Any] = field(default_factory=dict)
    """The facts that the description was drawn from; {} of a card that waits since before they were kept."""

    @property
    def facts(self) -> CardView | None:
        """The facts, if this version can read them."""
        try:
            return CardView.from_json(self.view)
        except TypeError:
            return None

    @property
    def summary(self) -> str:
        """The problem with the last answer, if any, else what is asked."""
        if facts := self.facts:
            return facts.problem or facts.ask
        return next((line for line in self.description.splitlines() if line.strip()), "")


async def waiting_cards(client: LangGraphClient) -> list[WaitingCard]:
    """Every card of our graphs that waits, oldest first."""
    cards: dict[str, WaitingCard] = {}
    offset = 0
    while True:
        threads: Any = await client.threads.search(
            status="interrupted", limit=PAGE, offset=offset, sort_by="created_at", sort_order="asc"
        )  # fmt: skip
        cards |= {card.thread_id: card for thread in threads if (card := _card(thread))}
        if len(threads) < PAGE:
            return list(cards.values())
        offset += PAGE


async def waiting_card(client: LangGraphClient, thread_id: str) -> WaitingCard | None:
    """The card that waits on the thread now, or None."""
    from langgraph_sdk.errors import NotFoundError

    try:
        thread: Any = await client.threads.get(thread_id)
    except NotFoundError:
        return None
    return _card(thread) if thread.get("status") == "interrupted" else None


def _card(thread: Any) -> WaitingCard | None:
    graph = str((thread.get("metadata") or {}).get("graph_id"))
    if graph not in NAMES:
        return None
    for interrupts in (thread.get("interrupts") or {}).values():
        for interrupt in interrupts:
            value = interrupt.get("value")
            if isinstance(value, list) and value and isinstance(value[0], dict):
                request = value[0]["action_request"]
                return WaitingCard(
                    thread["thread_id"],
                    graph,
                    request["action"],
                    request["args"],
                    value[0]["config"],
                    value[0]["description"],
                    value[0].get("view") or {},
                )
    return None
