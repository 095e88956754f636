"""classify, retrieve, decide: what the message wants, what is known about it, which tools help."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.runtime import Runtime

from email_assistant.kit.conversations import aconversation_of, conversation_of, run_thread_id
from email_assistant.kit.reply.state import FRESH as NO_REPLY
from email_assistant.kit.reply.state import step
from email_assistant.kit.reply.unanswered import is_unanswered, no_answer, wanted
from email_assistant.review.pending import new_round
from email_assistant.workflows.reply_pipeline.calls import CLASSIFY, DECIDE, SURE, ClassifyInput, DecideInput
from email_assistant.workflows.reply_pipeline.dependencies import Found, PipelineDependencies
from email_assistant.workflows.reply_pipeline.email import email_input_of, email_of
from email_assistant.workflows.reply_pipeline.state import WorkState
from email_assistant.workflows.reply_pipeline.tool_rules import (
    CHECK_CALENDAR,
    CREATE_DRAFT,
    GET_CONTACT,
    select_tools,
)

FRESH: dict[str, Any] = NO_REPLY | {
    "context": [], "retrieved": [], "selected_tools": [], "dropped_tools": [], "tool_results": {}, "tool_ours": {},
    "generation_confidence": 0.0, "gaps": [], "facts": [],
}  # fmt: skip
NOT_READ: dict[str, Any] = {"classification": "", "confidence": 0.0, "reasoning": ""}
MAX_CONTEXT = 8
TOOLS = {
    CHECK_CALENDAR: "busy and free times of the coming days",
    GET_CONTACT: "what is known about the sender",
    CREATE_DRAFT: "to whom a reply goes, under which subject",
}


@dataclass(frozen=True)
class UnderstandingNodes:
    """The first three nodes."""

    parts: PipelineDependencies

    async def classify(self, state: WorkState) -> dict[str, Any]:
        """Read the message, start clean, and say what it wants; raises `InputError` for a wrong input."""
        email_input = email_input_of(state, self.parts.user)
        conversation = await aconversation_of(email_input)
        current = conversation.current
        await self.parts.drafts.sweep(run_thread_id(get_config()), answering=current)
        doubts = await self.parts.senders.doubts(current)
        mail = {"email_input": email_input, "email": email_of(current), "sender_warnings": doubts}
        if update := no_answer(state, conversation, doubts, self.parts.user, node="classify"):
            return FRESH | NOT_READ | mail | update
        answer = await self.parts.models.run(CLASSIFY, ClassifyInput(conversation, self.parts.user))
        ignored = answer.classification == "spam" and answer.confidence >= SURE
        told = f"{answer.classification}, confidence {answer.confidence:.2f}: {answer.reasoning}"
        return FRESH | {
            **new_round(state),
            **wanted(state),
            **mail,
            "classification": answer.classification,
            "confidence": answer.confidence,
            "reasoning": answer.reasoning,
            "offline": self.parts.models.is_offline("fast"),
            "outcome": "ignored" if ignored else "",
            **step({}, "classify", told),
        }

    async def retrieve(self, state: WorkState, runtime: Runtime[None]) -> dict[str, Any]:
        """Look for what helps to answer; each item is kept with its source and score."""
        conversation = conversation_of(state.get("email_input"))
        found = await asyncio.gather(
            *(r.find(conversation, state["classification"], runtime.store) for r in self.parts.retrievers)
        )
        items = [item for some in found for item in some][:MAX_CONTEXT]
        return {
            "context": [_told(item) for item in items],
            "retrieved": [
                {
                    "kind": i.kind,
                    "source": i.source,
                    "score": round(i.score, 4),
                    "text": i.text,
                    "ours": i.ours,
                }
                for i in items
            ],
            **step(
                state,
                "retrieve",
                f"{len(items)} items: {'; '.join(i.source for i in items) or 'nothing found'}",
            ),
        }

    async def decide(self, state: WorkState) -> dict[str, Any]:
        """Let the model select tools, and keep to the rules of the class."""
        conversation, classification = conversation_of(state.get("email_input")), state["classification"]
        asked = DecideInput(conversation, self.parts.user, classification, state.get("context") or [], TOOLS)
        answer = await self.parts.models.run(DECIDE, asked)
        chosen = select_tools(classification, answer.tools)
        told = ", ".join(chosen.selected) or "none"
        dropped = f"; dropped: {', '.join(chosen.dropped)[:200]}" if chosen.dropped else ""
        return {
            "selected_tools": list(chosen.selected),
            "dropped_tools": [name[:80] for name in chosen.dropped],
            **step(state, "decide", f"tools: {told}{dropped}"),
        }


def after_classify(state: WorkState) -> Literal["retrieve", "notify", "__end__"]:
    """Spam that is certain ends the run, and so does mail that gets no answer; some of it is shown."""
    return is_unanswered(state) or "retrieve"


def after_decide(state: WorkState) -> Literal["execute_tools", "generate"]:
    """Tools run only when there are any."""
    return "execute_tools" if state.get("selected_tools") else "generate"


def _told(item: Found) -> str:
    return f"[{item.source}] {item.text}"
