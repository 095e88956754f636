"""Mailings that nobody reads: counted, and when there are enough of them a card proposes to leave."""

from dataclasses import dataclass
from typing import Any

from langgraph.config import get_config

from email_assistant.errors import InputError
from email_assistant.mail.unsubscribe import unsubscribe_of
from email_assistant.review.risk import Sender
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.state import WorkState
from email_assistant.workflows.kit.conversations import conversation_of, run_thread_id
from email_assistant.workflows.kit.senders import sender


@dataclass(frozen=True)
class LeavingNodes:
    """The node that proposes to unsubscribe."""

    parts: OrganizerDependencies

    async def plan_unsubscribe(self, state: WorkState) -> dict[str, Any]:
        """Count the message for its list; when lists are due, propose to leave them, all on one card.

        Not for a sender in doubt: who forges mail learns from an answer that the address lives.
        """
        conversation, parts = conversation_of(state["email_input"]), self.parts
        message, leaving = conversation.current, parts.unsubscribing
        if not message.id or sender(state.get("sender_warnings")) is Sender.IN_DOUBT:
            return {}
        answered = any(earlier.sender.key in parts.user.own for earlier in conversation.earlier)
        offer = unsubscribe_of(message, host=leaving.host, allow=leaving.allow)
        try:
            found = await leaving.subscriptions.note(parts.mailbox.name, message, offer, answered=answered)
        except InputError:
            return {}  # A list whose name is too long to be kept.
        if found is None:
            return {}
        action = await leaving.propose(parts.turn(state, run_thread_id(get_config()), "unsubscribe"))
        return {"planned_unsubscribe": action.as_json()} if action else {}
