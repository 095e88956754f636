"""Services of the page's routes: sessions, held answers, and the feed that tells every open tab at once what happens.

One task looks for all listeners, while there are any: the server has no events of its own that would reach over a restart or
another process.
"""

import asyncio
import contextlib
import json
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from langgraph_sdk.client import LangGraphClient

from email_assistant.app.container import Container
from email_assistant.journal.attention import failing_now
from email_assistant.journal.held_answers import AnswerState, HeldAnswers
from email_assistant.journal.records import MailStatus
from email_assistant.page.answers import answer_json
from email_assistant.page.door import Sessions
from email_assistant.page.releasing import AnswerRelease
from email_assistant.review.waiting import all_threads

LOOK_SECONDS = 0.5
MAX_LISTENERS = 50
MAX_WAITING = 1_000
"""Events that a tab has not taken yet; one that takes none is left alone, and asks again by itself."""
RECENT = timedelta(minutes=5)
"""So long after it was given an answer's end is told; a longer hold is open, and told anyway."""
EVERY = 4
"""Looks between two at the mail's progress and failures, which count more rows."""
_IN_WORK = (MailStatus.claimed, MailStatus.processing)
_NAMES = {
    AnswerState.held: "held",
    AnswerState.done: "done",
    AnswerState.undone: "done",
    AnswerState.working: "",
}
"""The event of an answer's state; of every other one it is "failed"."""
Event = tuple[str, Mapping[str, Any]]

log = structlog.get_logger(__name__)


@dataclass
class _Seen:
    """What the last look saw."""

    cards: Mapping[str, str]
    """When each waiting thread last changed."""
    answers: Mapping[str, AnswerState]
    failed: int
    settled: int
    """Mails that were settled when the last work on mail began."""
    is_reading: bool


@dataclass
class EventFeed:
    """The listeners of one server."""

    container: Callable[[], Awaitable[Container]]
    client: Callable[[], Awaitable[LangGraphClient]]
    _listeners: set[asyncio.Queue[Event]] = field(default_factory=set)
    _task: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        """Whether nobody else can listen."""
        return len(self._listeners) >= MAX_LISTENERS

    async def listen(self) -> AsyncGenerator[Event | None, None]:
        """Every event from now on; None when a look found nothing. Ends when the server is told to stop."""
        queue: asyncio.Queue[Event] = asyncio.Queue(MAX_WAITING)
        self._listeners.add(queue)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look_while_heard())
        try:
            while not _is_stopping() and queue in self._listeners:
                try:
                    async with asyncio.timeout(LOOK_SECONDS):
                        yield await queue.get()
                except TimeoutError:
                    yield None
        finally:
            self._listeners.discard(queue)

    async def _look_while_heard(self) -> None:
        seen: _Seen | None = None
        number = 0
        while self._listeners:
            try:
                now, events = await self._look(seen, counts=number % EVERY == 0)
                for event in events if seen else ():
                    self._tell(event)
                seen = now
            except Exception as error:  # noqa: BLE001 - the next look tries again; a tab asks by itself meanwhile
                log.warning("events_failed", reason=type(error).__name__, detail=str(error)[:200])
            number += 1
            await asyncio.sleep(LOOK_SECONDS)

    def _tell(self, event: Event) -> None:
        for queue in list(self._listeners):
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                self._listeners.discard(queue)

    async def _look(self, seen: _Seen | None, *, counts: bool) -> tuple[_Seen, list[Event]]:
        built = await self.container()
        cards = await _waiting(await self.client())
        answers, events = await self._answers(built, seen)
        if seen:
            came = [thread for thread, at in cards.items() if seen.cards.get(thread) != at]
            events += [("card", {"thread": thread}) for thread in came]
            events += [("gone", {"thread": thread}) for thread in seen.cards.keys() - cards.keys()]
        failed, settled, is_reading = (seen.failed, seen.settled, seen.is_reading) if seen else (0, 0, False)
        if counts:
            by_status = await built.mail_log.count_by_status()
            at_work = sum(by_status.get(status, 0) for status in _IN_WORK)
            done = sum(by_status.values()) - at_work
            if not is_reading:
                settled = done
            if at_work or is_reading:
                events.append(("progress", {"read": done - settled, "of": done - settled + at_work}))
            is_reading = bool(at_work)
            now_failing = (await failing_now(built.database)).number
            if now_failing != failed:
                events.append(("failed", {"number": now_failing}))
            failed = now_failing
        return _Seen(cards, answers, failed, settled, is_reading), events

    async def _answers(
        self, built: Container, seen: _Seen | None
    ) -> tuple[dict[str, AnswerState], list[Event]]:
        held = HeldAnswers(built.database, built.clock)
        found = await held.since(built.clock.now() - RECENT)
        before = seen.answers if seen else {}
        new = [each for each in found if before.get(each.id) != each.state]
        events: list[Event] = [
            (name, answer_json(each)) for each in new if (name := _NAMES.get(each.state, "failed"))
        ]
        return {each.id: each.state for each in found}, events


async def _waiting(client: LangGraphClient) -> dict[str, str]:
    """Every thread that waits, and when it last changed."""
    found = await all_threads(client, "interrupted", sort_by="created_at", select=("thread_id", "updated_at"))
    return {str(each["thread_id"]): str(each["updated_at"]) for each in found}


def _is_stopping() -> bool:
    """Whether the web server was told to stop: it waits for every response to end, and a stream has no end of its own."""
    owner = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    return bool(getattr(owner, "should_exit", False))


async def stream(feed: EventFeed) -> AsyncIterator[str]:
    """The events as a browser's `EventSource` reads them."""
    yield "retry: 2000\n\n"
    quiet = 0
    async with contextlib.aclosing(feed.listen()) as heard:
        async for event in heard:
            if event is not None:
                yield f"event: {event[0]}\ndata: {json.dumps(event[1])}\n\n"
            quiet = quiet + 1 if event is None else 0
            if quiet == 30:  # A tab that is gone is noticed when it is written to.
                quiet = 0
                yield ":\n\n"


@dataclass
class PageServices:
    """The server that the page is part of; nothing is opened before the first request."""

    container: Callable[[], Awaitable[Container]]
    client: Callable[[], Awaitable[LangGraphClient]]
    """A client of this very server, which needs no key."""
    releasing: AnswerRelease = field(init=False)
    """The answers that are held, and the task that gives them to their cards."""
    events: EventFeed = field(init=False)
    _sessions: Sessions | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.releasing = AnswerRelease(self.container, self.client)
        self.events = EventFeed(self.container, self.client)

    async def sessions(self) -> Sessions:
        """Who is in."""
        if self._sessions is None:
            built = await self.container()
            token = built.settings.api_token
            self._sessions = Sessions(token.get_secret_value() if token else "", built.clock)
        return self._sessions
