"""Triage: what a message needs, and the card for those that only need to be seen.

The model call that triages, beside the offline rule that stands in for it.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic import BaseModel, Field

from email_assistant.kit.conversations import (
    aconversation_of,
    conversation_of,
    conversation_text,
    run_thread_id,
)
from email_assistant.kit.response.dependencies import AssistantDependencies, person
from email_assistant.kit.response.done_so_far import begun, instruction
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.review_loop import (
    GAVE_WAY,
    notification,
    own_mail,
)
from email_assistant.mail.email_input import OWN_STYLE
from email_assistant.mail.message import Conversation
from email_assistant.memory.lesson import Lesson
from email_assistant.models.call import ModelCall
from email_assistant.models.offline.guardrails import left_out
from email_assistant.models.offline.preferences import preferences_about
from email_assistant.models.offline.triage import TriageRule, silenced, triage
from email_assistant.review.action import IGNORE
from email_assistant.review.pending import put
from email_assistant.tools.outgoing import follows_up
from email_assistant.tools.tool import User


class TriageVerdict(BaseModel):
    """What to do with a message."""

    reasoning: str = Field(description="Why, in one plain sentence for the person.")
    classification: Literal["ignore", "respond", "notify"]


@dataclass(frozen=True)
class TriageInput:
    """What triage reads."""

    conversation: Conversation
    preferences: str
    user: User

    def variables(self) -> Mapping[str, str]:
        """Values for triage.md."""
        return {
            "person": person(self.user),
            "preferences": preferences_about(self.conversation.current.sender.key, self.preferences),
            "conversation": conversation_text(self.conversation, self.user.timezone),
        }


def _triage_offline(inputs: TriageInput) -> TriageVerdict:
    user = inputs.user
    verdict = triage(inputs.conversation, preferences=inputs.preferences, own=user.own, called=user.called)
    return TriageVerdict(reasoning=verdict.reasoning, classification=verdict.classification)


TRIAGE = ModelCall(
    name="triage",
    prompt="email_assistant/triage",
    output=TriageVerdict,
    tier="fast",
    offline=_triage_offline,
    confidence=None,
)


@dataclass(frozen=True)
class TriageNodes:
    """The nodes of the upper level."""

    parts: AssistantDependencies

    async def triage_router(
        self, state: AssistantWork, runtime: Runtime[None]
    ) -> Command[Literal["response_agent", "triage_interrupt_handler", "__end__"]]:
        """Read the message, start clean, and decide where it goes; raises `InputError` for a wrong input."""
        conversation = await aconversation_of(state.get("email_input"))
        thread_id = run_thread_id(get_config())
        doubts = await self.parts.senders.doubts_after_sweep(
            conversation.current, self.parts.sending.drafts, thread_id
        )
        (preferences,) = await self.parts.profiles.recent(("triage_preferences",), runtime.store)
        verdict = (
            await self.parts.brought_back(state["email_input"], conversation.current, doubts)
            or _asks_how_they_write(state["email_input"], conversation, self.parts.user)
            or follows_up(state["email_input"], conversation, self.parts.user)
            or own_mail(conversation, self.parts.user.own, in_doubt=bool(doubts))
            or await self.judged(
                TriageInput(conversation, preferences.content, self.parts.user), in_doubt=bool(doubts)
            )
        )
        verdict = await self.parts.not_ignored(verdict, conversation.current)
        said = state.get("wanted")
        update = begun(state, conversation, doubts, self.parts.user) | {
            "classification_decision": "respond" if said else verdict.classification,
            "triage_reason": f"{verdict.reasoning} {self.parts.models.failure}".strip(),
            "offline": self.parts.models.note("fast"),
        }
        gave_way = _gave_way(state, conversation)
        if gave_way:
            # Not even a message that needs nothing may take a waiting card away unseen.
            quiet = verdict.classification == "ignore"
            update |= {"facts": [GAVE_WAY]} | ({"classification_decision": "notify"} if quiet else {})
        if said or verdict.classification == "respond":
            return Command(goto="response_agent", update=update)
        if verdict.classification == "ignore" and not gave_way:
            return Command(goto="__end__", update=update | {"outcome": "ignored"})
        action = await asyncio.to_thread(
            notification,
            conversation,
            thread_id,
            update["round"],
            self.parts.user,
            offers_silence=verdict.offers_silence,
        )
        action = replace(action, summary=await self.parts.meetings.standing(conversation.current))
        return Command(goto="triage_interrupt_handler", update=update | put({**state, **update}, action))

    async def judged(self, inputs: TriageInput, *, in_doubt: bool) -> TriageRule:
        """What the model or the rules say, and what the user has done with the sender's mail so far."""
        verdict, conversation = await self._judged(inputs), inputs.conversation
        if verdict.classification == "respond":
            return await self.parts.not_drafted(conversation, in_doubt=in_doubt) or verdict
        if verdict.classification == "notify" or self.parts.models.is_offline("fast"):
            return verdict
        return await self._contradicted(inputs, verdict, in_doubt=in_doubt) or verdict

    async def _contradicted(
        self, inputs: TriageInput, verdict: TriageRule, *, in_doubt: bool
    ) -> TriageRule | None:
        """The notice of mail that a model would leave out although it asks something beyond doubt."""
        conversation, reader = inputs.conversation, self.parts.user.reader
        is_known = await self.parts.is_known(conversation.current)
        found = await asyncio.to_thread(left_out, conversation, reader, is_known=is_known, in_doubt=in_doubt)
        why = f"The model would have left it out: {verdict.reasoning}"
        return replace(found, reasoning=f"{found.reasoning} {why}") if found else None

    async def _judged(self, inputs: TriageInput) -> TriageRule:
        said = await self.parts.models.run(TRIAGE, inputs)
        verdict, conversation = TriageRule(said.classification, said.reasoning), inputs.conversation
        # The rules read the whole mail once more.
        heard = await asyncio.to_thread(
            silenced, verdict, conversation, preferences=inputs.preferences, own=self.parts.user.own
        )
        if heard.asks or heard == verdict:
            return heard
        known = await self.parts.senders.known(conversation.current)
        return verdict if known.sender else heard

    async def triage_interrupt_handler(
        self, state: AssistantWork
    ) -> Command[Literal["triage_interrupt_handler", "learn_from_triage"]]:
        """Show a message that needs no reply, or got none; the human may ask for one all the same."""
        answered = await self.parts.review.ask(state, self.parts.context(state))
        answer = answered.decision
        if answer is None:
            return Command(goto="triage_interrupt_handler", update=answered.update)
        sender = conversation_of(state["email_input"]).current.sender.key
        lesson = Lesson(
            profile="triage_preferences",
            kind="asked_reply"
            if answer.type != IGNORE
            else "hidden"
            if answered.action.offers_silence
            else "dismissed",
            decision_id=answered.action.id,
            text=answer.text,
            sender=sender,
        )
        update = answered.update | {"lesson": None if answer.seen else lesson.as_json(), "pending": None}
        if answer.type == IGNORE:
            outcome = state.get("outcome") or "dismissed"
            return Command(goto="learn_from_triage", update=update | {"outcome": outcome})
        return Command(goto="learn_from_triage", update=update | {"messages": [instruction(answer.text)]})

    async def learn_from_triage(
        self, state: AssistantWork, runtime: Runtime[None]
    ) -> Command[Literal["response_agent", "__end__"]]:
        """Learn from the answer, then go on as the human decided; a failure to learn changes nothing else."""
        await self.parts.learn(state, runtime.store)
        dismissed = (state.get("decision") or {}).get("type") == IGNORE
        goto: Literal["response_agent", "__end__"] = "__end__" if dismissed else "response_agent"
        return Command(goto=goto, update={"lesson": None})


def _asks_how_they_write(
    email_input: Mapping[str, Any], conversation: Conversation, user: User
) -> TriageRule | None:
    """That the user wants to know how they write, which a letter of theirs stands for; None of all mail."""
    is_own = conversation.current.sender.key in user.own and conversation.current.sent
    return (
        TriageRule("respond", "You asked for it.", asks=True)
        if email_input.get(OWN_STYLE) and is_own
        else None
    )


def _gave_way(state: AssistantWork, conversation: Conversation) -> bool:
    """Whether work on an earlier message of the conversation had not come to its end, as when a card waited."""
    last = (state.get("seen") or [""])[-1]
    # A reminder is over when its letter is answered.
    is_reminded = any(each.id == last and each.sent for each in conversation.earlier)
    return bool(state.get("round")) and not (
        state.get("outcome") or is_reminded or last == conversation.current.id
    )
