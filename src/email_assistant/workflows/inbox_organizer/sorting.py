"""Categorizing one mail, by a hint, by headers or by a model; its importance; its labels."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from langgraph.config import get_config

from email_assistant.kit.conversations import aconversation_of, conversation_of, run_thread_id
from email_assistant.kit.senders import sender
from email_assistant.mail.message import Conversation
from email_assistant.review.action import Action
from email_assistant.review.pending import new_round
from email_assistant.review.risk import Policy, Sender, policy_for
from email_assistant.tools.mail_tools import SendEmail
from email_assistant.workflows.inbox_organizer.categorize_call import (
    ASK_BELOW,
    ESCALATE_BELOW,
    CategorizeInput,
)
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import Relation, importance_of, is_colleague, is_vip
from email_assistant.workflows.inbox_organizer.labels import give_labels, give_priority
from email_assistant.workflows.inbox_organizer.offline.categories import by_headers
from email_assistant.workflows.inbox_organizer.offline.category import named_in
from email_assistant.workflows.inbox_organizer.reasons import category_told
from email_assistant.workflows.inbox_organizer.records.hints import hint_keys
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

FRESH: dict[str, Any] = {
    "proposals": [],
    "feedback": "",
    "correction": "",
    "planned_unsubscribe": None,
    "planned_event": None,
    "planned_reply": None,
    "said": {},
    "performed": [],
    "labels": [],
    "note": "",
    "outcome": "",
    "settled": False,
}
MAX_PHRASES = 5


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
            found = {"category": hint.category, "confidence": 1.0, "reasoning": reason, "key_phrases": []}
            return found | {"decided_by": "hint", "offline": False}
        ruled = await asyncio.to_thread(by_headers, conversation.current, categories=self.parts.categories)
        if ruled:
            return {
                "category": ruled.category,
                "confidence": ruled.confidence,
                "reasoning": ruled.reasoning,
                "key_phrases": _quoted(ruled.key_phrases, conversation),
                "decided_by": "headers",
                "offline": False,
            }
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
        )
        found = await asyncio.to_thread(
            importance_of,
            conversation,
            own=parts.user.own,
            relation=relation,
            now=parts.clock.now(),
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
            category_told(state),
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
        turn = replace(turn, unheeded=() if followed else (said,))
        again = self.parts.labelling.propose(
            turn, found["category"], found["confidence"], category_told({**state, **found})
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
        return {
            "category": answer.category,
            "confidence": answer.confidence,
            "reasoning": answer.reasoning,
            "key_phrases": _quoted(answer.key_phrases, conversation),
            "decided_by": "model",
            "offline": parts.models.is_offline("fast"),
            "performed": [],
        }


def _quoted(phrases: Sequence[str], conversation: Conversation) -> list[str]:
    """Those of the phrases that do stand in the message: a model may make some up."""
    current = conversation.current
    text = " ".join(f"{current.subject} {current.text}".split()).casefold()
    tidy = [" ".join(phrase.split())[:80] for phrase in phrases]
    return [phrase for phrase in tidy if phrase and phrase.casefold() in text][:MAX_PHRASES]
