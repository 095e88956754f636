"""Mailings that come in again and again, and an organizer that may leave them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from pytest_httpserver import HTTPServer

from email_assistant.app.graphs import graph_of
from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.records.subscriptions import Subscription, SubscriptionState
from email_assistant.workflows.inbox_organizer.unsubscribing.one_click import OneClick
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing
from tests.support.desk import Desk, desk, mail

ACCEPT = [{"type": "accept", "args": None}]
IGNORE = [{"type": "ignore", "args": None}]


def leaving_desk(folder: Path, server: HTTPServer | None = None, **settings: str) -> Desk:
    """An organizer with the offline rules, which may speak to the list's server."""
    made, own = desk(folder, **settings), {}
    if server:
        allow = frozenset({f"{server.host}:{server.port}"})
        leaving = Unsubscribing.of(made.house)
        own["unsubscribing"] = replace(leaving, unsubscriber=OneClick(allow=allow), allow=allow)
    made.graph = graph_of(
        made.house, "inbox_organizer", checkpointer=InMemorySaver(), store=made.store, **own
    )
    return made


async def mailings(
    assistant: Desk, name: str = "news", *, way: str, numbers: range = range(3), **more: str
) -> tuple[Message, dict[str, Any] | None]:
    """Mails of a list with these numbers, three else; the last one and the card it led to. `way` is its List-Unsubscribe."""
    card = None
    for number in numbers:
        fields = {
            "List_Id": f"Weekly {name} <{name}.shop.example>",
            "List_Unsubscribe": way,
            "List_Unsubscribe_Post": "List-Unsubscribe=One-Click",
        }
        raw = mail(
            "Our weekly newsletter: read online.",
            **{
                "sender": f"Weekly {name} <{name}@shop.example>",
                "message_id": f"<{name}-{number}@shop.example>",
                "subject": f"Newsletter no. {number}",
            }
            | fields
            | more,
            minutes=number,
        )
        message = await assistant.receive(raw)
        card = await assistant.start(message)
    return message, card


def is_leaving(card: dict[str, Any] | None) -> bool:
    """Whether the card asks to leave lists."""
    return card is not None and card["action_request"]["action"].startswith("Unsubscribe")


async def subscription(assistant: Desk, name: str = "news") -> Subscription:
    """What is on record of the list."""
    subscriptions = Unsubscribing.of(assistant.house).subscriptions
    (found,) = [s for s in await subscriptions.all(assistant.house.mailbox.name) if name in s.list_key]
    return found


async def state_of(assistant: Desk, name: str = "news") -> SubscriptionState:
    """What became of the list."""
    return (await subscription(assistant, name)).state
