"""Answers are given to their cards: each counts for the card that was shown, once, whoever repeats it; what came of it is told.

The page holds an answer and takes it back before it is sent (docs/decisions.md); here it is done at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import structlog
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from email_assistant.app.accounts import AccountDeps
from email_assistant.errors import EmailAssistantError
from email_assistant.journal.records import DEFERRED
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, SEEN, Decision
from email_assistant.review.gate import NOT_TAKEN, NOT_UNDERSTOOD
from email_assistant.review.waiting import WaitingCard, run_card, waiting_card
from email_assistant.workflow_registry import workflow

ELSEWHERE = "This card was answered elsewhere."
AT_A_TIME = 8
"""Answers at work; the server works on as many runs."""

log = structlog.get_logger(__name__)


class AnswerState(StrEnum):
    """What became of an answer."""

    working = "working"
    done = "done"
    undone = "undone"
    """What it did was taken back."""
    changed = "changed"
    """The card was another one by then."""
    elsewhere = "elsewhere"
    """The card was answered in another way by then."""
    not_taken = "not_taken"
    """The card is asked again."""
    failed = "failed"


def shown(card: WaitingCard) -> dict[str, str]:
    """How a page names a card."""
    named = {"thread": card.thread_id, "interrupt": card.interrupt_id}
    return named | {"digest": card.digest, "title": card.title}


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

    deps: AccountDeps
    client: LangGraphClient

    async def resume(self, card: WaitingCard, answer: Mapping[str, Any]) -> AnswerOutcome:
        """Let the run go on to its next card or its end; the answer counts for this card alone, or for nothing."""
        if card.is_deferred:
            return await self._settled(card, answer)
        began = self.deps.clock.now()
        command: Any = {"resume": {card.interrupt_id: [dict(answer)]}}
        run = await self.client.runs.create(card.thread_id, card.graph, command=command)
        state: Any = await self.client.runs.join(card.thread_id, run["run_id"])
        if isinstance(state, dict) and "__error__" in state:
            following = await run_card(self.client, card.thread_id)
            why = str(state["__error__"].get("message", "unknown error"))
            return AnswerOutcome(AnswerState.failed, why, shown(following) if following else {})
        decision = await self.deps.trace.answer_taken(card.thread_id, run["run_id"])
        if not decision:
            return AnswerOutcome(AnswerState.elsewhere, ELSEWHERE)
        return await self.outcome(card.thread_id, decision, card.title, began)

    async def _settled(self, card: WaitingCard, answer: Mapping[str, Any]) -> AnswerOutcome:
        """Do what was decided about a card that no run waits for, then keep the decision: cut off in between, it is done again."""
        type_, args = str(answer["type"]), answer["args"]["args"]
        if type_ in {ACCEPT, EDIT}:
            try:
                await workflow(card.graph).settle(self.deps, card.interrupt_id, args)
            except EmailAssistantError as error:
                return AnswerOutcome(AnswerState.failed, str(error), shown(card))
        decision = Decision(IGNORE, seen=type_ == SEEN) if type_ in {IGNORE, SEEN} else Decision(type_, args)
        await self.deps.trace.review_decided(
            card.interrupt_id,
            decision=decision.type,
            answer=decision.as_json(),
            given=str(answer.get("id") or ""),
        )
        return AnswerOutcome(AnswerState.done)

    async def outcome(self, thread_id: str, decision: str, title: str, since: datetime) -> AnswerOutcome:
        """What came of the decision on the card of that title."""
        following = await waiting_card(self.client, self.deps.trace, thread_id)
        card = shown(following) if following else {}
        # It asks once more what the card of that title has asked, be it drawn anew.
        is_again = following and (following.title == title or (following.facts and following.facts.problem))
        was_refused = decision in {NOT_TAKEN, NOT_UNDERSTOOD}
        if following and (was_refused or is_again):
            return AnswerOutcome(AnswerState.not_taken, following.summary, card)
        if was_refused:
            return AnswerOutcome(AnswerState.elsewhere, ELSEWHERE)
        if decision != IGNORE and (why := await self.deps.trace.not_done(thread_id, since)):
            return AnswerOutcome(AnswerState.failed, why, card)
        return AnswerOutcome(AnswerState.done, following=card)


@dataclass
class Answering:
    """The answers of one server."""

    deps: Callable[[], Awaitable[AccountDeps]]
    client: Callable[[], Awaitable[LangGraphClient]]
    _at_work: dict[str, asyncio.Task[AnswerOutcome]] = field(default_factory=dict)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_A_TIME))

    async def give(
        self, answer_id: str, seconds: float, doing: Callable[[Resuming], Awaitable[AnswerOutcome]]
    ) -> AnswerOutcome:
        """What becomes of the answer of that id within so long; whoever gives it again meanwhile waits for the first."""
        if (task := self._at_work.get(answer_id)) is None:
            task = self._at_work[answer_id] = asyncio.create_task(self._done(doing))
            task.add_done_callback(lambda _: self._at_work.pop(answer_id, None))
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(task)
        except TimeoutError:
            return AnswerOutcome(AnswerState.working)

    async def became(self, thread_id: str, answer_id: str) -> AnswerOutcome | None:
        """What became of the answer of that id; None when nobody has given it to its card."""
        deps, client = await self.deps(), await self.client()
        entry = await deps.trace.given_answer(thread_id, answer_id)
        if answer_id in self._at_work or (entry and await _is_busy(client, thread_id)):
            return AnswerOutcome(AnswerState.working)
        if entry is None:
            return None
        if entry.is_undone:
            return AnswerOutcome(AnswerState.undone)
        return await Resuming(deps, client).outcome(thread_id, entry.decision, entry.title, entry.at)

    async def _done(self, doing: Callable[[Resuming], Awaitable[AnswerOutcome]]) -> AnswerOutcome:
        try:
            async with self._room:
                return await doing(Resuming(await self.deps(), await self.client()))
        except Exception as error:  # noqa: BLE001 - it is told on the page, and nothing else must end for it
            log.warning("answer_failed", reason=type(error).__name__, detail=str(error)[:200])
            return AnswerOutcome(AnswerState.failed, f"It did not work: {str(error)[:300]}")


async def _is_busy(client: LangGraphClient, thread_id: str) -> bool:
    if thread_id.startswith(DEFERRED):
        return False
    try:
        return (await client.threads.get(thread_id))["status"] == "busy"
    except NotFoundError:
        return False
