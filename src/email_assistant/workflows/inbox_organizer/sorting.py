"""Categorizing and weighing one mail, by a hint, by headers or by a model; its labels, and the lines of cards that say why."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.config import get_config

from email_assistant.kit.conversations import aconversation_of, conversation_of, run_thread_id
from email_assistant.kit.response.done_so_far import begun
from email_assistant.kit.senders import sender
from email_assistant.mail.authenticity import written_to
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline.triage import asks_by_name, is_personal_letter
from email_assistant.review.action import Action, Policy, Sender, policy_for
from email_assistant.workflows.inbox_organizer.categorize_call import (
    ASK_BELOW,
    ESCALATE_BELOW,
    CategorizeInput,
    CategoryAnswer,
    proposes_time,
)
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import (
    Importance,
    Level,
    Relation,
    importance_by_rule,
    is_colleague,
    is_vip,
    limited,
)
from email_assistant.workflows.inbox_organizer.labelling import GUESS, LABEL
from email_assistant.workflows.inbox_organizer.offline.categories import by_headers
from email_assistant.workflows.inbox_organizer.offline.category import Ruled, named_in
from email_assistant.workflows.inbox_organizer.records.hints import hint_keys
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

FRESH: dict[str, Any] = {
    "proposals": [],
    "feedback": "",
    "correction": "",
    "planned_unsubscribe": None,
    "planned_invitation": None,
    "is_answered": False,
    "performed": [],
    "labels": [],
    "guessed": False,
    "note": "",
}
MAX_PHRASES = 5
MAX_REASON = 300


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
        return FRESH | begun(state, conversation, doubts, self.parts.user)

    async def categorize(self, state: OrganizerWork) -> dict[str, Any]:
        """Find category and importance: what people have taught decides first, then the model, the strong one when unsure."""
        conversation = conversation_of(state["email_input"])
        relation = await self._relation(state, conversation)
        keys = hint_keys(conversation.current, is_correspondent=relation.is_correspondent)
        await self._learn_moved(keys)
        hint = await self.parts.hints.find(self.parts.mailbox.name, keys)
        if hint and self.parts.labelling.known(hint.category):
            reason = "You have sorted the mail of this sender there yourself, three times in a row."
            return await self._ruled(state, Ruled(hint.category, 1.0, reason), relation, "hint")
        ruled = await asyncio.to_thread(by_headers, conversation.current, categories=self.parts.categories)
        if ruled:
            return await self._ruled(state, ruled, relation, "headers")
        return await self._asked(conversation, state, relation)

    async def _learn_moved(self, keys: Sequence[str]) -> None:
        """Whoever has given the latest mails of this list or machine another label in the mailbox, has said where they belong."""
        parts, mailbox = self.parts, self.parts.mailbox.name
        for message_id, category in await parts.hints.given(mailbox, keys) if keys else ():
            there = await parts.labelling.there(message_id)
            if there and there != category:
                await parts.hints.teach(mailbox, keys, there, message_id)

    async def _relation(self, state: OrganizerWork, conversation: Conversation) -> Relation:
        """The sender's relation to the user."""
        parts, message = self.parts, conversation.current
        own, earlier = parts.user.own, conversation.earlier
        bulk = bulk_of(message)
        takes_part = conversation.has_part_of(own)
        is_asked = bulk.to_many and await asyncio.to_thread(self._is_asked, message)
        known = (await parts.senders.known(message)).sender is not None
        return Relation(
            is_vip=is_vip(message.sender, parts.vips),
            is_correspondent=known or message.sender.key in {each.key for each in written_to(earlier, own)},
            is_colleague=is_colleague(message.sender, own),
            in_doubt=sender(state.get("sender_warnings")) is Sender.IN_DOUBT,
            to_many=bulk.to_many and not takes_part and not is_asked,
        )

    def _is_asked(self, message: Message) -> bool:
        """Whether a mail with a list's marks asks something of the user by name."""
        called = self.parts.user.called
        in_list = bulk_of(message).is_discussion and asks_by_name(message, called)
        return in_list or is_personal_letter(message, self.parts.user.own, called)

    async def _ruled(self, state: OrganizerWork, ruled: Ruled, relation: Relation, by: str) -> dict[str, Any]:
        """A category that no model was asked about, and the importance by rule."""
        conversation, user = conversation_of(state["email_input"]), self.parts.user
        importance = await asyncio.to_thread(
            importance_by_rule,
            conversation,
            relation,
            own=user.own,
            now=self.parts.now(state),
            timezone=user.timezone,
        )
        has_time = await asyncio.to_thread(
            proposes_time, conversation, now=self.parts.now(state), timezone=user.timezone
        )
        wants = {"wants_meeting": has_time, "wants_reply": True}
        return _found(ruled, importance, conversation, by) | wants

    async def label(self, state: OrganizerWork) -> dict[str, Any]:
        """Give the labels when they are certain and policy lets it happen by itself; else guess, or ask where it is worth a minute."""
        parts, message_id = self.parts, conversation_of(state["email_input"]).current.id
        doubted, thread = sender(state.get("sender_warnings")), run_thread_id(get_config())
        automatic = policy_for(parts.labelling.risk, doubted) is Policy.AUTO
        keys = await parts.taught_keys(state)
        if automatic and state["confidence"] >= ASK_BELOW:
            await parts.guesses.withdraw(thread)
            await parts.hints.gave(parts.mailbox.name, keys, state["category"], message_id)
            return await give_labels(parts, state, state["category"])
        if automatic:
            await give_priority(parts, state)
        # A forgery is to be seen, and what is in no mailbox can be asked about here alone.
        is_important = Level(state["importance"]["level"]).at_least(Level.HIGH)
        is_asked = is_important or doubted is Sender.IN_DOUBT or not message_id
        action = parts.labelling.propose(
            parts.card_turn(state, thread, "label"),
            state["category"],
            state["confidence"],
            category_reasons(state),
            LABEL if is_asked else GUESS,
        )
        if is_asked:
            await parts.guesses.withdraw(thread)
            return {"proposals": [action.as_json()], "performed": []}
        await parts.hints.gave(parts.mailbox.name, keys, "", message_id)
        await parts.guesses.put(thread, action, await parts.review.deferred(state, action), message_id, keys)
        return {"guessed": True, "performed": []}

    async def categorize_again(self, state: OrganizerWork) -> dict[str, Any]:
        """Find the category anew with what the human said, and propose it again: words are not an approval."""
        conversation = conversation_of(state["email_input"])
        found = await self._asked(conversation, state, await self._relation(state, conversation))
        before = Action.from_json(state["pending"] or {})
        turn = self.parts.card_turn(state, run_thread_id(get_config()), "label", before.revision + 1)
        said = state.get("feedback") or ""
        followed = not found["offline"] or named_in(said, self.parts.categories)
        turn = replace(turn, ignored_words=() if followed else (said,))
        again = self.parts.labelling.propose(
            turn, found["category"], found["confidence"], category_reasons({**state, **found})
        )
        return found | {"pending": None, "proposals": [again.as_json(), *(state.get("proposals") or [])]}

    async def _asked(
        self, conversation: Conversation, state: OrganizerWork, relation: Relation
    ) -> dict[str, Any]:
        parts = self.parts
        asked = CategorizeInput(
            conversation,
            parts.user,
            parts.now(state),
            parts.categories,
            relation=relation,
            feedback=state.get("feedback") or "",
        )
        answer = await parts.models.run(asked.call, asked, escalate_below=ESCALATE_BELOW)
        importance = limited(
            Importance(answer.importance, one_line(answer.importance_reason, limit=MAX_REASON)), relation
        )
        offline = parts.models.note("fast")
        wants = {"wants_meeting": answer.wants_meeting, "wants_reply": answer.wants_reply}
        found = _found(answer, importance, conversation, "model", offline=offline)
        return found | wants | {"performed": []}


def _found(
    answer: Ruled | CategoryAnswer,
    importance: Importance,
    conversation: Conversation,
    by: str,
    *,
    offline: str = "",
) -> dict[str, Any]:
    """The category and the importance, for the state."""
    return {
        "category": answer.category,
        "confidence": answer.confidence,
        "reasoning": answer.reasoning,
        "key_phrases": _quoted(answer.key_phrases, conversation),
        "decided_by": by,
        "offline": offline,
        "importance": {
            "score": importance.score,
            "level": importance.level.value,
            "reason": importance.reason,
        },
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
    return f"Weighed at {weighed['score']:.2f}. {weighed['reason']}".rstrip()
