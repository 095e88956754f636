"""Cards as the server holds them, for the commands that show or answer them."""

from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient

PAGE = 100


@dataclass(frozen=True)
class WaitingCard:
    """A card that waits for an answer, and the thread it waits on."""

    thread_id: str
    title: str
    args: dict[str, str]
    config: dict[str, bool]
    description: str

    @property
    def summary(self) -> str:
        """The first line of the description."""
        return next((line for line in self.description.splitlines() if line.strip()), "")


async def waiting_cards(client: LangGraphClient, graph: str = "email_assistant") -> list[WaitingCard]:
    """Every card of the graph that waits, oldest first."""
    cards: list[WaitingCard] = []
    offset = 0
    while True:
        threads: Any = await client.threads.search(
            metadata={"graph_id": graph}, status="interrupted", limit=PAGE, offset=offset,
            sort_by="created_at", sort_order="asc",
        )  # fmt: skip
        cards += [card for thread in threads if (card := _card(thread))]
        if len(threads) < PAGE:
            return cards
        offset += PAGE


def _card(thread: Any) -> WaitingCard | None:
    for interrupts in (thread.get("interrupts") or {}).values():
        for interrupt in interrupts:
            value = interrupt.get("value")
            if isinstance(value, list) and value and isinstance(value[0], dict):
                request = value[0]["action_request"]
                return WaitingCard(
                    thread["thread_id"],
                    request["action"],
                    request["args"],
                    value[0]["config"],
                    value[0]["description"],
                )
    return None
