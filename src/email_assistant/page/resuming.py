"""An answer given to its card, and what came of it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langgraph_sdk.client import LangGraphClient

from email_assistant.app.container import Container
from email_assistant.journal.held_answers import AnswerState
from email_assistant.page.answers import ELSEWHERE, shown
from email_assistant.review.gate import NOT_TAKEN, NOT_UNDERSTOOD
from email_assistant.review.waiting import WaitingCard, waiting_card


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """What became of an answer."""

    state: AnswerState
    why: str = ""
    """For a person; "" when it is done."""
    following: dict[str, str] = field(default_factory=dict)
    """The card that the thread asks next; see `shown`."""


@dataclass(frozen=True)
class Resuming:
    """Lets runs go on with answers."""

    built: Container
    client: LangGraphClient

    async def resume(
        self, card: WaitingCard, answer: Mapping[str, Any], begun: Callable[[str], Awaitable[None]]
    ) -> AnswerOutcome:
        """Let the run go on to its next card or its end; the answer counts for this card alone, or for nothing.

        `begun` is told the id of the run before it is waited for.
        """
        began = self.built.clock.now()
        await self.built.cut_off.answer_received(card.thread_id)
        command: Any = {"resume": {card.interrupt_id: [dict(answer)]}}
        run = await self.client.runs.create(card.thread_id, card.graph, command=command)
        await begun(run["run_id"])
        state: Any = await self.client.runs.join(card.thread_id, run["run_id"])
        if isinstance(state, dict) and "__error__" in state:
            following = await waiting_card(self.client, card.thread_id)
            why = str(state["__error__"].get("message", "unknown error"))
            return AnswerOutcome(AnswerState.failed, why, shown(following) if following else {})
        outcome = await self.outcome(card.thread_id, run["run_id"], card.title, began)
        return outcome or AnswerOutcome(AnswerState.elsewhere, ELSEWHERE)

    async def outcome(self, thread_id: str, run_id: str, title: str, since: datetime) -> AnswerOutcome | None:
        """What came of the answer that this run brought to the card of that title; None when no card took it."""
        decision = await self.built.trace.answer_taken(thread_id, run_id)
        if not decision:
            return None
        following = await waiting_card(self.client, thread_id)
        told = shown(following) if following else {}
        if following and (decision in {NOT_TAKEN, NOT_UNDERSTOOD} or _is_again(following, title)):
            return AnswerOutcome(AnswerState.not_taken, following.summary, told)
        if why := await self.built.trace.not_done(thread_id, since):
            return AnswerOutcome(AnswerState.failed, why, told)
        return AnswerOutcome(AnswerState.done, following=told)


def _is_again(following: WaitingCard, title: str) -> bool:
    """Whether the card asks once more what the one of that title has asked, be it drawn anew."""
    return following.title == title or bool(following.facts and following.facts.problem)
