"""Sources, tools and checks of the pipeline's nodes, its side of the common reply, and when that needs a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from langgraph.store.base import BaseStore

from email_assistant.kit.conversations import conversation_of
from email_assistant.kit.reply_workflow import ReplyWorkflow
from email_assistant.kit.senders import sender
from email_assistant.review.action import Sender
from email_assistant.workflows.reply_pipeline.calls import SURE
from email_assistant.workflows.reply_pipeline.sources import FactCheck, Retriever, SentAnswers
from email_assistant.workflows.reply_pipeline.state import WorkState
from email_assistant.workflows.reply_pipeline.tools import PipelineTool


@dataclass(frozen=True, kw_only=True)
class PipelineDependencies(ReplyWorkflow):
    """Sources, tools and checks of the pipeline's nodes, and its side of the common reply."""

    retrievers: tuple[Retriever, ...]
    tools: Mapping[str, PipelineTool]
    checker: FactCheck
    examples: SentAnswers
    """Keeps answers for the next similar mail."""
    learns: ClassVar[bool] = True
    checks_facts: ClassVar[bool] = True

    async def sent(self, state: WorkState, store: BaseStore | None) -> dict[str, Any]:
        """Keep the answer as an example; not for a sender in doubt."""
        if sender(state.get("sender_warnings")) is Sender.IN_DOUBT:
            return {}
        await self.examples.keep(conversation_of(state.get("email_input")), store)
        return {}

    def review_reasons(self, state: WorkState) -> list[str]:
        """Why the reply is not approved by its confidence alone, one plain sentence each; none when it is."""
        confidence, written = float(state.get("confidence", 0)), float(state.get("generation_confidence", 0))
        gaps = state.get("gaps") or []
        reasons = [
            (confidence < SURE, f"What the mail wants is {100 * confidence:.0f} % certain."),
            (written < SURE, f"The writer is {100 * written:.0f} % certain of the reply."),
            (
                bool(gaps),
                f"Nothing supports what stands in {len(gaps)} place{'' if len(gaps) == 1 else 's'} of the reply.",
            ),
            (state.get("classification") == "complaint", "It is a complaint: a person answers those."),
            (state.get("classification") == "spam", "It may be spam."),
            (sender(state.get("sender_warnings")) is Sender.IN_DOUBT, "The sender is in doubt."),
            (bool(state.get("feedback")), "You have sent an earlier draft back."),
        ]
        return [text for holds, text in reasons if holds]

    def card_lines(self, state: WorkState) -> tuple[str, ...]:
        """The sources that were used."""
        return tuple(
            f"Used: {item['source']} (similarity {item['score']:.2f})"
            for item in state.get("retrieved") or []
        )

    def headline(self, state: WorkState) -> str:
        """Whose mail it is, and what it wants."""
        return f"{{who}} {{wants}} ({_classified(state)})"


def _classified(state: Mapping[str, Any]) -> str:
    """The classification in words."""
    return f"{str(state.get('classification', '')).replace('_', ' ')}, {100 * float(state.get('confidence', 0)):.0f} % certain"
