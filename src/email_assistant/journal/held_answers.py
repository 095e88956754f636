"""Answers that were given on the review page: each waits here until it is due, so that it can be taken back (docs/adr/0039)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, func, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import UNTOLD, Clock, Uptime
from email_assistant.errors import NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_read, one_write
from email_assistant.journal.rows import Rows
from email_assistant.journal.statements import insert_or_ignore
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
            c = HELD_ANSWERS.c
            same = (
                c.run_thread_id == new.run_thread_id,
                c.interrupt_id == new.interrupt_id,
                c.state.in_(OPEN),
            )
            (found,) = await _found(connection, *same)
            return found

    @one_write
    async def undo(self, answer_id: str) -> HeldAnswer:
        """Take the answer back if it has not been given to its run; the answer as it is then. `NotFoundError` for an unknown id."""
        change = {"state": AnswerState.undone, "ended_at": self.clock.now()}
        async with self.database.begin() as connection:
            c = HELD_ANSWERS.c
            of_it = (c.id == answer_id, c.state == AnswerState.held, c.begun_at.is_(None))
            await connection.execute(update(HELD_ANSWERS).where(*of_it).values(change))
        return await self.get(answer_id)

    @one_write
    async def taken_back(self, answer_id: str, why: str) -> None:
        """What this answer did was undone."""
        async with self.database.begin() as connection:
            c = HELD_ANSWERS.c
            of_it = (c.id == answer_id, c.state == AnswerState.done)
            await connection.execute(
                update(HELD_ANSWERS).where(*of_it).values(state=AnswerState.undone, why=why)
            )

    @one_write
    async def hurry(self, answer_id: str) -> HeldAnswer:
        """Let the answer be due now; the answer as it is then. `NotFoundError` for an unknown id."""
        async with self.database.begin() as connection:
            c = HELD_ANSWERS.c
            of_it = (c.id == answer_id, c.state == AnswerState.held, c.due > c.given_at)
            await connection.execute(update(HELD_ANSWERS).where(*of_it).values(due=c.given_at))
        return await self.get(answer_id)

    @one_write
    async def take_due(self) -> list[HeldAnswer]:
        """The answers that are due, now at work; each is given to one caller. `begun_at` is of an earlier try, None for the first."""
        now = self.clock.now()
        async with self.database.begin() as connection:
            c = HELD_ANSWERS.c
            due = [
                each for each in await _found(connection, c.state == AnswerState.held) if self.left(each) <= 0
            ]
            begin = {"state": AnswerState.working, "begun_at": func.coalesce(c.begun_at, now)}
            taken = []
            for each in due:
                of_it = (c.id == each.id, c.state == AnswerState.held)
                if (await connection.execute(update(HELD_ANSWERS).where(*of_it).values(begin))).rowcount:
                    taken.append(each)
            return taken

    @one_write
    async def given(self, answer_id: str, run_id: str) -> None:
        """The answer was given to this run."""
        async with self.database.begin() as connection:
            of_it = HELD_ANSWERS.c.id == answer_id
            await connection.execute(update(HELD_ANSWERS).where(of_it).values(run_id=run_id))

    @one_write
    async def end(
        self, answer_id: str, state: AnswerState, why: str = "", following: Mapping[str, Any] | None = None
    ) -> None:
        """What became of an answer that was at work."""
        at_work = (HELD_ANSWERS.c.state == AnswerState.working,)
        await self._end(answer_id, at_work, state, why, following)

    @one_write
    async def overtake(
        self, answer_id: str, state: AnswerState, why: str, following: Mapping[str, Any] | None = None
    ) -> None:
        """Why an answer that is held can come to nothing any more."""
        c = HELD_ANSWERS.c
        held = (c.state == AnswerState.held, c.begun_at.is_(None))
        await self._end(answer_id, held, state, why, following)

    async def _end(
        self,
        answer_id: str,
        conditions: Sequence[ColumnElement[bool]],
        state: AnswerState,
        why: str,
        following: Mapping[str, Any] | None,
    ) -> None:
        change = {
            "state": state,
            "why": why,
            "following": dict(following or {}),
            "ended_at": self.clock.now(),
        }
        of_it = update(HELD_ANSWERS).where(HELD_ANSWERS.c.id == answer_id, *conditions)
        async with self.database.begin() as connection:
            await connection.execute(of_it.values(change))

    @one_write
    async def take_up(self) -> None:
        """What a server before this one was at work on is due again."""
        async with self.database.begin() as connection:
            at_work = HELD_ANSWERS.c.state == AnswerState.working
            await connection.execute(update(HELD_ANSWERS).where(at_work).values(state=AnswerState.held))

    @one_read
    async def next_left(self) -> float | None:
        """The seconds until the next answer is due; None when none is held."""
        async with self.database.read() as connection:
            found = await _found(connection, HELD_ANSWERS.c.state == AnswerState.held)
        return min(map(self.left, found), default=None)

    async def waiting(self) -> list[HeldAnswer]:
        """The answers that are held, and no server has been at work on."""
        async with self.database.read() as connection:
            c = HELD_ANSWERS.c
            return await _found(connection, c.state == AnswerState.held, c.begun_at.is_(None))

    async def get(self, answer_id: str) -> HeldAnswer:
        """One answer; raises `NotFoundError`."""
        async with self.database.read() as connection:
            found = await _found(connection, HELD_ANSWERS.c.id == answer_id)
        if not found:
            raise NotFoundError("There is no answer of that id.")
        return found[0]

    async def since(self, instant: datetime, *, limit: int = 500) -> list[HeldAnswer]:
        """The answers that are open or were given since, newest first."""
        async with self.database.read() as connection:
            c = HELD_ANSWERS.c
            return await _found(connection, c.state.in_(OPEN) | (c.given_at >= instant), limit=limit)


async def _found(
    connection: AsyncConnection, *conditions: ColumnElement[bool], limit: int = 500
) -> list[HeldAnswer]:
    newest = HELD_ANSWERS.c.given_at.desc()
    query = _ANSWERS.select(*conditions).order_by(newest, HELD_ANSWERS.c.id).limit(limit)
    return await _ANSWERS.all(connection, query)
