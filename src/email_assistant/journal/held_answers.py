"""Answers that were given on the review page: each waits here until it is due, so that it can be taken back."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, and_, func, update

from email_assistant.clock import UNTOLD, Clock, Uptime
from email_assistant.errors import NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_read, one_write
from email_assistant.journal.sql import Rows, insert_or_ignore
from email_assistant.journal.tables import HELD_ANSWERS


class AnswerState(StrEnum):
    """How far an answer is; all but the first two are ends."""

    held = "held"
    working = "working"
    done = "done"
    undone = "undone"
    """Taken back before it was due; or what it did, where that could be undone."""
    dropped = "dropped"
    """The server had stopped, and came back too late."""
    changed = "changed"
    """The card was another one by then."""
    elsewhere = "elsewhere"
    """The card was answered in another way by then."""
    not_taken = "not_taken"
    """The card is asked again."""
    failed = "failed"


OPEN = (AnswerState.held, AnswerState.working)
MOST = 500
"""Answers that are read at once, unless more are asked for."""


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """An answer to the card of that digest, and no other."""

    id: str
    run_thread_id: str
    interrupt_id: str
    digest: str
    answer: Mapping[str, Any]
    """As the graph is told."""
    shown: Mapping[str, Any]
    """How a page names the answer; with "uptime" when it was held."""
    due: datetime


@dataclass(frozen=True, slots=True)
class HeldAnswer(NewAnswer):
    """An answer, and what has become of it."""

    state: AnswerState
    why: str
    """For a person; "" when there is nothing to say."""
    following: Mapping[str, Any]
    """The card that came of it; {} for none."""
    given_at: datetime
    begun_at: datetime | None
    """When it was given to its run first."""
    run_id: str
    """The run that it was given to last; "" for none."""
    ended_at: datetime | None

    @property
    def is_open(self) -> bool:
        """Whether something is yet to come of it."""
        return self.state in OPEN


_ANSWERS = Rows(HELD_ANSWERS, HeldAnswer, state=AnswerState)
_C = HELD_ANSWERS.c
_IS_HELD = _C.state == AnswerState.held
_NOT_BEGUN = and_(_IS_HELD, _C.begun_at.is_(None))


@dataclass(frozen=True)
class HeldAnswers:
    """The answers. A card has one that is open, at most."""

    database: Database
    clock: Clock
    uptime: Callable[[], Uptime] = lambda: UNTOLD

    def left(self, answer: HeldAnswer) -> float:
        """The seconds until it is due, below 0 when it is overdue: by the time that has passed, whatever the clock was set to meanwhile.

        Across a start of the machine there is the clock alone, which makes no hold longer than it was.
        """
        hold = (answer.due - answer.given_at).total_seconds()
        boot, given = answer.shown.get("uptime") or UNTOLD
        here, now = self.uptime()
        if boot and boot == here:
            return hold - (now - given)
        return min(hold, (answer.due - self.clock.now()).total_seconds())

    @one_write
    async def hold(self, new: NewAnswer) -> HeldAnswer:
        """The answer, held; the one that its card has already, when it has one."""
        start = {
            "state": AnswerState.held,
            "why": "",
            "following": {},
            "run_id": "",
            "given_at": self.clock.now(),
            "shown": {**new.shown, "uptime": list(self.uptime())},
        }
        async with self.database.begin() as connection:
            await insert_or_ignore(connection, HELD_ANSWERS, asdict(new) | start)
        same_card = (_C.run_thread_id == new.run_thread_id, _C.interrupt_id == new.interrupt_id)
        (found,) = await self._find(*same_card, _C.state.in_(OPEN))
        return found

    @one_write
    async def undo(self, answer_id: str) -> HeldAnswer:
        """Take the answer back if it has not been given to its run; the answer as it is then. `NotFoundError` for an unknown id."""
        undone = {"state": AnswerState.undone, "ended_at": self.clock.now()}
        await self._change(_C.id == answer_id, _NOT_BEGUN, **undone)
        return await self.get(answer_id)

    @one_write
    async def taken_back(self, answer_id: str, why: str) -> None:
        """What this answer did was undone."""
        is_done = _C.state == AnswerState.done
        await self._change(_C.id == answer_id, is_done, state=AnswerState.undone, why=why)

    @one_write
    async def hurry(self, answer_id: str) -> HeldAnswer:
        """Let the answer be due now; the answer as it is then. `NotFoundError` for an unknown id."""
        await self._change(_C.id == answer_id, _IS_HELD, _C.due > _C.given_at, due=_C.given_at)
        return await self.get(answer_id)

    @one_write
    async def take_due(self) -> list[HeldAnswer]:
        """The answers that are due, now at work; each is given to one caller. `begun_at` is of an earlier try, None for the first."""
        begin = {"state": AnswerState.working, "begun_at": func.coalesce(_C.begun_at, self.clock.now())}
        due = [each for each in await self._find(_IS_HELD) if self.left(each) <= 0]
        return [each for each in due if await self._change(_C.id == each.id, _IS_HELD, **begin)]

    @one_write
    async def given(self, answer_id: str, run_id: str) -> None:
        """The answer was given to this run."""
        await self._change(_C.id == answer_id, run_id=run_id)

    @one_write
    async def end(
        self, answer_id: str, state: AnswerState, why: str = "", following: Mapping[str, Any] | None = None
    ) -> None:
        """What became of an answer that was at work."""
        at_work = and_(_C.id == answer_id, _C.state == AnswerState.working)
        await self._end(at_work, state, why, following)

    @one_write
    async def overtake(
        self, answer_id: str, state: AnswerState, why: str, following: Mapping[str, Any] | None = None
    ) -> None:
        """Why an answer that is held can come to nothing any more."""
        await self._end(and_(_C.id == answer_id, _NOT_BEGUN), state, why, following)

    @one_write
    async def take_up(self) -> None:
        """What a server before this one was at work on is due again."""
        await self._change(_C.state == AnswerState.working, state=AnswerState.held)

    @one_read
    async def next_left(self) -> float | None:
        """The seconds until the next answer is due; None when none is held."""
        return min(map(self.left, await self._find(_IS_HELD)), default=None)

    async def waiting(self) -> list[HeldAnswer]:
        """The answers that are held, and no server has been at work on."""
        return await self._find(_NOT_BEGUN)

    async def get(self, answer_id: str) -> HeldAnswer:
        """One answer; raises `NotFoundError`."""
        found = await self._find(_C.id == answer_id)
        if not found:
            raise NotFoundError("There is no answer of that id.")
        return found[0]

    async def since(self, instant: datetime, *, limit: int = MOST) -> list[HeldAnswer]:
        """The answers that are open, or were given or came to an end since, newest first."""
        # One of yesterday that a server could not give to its run before today has failed today.
        lately = (_C.given_at >= instant) | (_C.ended_at >= instant)
        return await self._find(_C.state.in_(OPEN) | lately, limit=limit)

    async def _find(self, *conditions: ColumnElement[bool], limit: int = MOST) -> list[HeldAnswer]:
        query = _ANSWERS.select(*conditions).order_by(_C.given_at.desc(), _C.id).limit(limit)
        return await _ANSWERS.read(self.database, query)

    async def _end(
        self, which: ColumnElement[bool], state: AnswerState, why: str, following: Mapping[str, Any] | None
    ) -> None:
        came = dict(following or {})
        await self._change(which, state=state, why=why, following=came, ended_at=self.clock.now())

    async def _change(self, *conditions: ColumnElement[bool], **values: Any) -> int:
        """How many answers it has changed."""
        statement = update(HELD_ANSWERS).where(*conditions).values(values)
        async with self.database.begin() as connection:
            return (await connection.execute(statement)).rowcount
