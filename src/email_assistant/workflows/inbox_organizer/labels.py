"""Giving a message the labels of its category and of its importance."""

from typing import Any

from email_assistant.kit.conversations import conversation_of
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.state import OrganizerWork


async def give_labels(parts: OrganizerDependencies, state: OrganizerWork, category: str) -> dict[str, Any]:
    """Both labels; what a node says of it in its update."""
    message_id = conversation_of(state["email_input"]).current.id
    label = await parts.labelling.apply(message_id, category) if message_id else None
    priority = await give_priority(parts, state)
    done = {"id": f"label:{message_id}", "name": "label", "params": {"category": category}}
    result = label or "not in this mailbox"
    return {
        "labels": [each for each in (label, priority) if each],
        "performed": [done | {"result": result, "success": bool(label)}],
    }


async def give_priority(parts: OrganizerDependencies, state: OrganizerWork) -> str | None:
    """The label of the importance, if that has one."""
    message_id = conversation_of(state["email_input"]).current.id
    level = str(state["importance"]["level"])
    return await parts.labelling.prioritise(message_id, level) if message_id else None
