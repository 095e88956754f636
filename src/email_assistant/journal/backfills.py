"""Backfills: a whole account's mail as pieces of work, each leased to one process at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update

from email_assistant.clock import Clock
from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.journal.rows import NANO, Rows, dollars, dollars_if_known
from email_assistant.journal.statements import check_keys, insert_or_ignore
from email_assistant.journal.tables import BACKFILL_CHUNKS, BACKFILLS
from email_assistant.mail.mailbox import Listed

LEASE = timedelta(seconds=20)
"""How long a chunk is kept for a process that gives no sign of life."""
MAX_RACES = 50

_B, _C = BACKFILLS.c, BACKFILL_CHUNKS.c


class BackfillState(StrEnum):
    """What a backfill's workers are to do."""

    running = "running"
    paused = "paused"
    """A person asked for a pause."""
    over_budget = "over_budget"
    """The cost limit is reached."""
    done = "done"
    cancelled = "cancelled"


ENDED = (BackfillState.done, BackfillState.cancelled)


@dataclass(frozen=True, slots=True)
class Backfill:
    """One backfill. Times are aware and in UTC."""

    id: int
    mailbox: str
    graph: str
    state: BackfillState
    after: datetime | None
    """Only mail received at or after it."""
    before: datetime
    """Only mail received before it; when it was started, unless something else was asked for."""
    cost_limit_usd: Decimal | None
    planned: bool
    """Whether all of its chunks are known."""
    started_at: datetime
    ended_at: datetime | None


_BACKFILLS = Rows(
    BACKFILLS,
    Backfill,
    renamed={"cost_limit_usd": "cost_limit_nano_usd"},
    cost_limit_usd=dollars_if_known,
    state=BackfillState,
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Messages that one worker settles."""

    backfill_id: int
    position: int
    messages: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a backfill has come."""

    total: int = 0
    """Messages of all chunks."""
    settled: int = 0
    chunks: int = 0
    done_chunks: int = 0
    cost_usd: Decimal = Decimal(0)
    """Of the chunks that are done."""
    workers: int = 0
    """Processes that hold a chunk now."""
    begun: tuple[tuple[str, ...], ...] = ()
    """The message ids of each chunk that was begun and is not done."""


@dataclass(frozen=True)
class Backfills:
    """The tables of the backfills."""

    database: Database
    clock: Clock

    async def open(
        self, mailbox: str, graph: str, *, after: datetime | None = None, before: datetime | None = None
    ) -> Backfill:
        """The mailbox's unfinished backfill for this graph, or a new one.

        Raises `InputError` when the unfinished one has another selection than the one asked for.
        """
        check_keys(mailbox=mailbox, graph=graph)
        now = self.clock.now()
        row = {
            "mailbox": mailbox, "graph": graph, "state": BackfillState.running, "after": after,
            "before": before or now, "planned": False, "planner": "", "started_at": now,
        }  # fmt: skip
        async with self.database.begin() as connection:
            new = await insert_or_ignore(connection, BACKFILLS, row)
        found = await self.current(mailbox, graph)
        if found is None:  # Ended between the two statements: the caller's next attempt starts a new one.
            raise InputError("the backfill has just ended; start it again for a new one")
        if not new and ((after and after != found.after) or (before and before != found.before)):
            raise InputError(
                f"a backfill of {described(found)} is not finished: go on with `email-assistant organize resume`, or end "
                "it with `email-assistant organize cancel`"
            )
        return found

    async def current(self, mailbox: str, graph: str) -> Backfill | None:
        """The unfinished backfill, or None."""
        return await self._one(and_(_B.mailbox == mailbox, _B.graph == graph, _B.ended_at.is_(None)))

    async def latest(self, mailbox: str, graph: str) -> Backfill | None:
        """The backfill started last, finished or not; None when there was none."""
        return await self._one(and_(_B.mailbox == mailbox, _B.graph == graph))

    async def get(self, backfill_id: int) -> Backfill:
        """One backfill as it is now."""
        found = await self._one(_B.id == backfill_id)
        if found is None:
            raise InputError(f"there is no backfill {backfill_id}")
        return found

    async def set_state(self, backfill: Backfill, state: BackfillState) -> bool:
        """Tell its workers what to do; False when it has ended already. An ended one frees its place."""
        change: dict[str, Any] = {"state": state}
        if state in ENDED:
            change["ended_at"] = self.clock.now()
        return await self._update(BACKFILLS, and_(_B.id == backfill.id, _B.ended_at.is_(None)), change)

    async def set_cost_limit(self, backfill: Backfill, limit_usd: Decimal | None) -> None:
        """Stop when it has cost this much, in US dollars."""
        nano = None if limit_usd is None else int(limit_usd * NANO)
        await self._update(BACKFILLS, _B.id == backfill.id, {"cost_limit_nano_usd": nano})

    async def lease_plan(self, backfill: Backfill, worker: str) -> bool:
        """Whether this worker is the one to list the mail; what a former one has listed in part is dropped."""
        now = self.clock.now()
        free = or_(_B.planner_until.is_(None), _B.planner_until < now, _B.planner == worker)
        change = {"planner": worker, "planner_until": now + LEASE}
        async with self.database.begin() as connection:
            mine = and_(_B.id == backfill.id, ~_B.planned, free)
            leased = (await connection.execute(update(BACKFILLS).where(mine).values(change))).rowcount == 1
            if leased:
                await connection.execute(delete(BACKFILL_CHUNKS).where(_C.backfill_id == backfill.id))
        return leased

    async def renew_plan(self, backfill: Backfill, worker: str) -> bool:
        """Keep the plan; False when it is another worker's by now, or complete."""
        change = {"planner_until": self.clock.now() + LEASE}
        return await self._update(BACKFILLS, _planning(backfill, worker), change)

    async def add_chunk(
        self, backfill: Backfill, worker: str, position: int, messages: Sequence[Listed]
    ) -> bool:
        """Put a piece of work on the list; False when the plan is not this worker's any more."""
        row = {
            "backfill_id": backfill.id, "position": position, "size": len(messages), "settled": 0, "worker": "",
            "messages": [[each.id, each.mail_thread_id] for each in messages],
        }  # fmt: skip
        async with self.database.begin() as connection:
            mine = _planning(backfill, worker)
            renew = update(BACKFILLS).where(mine).values(planner_until=self.clock.now() + LEASE)
            if (await connection.execute(renew)).rowcount != 1:
                return False
            await connection.execute(BACKFILL_CHUNKS.insert().values(row))
        return True

    async def planned(self, backfill: Backfill, worker: str) -> bool:
        """The list is complete; False when the plan is not this worker's any more."""
        mine = _planning(backfill, worker)
        return await self._update(BACKFILLS, mine, {"planned": True, "planner": "", "planner_until": None})

    async def lease(self, backfill: Backfill, worker: str) -> Chunk | None:
        """The first chunk that nobody works on, now this worker's; None when there is none."""
        for _ in range(MAX_RACES):
            now = self.clock.now()
            free = and_(
                _C.backfill_id == backfill.id,
                _C.done_at.is_(None),
                or_(_C.leased_until.is_(None), _C.leased_until < now),
            )
            first = select(_C.position, _C.messages).where(free).order_by(_C.position).limit(1)
            async with self.database.read() as connection:
                row = (await connection.execute(first)).first()
            if row is None:
                return None
            change = {"worker": worker, "leased_until": now + LEASE}
            if await self._update(BACKFILL_CHUNKS, and_(free, _C.position == row.position), change):
                return Chunk(backfill.id, row.position, tuple(Listed(*each) for each in row.messages))
        return None

    async def renew(self, chunk: Chunk, worker: str, settled: int) -> bool:
        """Keep the chunk, and say how many of its messages are settled; False when it is another worker's by now."""
        change = {"leased_until": self.clock.now() + LEASE, "settled": settled}
        return await self._update(BACKFILL_CHUNKS, _held(chunk, worker), change)

    async def release(self, chunk: Chunk, worker: str) -> None:
        """Leave the rest of the chunk to whoever comes next."""
        await self._update(BACKFILL_CHUNKS, _held(chunk, worker), {"worker": "", "leased_until": None})

    async def finish(self, chunk: Chunk, worker: str, cost_usd: Decimal) -> bool:
        """All of the chunk's messages are settled; False when it is another worker's by now."""
        change = {
            "worker": "", "leased_until": None, "settled": _C.size, "done_at": self.clock.now(),
            "cost_nano_usd": int(cost_usd * NANO),
        }  # fmt: skip
        return await self._update(BACKFILL_CHUNKS, _held(chunk, worker), change)

    async def standing(self, backfill: Backfill) -> Standing:
        """How far it has come, of all its workers together."""
        mine = _C.backfill_id == backfill.id
        begun = and_(mine, _C.done_at.is_(None), or_(_C.settled > 0, _C.worker != ""))
        now = self.clock.now()
        sums = select(
            func.coalesce(func.sum(_C.size), 0).label("total"),
            func.coalesce(func.sum(_C.settled), 0).label("settled"),
            func.count().label("chunks"),
            func.count(_C.done_at).label("done_chunks"),
            func.coalesce(func.sum(_C.cost_nano_usd), 0).label("nano"),
        ).where(mine)
        async with self.database.read() as connection:
            row = (await connection.execute(sums)).one()._asdict()
            open_chunks = (await connection.execute(select(_C.messages, _C.leased_until).where(begun))).all()
        nano = row.pop("nano")
        return Standing(
            **{name: int(value) for name, value in row.items()},
            cost_usd=dollars(nano),
            workers=sum(1 for each in open_chunks if each.leased_until and each.leased_until >= now),
            begun=tuple(tuple(message for message, _ in each.messages) for each in open_chunks),
        )

    async def _one(self, condition: ColumnElement[bool]) -> Backfill | None:
        statement = _BACKFILLS.select(condition).order_by(_B.id.desc()).limit(1)
        async with self.database.read() as connection:
            return await _BACKFILLS.first(connection, statement)

    async def _update(self, table: Any, condition: ColumnElement[bool], change: Mapping[str, Any]) -> bool:
        async with self.database.begin() as connection:
            return bool(
                (await connection.execute(update(table).where(condition).values(change))).rowcount == 1
            )


def described(backfill: Backfill) -> str:
    """What it takes in, in words."""
    since = f"from {backfill.after:%Y-%m-%d %H:%M} UTC " if backfill.after else ""
    return f"the mail {since}up to {backfill.before:%Y-%m-%d %H:%M} UTC"


def _planning(backfill: Backfill, worker: str) -> ColumnElement[bool]:
    return and_(_B.id == backfill.id, ~_B.planned, _B.planner == worker)


def _held(chunk: Chunk, worker: str) -> ColumnElement[bool]:
    mine = and_(_C.backfill_id == chunk.backfill_id, _C.position == chunk.position)
    return and_(mine, _C.worker == worker, _C.done_at.is_(None))
