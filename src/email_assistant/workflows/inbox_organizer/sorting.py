"""Categorizing one mail, by a hint, by headers or by a model; its importance, its labels, and the lines of cards that say why."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from langgraph.config import get_config

from email_assistant.kit.conversations import aconversation_of, conversation_of, run_thread_id
from email_assistant.kit.senders import sender
from email_assistant.mail.message import Conversation
from email_assistant.models.offline.triage import asks_by_name
from email_assistant.review.action import Action
from email_assistant.review.pending import new_round
from email_assistant.review.risk import Policy, Sender, policy_for
from email_assistant.tools.mail_tools import SendEmail
from email_assistant.workflows.inbox_organizer.categorize_call import (
    ASK_BELOW,
    ESCALATE_BELOW,
    CategorizeInput,
    CategoryAnswer,
)
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import importance_of, is_colleague, is_vip
from email_assistant.workflows.inbox_organizer.importance_case import Relation
from email_assistant.workflows.inbox_organizer.offline.categories import by_headers
from email_assistant.workflows.inbox_organizer.offline.category import Ruled, named_in
from email_assistant.workflows.inbox_organizer.records.hints import hint_keys
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

FRESH: dict[str, Any] = {
    "proposals": [],
    "feedback": "",
    "correction": "",
    "planned_unsubscribe": None,
    "planned_event": None,
    "planned_reply": None,
    "reply_waits": False,
    "is_met": False,
    "said": {},
    "performed": [],
    "labels": [],
    "note": "",
    "outcome": "",
    "settled": False,
}
MAX_PHRASES = 5
TELLING = 0.08
"""A factor that adds so much to the score of importance is told."""


@dataclass(frozen=True)
class SortingNodes:
    """The nodes that decide where a message belongs."""

    parts: OrganizerDependencies

    async def take_up(self, state: OrganizerWork) -> dict[str, Any]:
        """Read the message and start clean; raises `InputError` for a wrong input."""
        conversation = await aconversation_of(state.get("email_input"))
        doubts = await self.parts.senders.doubts_after_sweep(
            conversation.current, self.parts.drafts, run_thread_id(get_config())
        )
        wanted = state.get("wanted")
        said = {SendEmail.name: [wanted]} if wanted else {}
        return FRESH | new_round(state) | {"said": said, "wanted": "", "sender_warnings": doubts}

    async def categorize(self, state: OrganizerWork) -> dict[str, Any]:
        """Find the category: what people have taught decides first, then the model, the strong one when unsure."""
        conversation = conversation_of(state["email_input"])
        known = await self.parts.senders.known(conversation.current)
        keys = hint_keys(conversation.current, is_correspondent=known.sender is not None)
        hint = await self.parts.hints.find(self.parts.mailbox.name, keys)
        if hint and self.parts.labelling.known(hint.category):
            reason = "You have sorted the mail of this sender there yourself, three times in a row."
            return _found(Ruled(hint.category, 1.0, reason), conversation, "hint")
        ruled = await asyncio.to_thread(by_headers, conversation.current, categories=self.parts.categories)
        if ruled:
            return _found(ruled, conversation, "headers")
        return await self._asked(conversation, state, is_correspondent=known.sender is not None)

    async def weigh(self, state: OrganizerWork) -> dict[str, Any]:
        """Score how important the message is."""
        conversation, parts = conversation_of(state["email_input"]), self.parts
        writer = conversation.current.sender
        relation = Relation(
            is_vip=is_vip(writer, parts.vips),
            is_correspondent=(await parts.senders.known(conversation.current)).sender is not None,
            is_colleague=is_colleague(writer, parts.user.own),
            in_doubt=sender(state.get("sender_warnings")) is Sender.IN_DOUBT,
            is_asked=await asyncio.to_thread(asks_by_name, conversation.current, parts.user.called),
        )
        found = await asyncio.to_thread(
            importance_of,
            conversation,
            own=parts.user.own,
            relation=relation,
            now=parts.now(state),
            timezone=parts.user.timezone,
        )
        factors = [asdict(factor) for factor in found.factors]
        return {"importance": {"score": found.score, "level": found.level.value, "factors": factors}}

    async def label(self, state: OrganizerWork) -> dict[str, Any]:
        """Give the labels when they are certain and policy lets it happen by itself; else propose them."""
        doubted = sender(state.get("sender_warnings"))
        automatic = policy_for(self.parts.labelling.risk, doubted) is Policy.AUTO
        if automatic and state["confidence"] >= ASK_BELOW:
            return await give_labels(self.parts, state, state["category"])
        if automatic:
            await give_priority(self.parts, state)
        action = self.parts.labelling.propose(
            self.parts.turn(state, run_thread_id(get_config()), "label"),
            state["category"],
            state["confidence"],
            category_reasons(state),
        )
        return {"proposals": [action.as_json()], "performed": []}

    async def categorize_again(self, state: OrganizerWork) -> dict[str, Any]:
        """Find the category anew with what the human said, and propose it again: words are not an approval."""
        conversation = conversation_of(state["email_input"])
        known = await self.parts.senders.known(conversation.current)
        found = await self._asked(conversation, state, is_correspondent=known.sender is not None)
        before = Action.from_json(state["pending"] or {})
        turn = self.parts.turn(state, run_thread_id(get_config()), "label", before.revision + 1)
        said = state.get("feedback") or ""
        followed = not found["offline"] or named_in(said, self.parts.categories)
        turn = replace(turn, ignored_words=() if followed else (said,))
        again = self.parts.labelling.propose(
            turn, found["category"], found["confidence"], category_reasons({**state, **found})
        )
        return found | {"pending": None, "proposals": [again.as_json(), *(state.get("proposals") or [])]}

    async def _asked(
        self, conversation: Conversation, state: OrganizerWork, *, is_correspondent: bool
    ) -> dict[str, Any]:
        parts = self.parts
        asked = CategorizeInput(
            conversation,
            parts.user,
            parts.categories,
            is_correspondent=is_correspondent,
            feedback=state.get("feedback") or "",
        )
        answer = await parts.models.run(asked.call, asked, escalate_below=ESCALATE_BELOW)
        offline = parts.models.is_offline("fast")
        return _found(answer, conversation, "model", offline=offline) | {"performed": []}


def _found(
    answer: Ruled | CategoryAnswer, conversation: Conversation, by: str, *, offline: bool = False
) -> dict[str, Any]:
    """The category, for the state."""
    return {
        "category": answer.category,
        "confidence": answer.confidence,
        "reasoning": answer.reasoning,
        "key_phrases": _quoted(answer.key_phrases, conversation),
        "decided_by": by,
        "offline": offline,
    }


def _quoted(phrases: Sequence[str], conversation: Conversation) -> list[str]:
    """Those of the phrases that do stand in the message: a model may make some up."""
    current = conversation.current
    text = " ".join(f"{current.subject} {current.text}".split()).casefold()
    tidy = [" ".join(phrase.split())[:80] for phrase in phrases]
    return [phrase for phrase in tidy if phrase and phrase.casefold() in text][:MAX_PHRASES]


async def give_labels(parts: OrganizerDependencies, state: OrganizerWork, category: str) -> dict[str, Any]:
    """Give the message the labels of its category and of its importance; what a node says of it in its update."""
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
    """Give the message the label of its importance, if that has one."""
    message_id = conversation_of(state["email_input"]).current.id
    level = str(state["importance"]["level"])
    return await parts.labelling.prioritise(message_id, level) if message_id else None


def category_reasons(state: Mapping[str, Any]) -> list[str]:
    """Reasons for the proposed category."""
    lines = [f"Category: {state['reasoning']}", importance_reason(state)]
    phrases = state.get("key_phrases") or []
    return [*lines, f"What it says: {'; '.join(phrases)}"] if phrases else lines


def importance_reason(state: Mapping[str, Any]) -> str:
    """Reasons for the importance; the card says how important it is."""
    weighed = state["importance"]
    telling = [f["reason"] for f in weighed["factors"] if f["value"] * f["weight"] >= TELLING]
    return f"Weighed at {weighed['score']:.2f}. {' '.join(telling)}".rstrip()
