"""Categorizing one mail: by a hint, by a model, or by the human; then its label.

`propose` is the hub: it puts what waits before the human, one card at a time, and ends the run when nothing does.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command

from email_assistant.errors import ProviderError
from email_assistant.graphs.conversations import aconversation_of, conversation_of, run_thread_id
from email_assistant.graphs.organizer.categorize_call import ASK_BELOW, ESCALATE_BELOW, CategorizeInput
from email_assistant.graphs.organizer.hint_keys import hint_keys
from email_assistant.graphs.organizer.importance import Relation, importance_of, is_colleague, is_vip
from email_assistant.graphs.organizer.parts import Parts, card_for
from email_assistant.graphs.organizer.reasons import category_told
from email_assistant.graphs.organizer.state import WorkState
from email_assistant.graphs.senders import sender
from email_assistant.mail.message import Conversation
from email_assistant.memory.lesson import Lesson, describe_edit
from email_assistant.models.offline.categories import by_headers
from email_assistant.review.action import EDIT, IGNORE, RESPONSE, Action, Decision, Problem
from email_assistant.review.card import numbered
from email_assistant.review.gate import ask
from email_assistant.review.risk import Policy, Sender, policy_for
from email_assistant.tools.tool import AskAgain

FRESH: dict[str, Any] = {
    "proposals": [],
    "pending": None,
    "decision": None,
    "problem": "",
    "feedback": "",
    "correction": "",
    "said": [],
    "acknowledged": [],
    "lesson": None,
    "performed": [],
    "labels": [],
    "titles": [],
    "outcome": "",
    "settled": False,
}
MAX_PHRASES = 5


@dataclass(frozen=True)
class OrganizerNodes:
    """The nodes."""

    parts: Parts

    async def take_up(self, state: WorkState) -> dict[str, Any]:
        """Read the message and start clean; raises `InputError` for a wrong input."""
        conversation = await aconversation_of(state.get("email_input"))
        await self.parts.send_email.sending.drafts.sweep(run_thread_id(get_config()))
        doubts = await self.parts.senders.doubts(conversation.current)
        return FRESH | {"sender_warnings": doubts, "round": (state.get("round") or 0) + 1}

    async def categorize(self, state: WorkState) -> dict[str, Any]:
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

    async def weigh(self, state: WorkState) -> dict[str, Any]:
        """Score how important the message is."""
        conversation, parts = conversation_of(state["email_input"]), self.parts
        writer = conversation.current.sender
        relation = Relation(
            is_vip=is_vip(writer, parts.vips),
            is_correspondent=(await parts.senders.known(conversation.current)).sender is not None,
            is_colleague=is_colleague(writer, parts.user.own),
            in_doubt=sender(state.get("sender_warnings")) is Sender.IN_DOUBT,
        )
        user = parts.user
        found = await asyncio.to_thread(
            importance_of, conversation, relation, own=user.own, now=parts.clock.now(), timezone=user.timezone
        )
        return {"importance": found.as_json()}

    async def label(self, state: WorkState) -> dict[str, Any]:
        """Give the labels when they are certain and policy lets it happen by itself; else propose them."""
        doubted = sender(state.get("sender_warnings"))
        automatic = policy_for(self.parts.labelling.risk, doubted) is Policy.AUTO
        if automatic and state["confidence"] >= ASK_BELOW:
            return await self._labelled(state, state["category"])
        if automatic:
            await self._prioritised(state)
        action = self.parts.labelling.propose(
            self.parts.turn(state, run_thread_id(get_config()), "label"),
            state["category"],
            category_told(state),
        )
        return {"proposals": [action.as_json()], "performed": []}

    async def propose(self, state: WorkState) -> Command[Literal["interrupt_handler", "finish"]]:
        """Put the next proposal before the human, if there is one."""
        waiting = state.get("proposals") or []
        if not waiting:
            return Command(goto="finish", update={"performed": []})
        titles = state.get("titles") or []
        action = Action.from_json(waiting[0])
        number = numbered(action.title, titles, state.get("round") or 1)
        shown = Action.from_json(action.as_json() | {"title": number})
        update = {
            "proposals": waiting[1:],
            "pending": shown.as_json(),
            "titles": [*titles, shown.title],
            "decision": None,
            "problem": "",
            "acknowledged": [],
            "performed": [],
        }
        return Command(goto="interrupt_handler", update=update)

    async def interrupt_handler(
        self, state: WorkState
    ) -> Command[Literal["interrupt_handler", "perform", "categorize_again", "reply_again"]]:
        """Ask about the proposal."""
        action = Action.from_json(state["pending"] or {})
        answer = ask(action, card_for(action, state, self.parts.user))
        if isinstance(answer, Problem):
            return Command(goto="interrupt_handler", update={"problem": answer.text})
        if answer.type == EDIT:
            return await self._edited(action, answer)
        update: dict[str, Any] = {"decision": answer.as_json(), "problem": ""}
        if answer.type != RESPONSE:
            return Command(goto="perform", update=update)
        if action.kind == "label":
            return Command(goto="categorize_again", update=update | {"feedback": answer.text})
        lesson = Lesson("response_preferences", "feedback", action.id, answer.text)
        said = [*(state.get("said") or []), answer.text]
        return Command(goto="reply_again", update=update | {"said": said, "lesson": lesson.as_json()})

    async def _edited(
        self, action: Action, answer: Decision
    ) -> Command[Literal["interrupt_handler", "perform", "categorize_again", "reply_again"]]:
        is_label = action.kind == "label"
        revised = (
            self.parts.labelling.revise(action, answer.args)
            if is_label
            else await self.parts.send_email.revise(action, answer.args)
        )
        if isinstance(revised, Problem):
            return Command(goto="interrupt_handler", update={"problem": revised.text})
        update = {"pending": revised.as_json(), "decision": answer.as_json(), "problem": ""}
        edit = "" if is_label else describe_edit(action.args, revised.args)
        lesson = Lesson("response_preferences", "edited", action.id, edit).as_json() if edit else None
        return Command(goto="perform", update=update | {"lesson": lesson})

    async def categorize_again(self, state: WorkState) -> dict[str, Any]:
        """Find the category anew with what the human said, and propose it again: words are not an approval."""
        conversation = conversation_of(state["email_input"])
        known = await self.parts.senders.known(conversation.current)
        found = await self._asked(conversation, state, is_correspondent=known.sender is not None)
        before = Action.from_json(state["pending"] or {})
        turn = self.parts.turn(state, run_thread_id(get_config()), "label", before.revision + 1)
        again = self.parts.labelling.propose(turn, found["category"], category_told({**state, **found}))
        return found | {"pending": None, "proposals": [again.as_json(), *(state.get("proposals") or [])]}

    async def perform(self, state: WorkState) -> Command[Literal["learn", "propose", "interrupt_handler"]]:
        """Do what was decided; what cannot be done as reviewed is asked again."""
        action = Action.from_json(state["pending"] or {})
        decision = Decision(**(state.get("decision") or {}))
        if action.kind == "label":
            return await self._label_decided(state, action, decision)
        if decision.type == IGNORE:
            await self.parts.send_email.discard(action)
            return Command(goto="propose", update={"pending": None, "performed": []})
        try:
            result = await self.parts.send_email.perform(
                action, acknowledged=frozenset(state.get("acknowledged") or [])
            )
        except ProviderError as error:
            result = AskAgain(action, f"It did not work: {error} Accept to try again.")
        if isinstance(result, AskAgain):
            return self._asked_again(state, result)
        done = {"id": action.id, "name": action.kind, "params": {"to": action.args["to"]}}
        performed = [done | {"result": "sent", "success": True}]
        return Command(goto="learn", update={"pending": None, "performed": performed})

    async def _label_decided(
        self, state: WorkState, action: Action, decision: Decision
    ) -> Command[Literal["learn", "propose", "interrupt_handler"]]:
        if decision.type == IGNORE:
            return Command(goto="propose", update={"pending": None, "feedback": "", "performed": []})
        category = action.args["category"]
        corrected = bool(state.get("feedback")) or category != action.facts["proposed"]
        update = await self._labelled(state, category) | {
            "pending": None,
            "category": category,
            "confidence": 1.0,
            "decided_by": "human",
            "correction": category if corrected else "",
        }
        return Command(goto="learn", update=update)

    def _asked_again(
        self, state: WorkState, result: AskAgain
    ) -> Command[Literal["learn", "propose", "interrupt_handler"]]:
        titles, action = state.get("titles") or [], result.action
        if action.as_json() != state.get("pending"):
            title = numbered(action.title, titles, state.get("round") or 1)
            action = Action.from_json(action.as_json() | {"title": title})
        update = {
            "pending": action.as_json(),
            "problem": result.problem,
            "decision": None,
            "acknowledged": [
                *(state.get("acknowledged") or []),
                *([result.concern] if result.concern else []),
            ],
            "titles": list(dict.fromkeys([*titles, action.title])),
            "actions": list(dict.fromkeys([*(state.get("actions") or []), action.id])),
            "performed": [],
        }
        return Command(goto="interrupt_handler", update=update)

    async def learn(self, state: WorkState, runtime: Runtime[None]) -> dict[str, Any]:
        """Remember a correction, or how the reply was changed; nothing about a sender in doubt."""
        nothing: dict[str, Any] = {"correction": "", "feedback": "", "lesson": None, "performed": []}
        if sender(state.get("sender_warnings")) is Sender.IN_DOUBT:
            return nothing
        if lesson := state.get("lesson"):
            await self.parts.learner.try_learn(Lesson.from_json(lesson), runtime.store)
        if state.get("correction"):
            await self._corrected(state, state["correction"])
        return nothing

    async def _corrected(self, state: WorkState, category: str) -> None:
        message = conversation_of(state["email_input"]).current
        known = await self.parts.senders.known(message)
        keys = hint_keys(message, is_correspondent=known.sender is not None)
        if keys and message.id:
            await self.parts.hints.teach(self.parts.mailbox.name, keys, category, message.id)

    async def finish(self, state: WorkState) -> dict[str, Any]:
        """Say how it ended."""
        return {
            "outcome": "labeled" if state.get("labels") else "not_labeled",
            "settled": True,
            "performed": [],
        }

    async def _asked(
        self, conversation: Conversation, state: WorkState, *, is_correspondent: bool
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

    async def _labelled(self, state: WorkState, category: str) -> dict[str, Any]:
        message_id = conversation_of(state["email_input"]).current.id
        label = await self.parts.labelling.apply(message_id, category) if message_id else None
        priority = await self._prioritised(state)
        done = {"id": f"label:{message_id}", "name": "label", "params": {"category": category}}
        result = label or "not in this mailbox"
        return {
            "labels": [each for each in (label, priority) if each],
            "performed": [done | {"result": result, "success": bool(label)}],
        }

    async def _prioritised(self, state: WorkState) -> str | None:
        message_id = conversation_of(state["email_input"]).current.id
        level = str(state["importance"]["level"])
        return await self.parts.labelling.prioritise(message_id, level) if message_id else None


def _quoted(phrases: Sequence[str], conversation: Conversation) -> list[str]:
    """Those of the phrases that do stand in the message: a model may make some up."""
    current = conversation.current
    text = " ".join(f"{current.subject} {current.text}".split()).casefold()
    tidy = [" ".join(phrase.split())[:80] for phrase in phrases]
    return [phrase for phrase in tidy if phrase and phrase.casefold() in text][:MAX_PHRASES]
