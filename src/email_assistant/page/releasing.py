"""Answers that are due are given to their cards; one of a card that has changed meanwhile is dropped, and that is said.

Until an answer is due its thread goes on waiting, so that whoever takes it back, or answers elsewhere, finds the card as it was.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from email_assistant.app.container import Container
from email_assistant.clock import uptime
from email_assistant.ingest.closing import Overtaken
from email_assistant.journal.held_answers import AnswerState, HeldAnswer, HeldAnswers
from email_assistant.page.answers import ELSEWHERE, shown
from email_assistant.review.gate import NOT_TAKEN, NOT_UNDERSTOOD
from email_assistant.review.waiting import WaitingCard, waiting_card

LATE = 60.0
"""Seconds. An answer that is so long overdue is dropped: whoever gave it does not reckon with it any more."""
AT_A_TIME = 8
"""Answers at work; the server works on as many runs."""
OVERLAP = timedelta(seconds=2)
"""So long may pass between the instant that is on record for what was done, and its being on record."""
LOOK_SECONDS = 1.0
"""How long an answer of another process may go unnoticed; our own wake the task."""
RETRY_SECONDS = 1.0
MAX_RETRIES = 120
"""How often a thread is asked that works on what a server before this one has begun."""
STOPPED = "It was not done: the server had stopped. Answer again."
UNKNOWN = (
    "The server stopped at work on it, and what came of it is not on record: look at the card, and at Sent."
)

log = structlog.get_logger(__name__)


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
        card = shown(following) if following else {}
        # It asks once more what the card of that title has asked, be it drawn anew.
        is_again = following and (following.title == title or (following.facts and following.facts.problem))
        if following and (decision in {NOT_TAKEN, NOT_UNDERSTOOD} or is_again):
            return AnswerOutcome(AnswerState.not_taken, following.summary, card)
        if why := await self.built.trace.not_done(thread_id, since):
            return AnswerOutcome(AnswerState.failed, why, card)
        return AnswerOutcome(AnswerState.done, following=card)


@dataclass
class AnswerRelease:
    """The task of one server, and what wakes it."""

    container: Callable[[], Awaitable[Container]]
    client: Callable[[], Awaitable[LangGraphClient]]
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: dict[str, asyncio.Event] = field(default_factory=dict)
    _at_work: set[asyncio.Task[None]] = field(default_factory=set)
    _closing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _looked: datetime | None = None
    """What was done before that has been compared with the cards of other graphs."""
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_A_TIME))

    async def answers(self) -> HeldAnswers:
        """The answers on record."""
        built = await self.container()
        await asyncio.to_thread(uptime)
        return HeldAnswers(built.database, built.clock, uptime)

    def wake(self) -> None:
        """Something may be due."""
        self._woken.set()

    async def until_ended(self, answer_id: str, seconds: float) -> HeldAnswer:
        """The answer when something has come of it, or after so long."""
        ended = self._ended.setdefault(answer_id, asyncio.Event())
        held = await self.answers()
        try:
            async with asyncio.timeout(seconds):
                while (answer := await held.get(answer_id)).is_open:
                    ended.clear()
                    await _first_of(ended, LOOK_SECONDS)
                return answer
        except TimeoutError:
            return await held.get(answer_id)
        finally:
            self._ended.pop(answer_id, None)

    async def run(self) -> None:
        """Release what is due, for ever; what a server before this one was at work on comes first."""
        is_first = True
        try:
            while True:
                self._woken.clear()
                try:
                    if is_first:
                        await (await self.answers()).take_up()
                        is_first = False
                    wait = await self._release()
                    await self._close_overtaken()
                except Exception as error:  # noqa: BLE001 - the next round tries again; answers must not wait for ever
                    log.warning("releasing_failed", reason=type(error).__name__, detail=str(error)[:200])
                    wait = LOOK_SECONDS
                await _first_of(self._woken, wait)
        finally:
            for task in self._at_work:
                task.cancel()

    async def _release(self) -> float:
        """Begin what is due; the seconds until something else is."""
        held = await self.answers()
        left = await held.next_left()
        if left is None:
            return LOOK_SECONDS
        if left > 0:
            await self._notice(held)
            return min(left, LOOK_SECONDS)
        for answer in await held.take_due():
            task = asyncio.create_task(self._give(answer, is_late=held.left(answer) < -LATE))
            self._at_work.add(task)
            task.add_done_callback(self._at_work.discard)
        return 0.0

    async def _notice(self, held: HeldAnswers) -> None:
        """What was answered elsewhere, or changed, since it was held here is told at once, and not when it is due."""
        client = await self.client()
        for answer in await held.waiting():
            card = await waiting_card(client, answer.run_thread_id)
            if card and _is_for(answer, card):
                continue
            if card is None and await _is_busy(client, answer.run_thread_id):
                continue  # What comes of that is seen at the next look.
            state, why = _overtaken(card)
            await held.overtake(answer.id, state, why, shown(card) if card else None)

    async def _give(self, answer: HeldAnswer, *, is_late: bool) -> None:
        held = await self.answers()
        try:
            async with self._room:
                await self._settle(held, answer, is_late=is_late)
        except Exception as error:  # noqa: BLE001 - it is told on the page, and nothing else must end for it
            log.warning("answer_failed", reason=type(error).__name__, detail=str(error)[:200])
            await held.end(answer.id, AnswerState.failed, f"It did not work: {str(error)[:300]}")
        if ended := self._ended.get(answer.id):
            ended.set()

    async def _settle(self, held: HeldAnswers, answer: HeldAnswer, *, is_late: bool) -> None:
        built, client = await self.container(), await self.client()
        resuming = Resuming(built, client)
        if answer.begun_at and (outcome := await self._come_of(resuming, answer)):
            await held.end(answer.id, outcome.state, outcome.why, outcome.following)
            return
        if is_late:
            await held.end(answer.id, AnswerState.dropped, STOPPED)
            return
        card = await waiting_card(client, answer.run_thread_id)
        if card is None or not _is_for(answer, card):
            state, why = _overtaken(card)
            await held.end(answer.id, state, why, shown(card) if card else None)
            return
        outcome = await resuming.resume(card, dict(answer.answer), lambda run: held.given(answer.id, run))
        await self._close_overtaken()
        await held.end(answer.id, outcome.state, outcome.why, outcome.following)

    async def _close_overtaken(self) -> None:
        """Whoever has done something, here or with another program: nobody is asked for it by another graph any more.

        What cannot be closed now, the next round of recovery closes.
        """
        built = await self.container()
        try:
            async with self._closing:
                now = built.clock.now() - OVERLAP
                since, self._looked = self._looked or now, now
                await Overtaken(built.closing(await self.client())).close(since)
        except Exception as error:  # noqa: BLE001 - the answer itself has been carried out, and its end is told
            log.warning("overtaken_left", reason=type(error).__name__, detail=str(error)[:200])

    async def _come_of(self, resuming: Resuming, answer: HeldAnswer) -> AnswerOutcome | None:
        """What came of an answer that a server before this one was at work on; None when its card waits for it still."""
        for _ in range(MAX_RETRIES):
            if not await _is_busy(resuming.client, answer.run_thread_id):
                break
            await asyncio.sleep(RETRY_SECONDS)
        title = str(answer.shown["title"])
        outcome = await resuming.outcome(answer.run_thread_id, answer.run_id, title, answer.given_at)
        if outcome:
            return outcome
        card = await waiting_card(resuming.client, answer.run_thread_id)
        if card and card.interrupt_id == answer.interrupt_id:
            return None
        if answer.begun_at and await resuming.built.cut_off.has_done(answer.run_thread_id, answer.begun_at):
            return AnswerOutcome(AnswerState.done, following=shown(card) if card else {})
        return AnswerOutcome(AnswerState.failed, UNKNOWN)


def _is_for(answer: HeldAnswer, card: WaitingCard) -> bool:
    return (answer.interrupt_id, answer.digest) == (card.interrupt_id, card.digest)


def _overtaken(card: WaitingCard | None) -> tuple[AnswerState, str]:
    if card is None:
        return AnswerState.elsewhere, ELSEWHERE
    return AnswerState.changed, "The card had changed by then: read it, and answer again."


async def _is_busy(client: LangGraphClient, thread_id: str) -> bool:
    try:
        return (await client.threads.get(thread_id))["status"] == "busy"
    except NotFoundError:
        return False


async def _first_of(event: asyncio.Event, seconds: float) -> None:
    """Until the event, and no longer than so long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
