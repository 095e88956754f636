"""Which message is where: claimed once, and never silently lost."""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import ColumnElement, and_, bindparam, case, func, select, update

from email_assistant.clock import Clock
from email_assistant.errors import NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.journal.sql import Rows, check_keys, chunks, clean, insert_or_ignore, plain
from email_assistant.journal.tables import MAIL

PAGE = 200
"""Records read at once; each holds the whole conversation its run was started with."""
MAX_ATTEMPTS = 3
MAX_REASON = 2_000
"""Characters of a reason that are kept."""
NEEDS = (
    MailStatus.waiting_review,
    MailStatus.dead_letter,
    MailStatus.needs_review,
    MailStatus.processing,
    MailStatus.claimed,
    MailStatus.done,
    MailStatus.ignored,
    MailStatus.superseded,
)
"""Every condition, the one first in which a message needs somebody most."""
PROCESSED = (MailStatus.waiting_review, MailStatus.done, MailStatus.ignored)

_RECORDS = Rows(MAIL, MailRecord, status=MailStatus)
_OF_THREAD = _RECORDS.select(MAIL.c.run_thread_id == bindparam("of_thread")).order_by(MAIL.c.id.desc())
_SET = update(MAIL).where(
    MAIL.c.mailbox == bindparam("of_mailbox"),
    MAIL.c.message_id == bindparam("of_message"),
    MAIL.c.graph == bindparam("of_graph"),
)
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class MailLog:
    """The mail table."""

    database: Database
    clock: Clock

    async def claim(self, record: MailRecord) -> bool:
        """Record the message; True for the one caller, of all processes, that was first. Sets the times.

        Raises `InputError` for an empty or too long key.
        """
        (claimed,) = await self.claim_all([record])
        return claimed

    @one_write
    async def claim_all(self, records: Sequence[MailRecord]) -> list[bool]:
        """`claim` for each, all of them or, when it fails, none; what is claimed with a final status is settled at once."""
        for record in records:
            check_keys(mailbox=record.mailbox, message_id=record.message_id, graph=record.graph)
        times = dict.fromkeys(("claimed_at", "updated_at"), self.clock.now())
        claimed = []
        async with self.database.begin() as connection:
            for record in records:
                values = {"email_input": plain(record.email_input), "reason": _short(record.reason)}
                row = asdict(record) | times | values
                claimed.append(await insert_or_ignore(connection, MAIL, row))
        return claimed

    @one_write
    async def set_status(
        self,
        mailbox: str,
        message_id: str,
        graph: str,
        status: MailStatus,
        *,
        reason: str = "",
        outcome: str = "",
    ) -> None:
        """Move a message on, replacing reason and outcome; `NotFoundError` when it was never claimed."""
        of = {"of_mailbox": mailbox, "of_message": message_id, "of_graph": graph}
        change = {
            "status": status,
            "reason": _short(reason),
            "outcome": outcome,
            "updated_at": self.clock.now(),
        }
        async with self.database.begin() as connection:
            changed = await connection.execute(_SET, of | change)
            if changed.rowcount == 0:
                raise NotFoundError(f"no claimed message {message_id!r} for {graph}")

    @one_write
    async def note(self, record: MailRecord, reason: str) -> None:
        """Say something of a message that waits for an answer; nothing where it was answered since."""
        is_waiting = and_(_is_record(record), MAIL.c.status == MailStatus.waiting_review)
        async with self.database.begin() as connection:
            change = {"reason": _short(reason), "updated_at": self.clock.now()}
            await connection.execute(update(MAIL).where(is_waiting).values(change))

    @one_write
    async def begin_all(self, records: Sequence[MailRecord]) -> list[bool]:
        """Move claimed messages to `processing`; True for those that this caller, of all processes, is to start."""
        return await self._move(records, lambda _: MAIL.c.status == MailStatus.claimed)

    @one_write
    async def take_over(self, record: MailRecord) -> bool:
        """Move a message that was left unsettled to `processing`; True for the one caller that runs it again.

        False when anybody has touched the message since `record` was read.
        """
        (taken,) = await self._move([record], lambda r: MAIL.c.updated_at == r.updated_at)
        return taken

    @one_write
    async def reopen(self, record: MailRecord) -> None:
        """Let a message that was settled be dealt with once more, from its first attempt on."""
        now = self.clock.now()
        change = {
            "status": MailStatus.claimed,
            "outcome": "",
            "reason": "",
            "attempts": 0,
            "email_input": plain(record.email_input),
            "claimed_at": now,
            "updated_at": now,
        }
        async with self.database.begin() as connection:
            await connection.execute(update(MAIL).where(_is_record(record)).values(change))

    async def get(self, mailbox: str, message_id: str, graph: str) -> MailRecord | None:
        """The message's record, or None."""
        found = await self._records(_is(mailbox, message_id, graph))
        return found[0] if found else None

    async def elsewhere(self, mailbox: str, message_id: str, graph: str) -> list[MailRecord]:
        """Its records in other graphs, but those that have left it to another one."""
        same = and_(MAIL.c.mailbox == mailbox, MAIL.c.message_id == message_id, MAIL.c.graph != graph)
        return await self._records(and_(same, MAIL.c.status != MailStatus.superseded))

    async def in_row(self, number: int) -> MailRecord | None:
        """The record of that row, or None."""
        found = await self._records(MAIL.c.id == number)
        return found[0] if found else None

    @one_read
    async def by_run_thread(self, run_thread_id: str) -> list[MailRecord]:
        """The messages a run thread has dealt with, the one claimed last first."""
        return await _RECORDS.read(self.database, _OF_THREAD, {"of_thread": run_thread_id})

    @one_read
    async def graphs_on(self, run_thread_ids: Iterable[str]) -> dict[str, frozenset[str]]:
        """Which graphs have worked on each of the run threads; unknown threads are left out."""
        found: dict[str, set[str]] = {}
        statement = select(MAIL.c.run_thread_id, MAIL.c.graph).distinct()
        async with self.database.read() as connection:
            for some in chunks(run_thread_ids):
                for row in await connection.execute(statement.where(MAIL.c.run_thread_id.in_(some))):
                    found.setdefault(row.run_thread_id, set()).add(row.graph)
        return {thread: frozenset(graphs) for thread, graphs in found.items()}

    async def with_status(self, *statuses: MailStatus, limit: int = 100) -> list[MailRecord]:
        """Up to `limit` messages in one of these conditions, the one claimed first first."""
        return await self._records(MAIL.c.status.in_(statuses), limit=limit)

    async def each_with_status(self, *statuses: MailStatus) -> AsyncIterator[list[MailRecord]]:
        """Every message in one of these conditions, some at a time, the one claimed first first."""
        after = 0
        while True:
            condition = and_(MAIL.c.status.in_(statuses), MAIL.c.id > after)
            statement = _RECORDS.select(condition).add_columns(MAIL.c.id).order_by(MAIL.c.id).limit(PAGE)
            async with self.database.read() as connection:
                rows = (await connection.execute(statement)).all()
            if not rows:
                return
            after = rows[-1].id
            yield [_RECORDS.record(row) for row in rows]

    async def count_by_status(self, taken_up_since: datetime | None = None) -> dict[MailStatus, int]:
        """How many messages are in which condition, of all or of those a run was to begin for since; conditions with none are left out.

        A message that several graphs deal with counts once, where it most needs somebody (the order of `NEEDS`).
        """
        rank = case({status.value: at for at, status in enumerate(NEEDS)}, value=MAIL.c.status)
        ranked = select(func.min(rank).label("rank")).group_by(MAIL.c.mailbox, MAIL.c.message_id)
        if taken_up_since:
            ranked = ranked.where(MAIL.c.claimed_at >= taken_up_since, MAIL.c.email_input.is_not(None))
        first = ranked.subquery()
        statement = select(first.c.rank, func.count()).group_by(first.c.rank)
        async with self.database.read() as connection:
            counts = {NEEDS[rank]: number for rank, number in await connection.execute(statement)}
        return {status: counts[status] for status in MailStatus if status in counts}

    async def known(self, mailbox: str, ids: Iterable[str], *graphs: str) -> set[str]:
        """Those of the message ids that were claimed, by one of the graphs, or by any when none is named."""
        claimed = select(MAIL.c.message_id).where(MAIL.c.mailbox == mailbox)
        if graphs:
            claimed = claimed.where(MAIL.c.graph.in_(graphs))
        found: set[str] = set()
        async with self.database.read() as connection:
            for some in chunks(ids):
                stored = set((await connection.execute(claimed.where(MAIL.c.message_id.in_(some)))).scalars())
                found |= {each for each in some if clean(each) in stored}
        return found

    async def closed_because(
        self, mailbox: str, reasons: Collection[str], since: datetime
    ) -> list[MailRecord]:
        """Messages that were done for one of these reasons since then."""
        of_it = and_(MAIL.c.mailbox == mailbox, MAIL.c.reason.in_(reasons), MAIL.c.updated_at >= since)
        return await self._records(and_(of_it, MAIL.c.status == MailStatus.done))

    @one_read
    async def waiting_because(self, reasons: Collection[str]) -> dict[str, str]:
        """The reason of each run thread's message that waits for an answer, where it is one of these."""
        found = select(MAIL.c.run_thread_id, MAIL.c.reason).where(
            MAIL.c.status == MailStatus.waiting_review, MAIL.c.reason.in_(reasons)
        )
        async with self.database.read() as connection:
            return {row.run_thread_id: row.reason for row in await connection.execute(found)}

    async def last_processed(self) -> MailRecord | None:
        """The message most recently put before the human or finished; None when there is none."""
        order = (MAIL.c.updated_at.desc(), MAIL.c.id.desc())
        statement = _RECORDS.select(MAIL.c.status.in_(PROCESSED)).order_by(*order).limit(1)
        return await _RECORDS.read_first(self.database, statement)

    @one_write
    async def fail(
        self, mailbox: str, message_id: str, graph: str, reason: str, max_attempts: int = MAX_ATTEMPTS
    ) -> MailStatus:
        """Count a failed attempt: `needs_review` while attempts are left, then a dead letter.

        Raises `NotFoundError` for a message that was never claimed.
        """
        key = _is(mailbox, message_id, graph)
        change: dict[str, Any] = {"reason": _short(reason), "updated_at": self.clock.now()}
        async with self.database.begin() as connection:
            # The update locks the row, so what is read after it counts this attempt and no other's.
            await connection.execute(update(MAIL).where(key).values(**change, attempts=MAIL.c.attempts + 1))
            attempts = (await connection.execute(select(MAIL.c.attempts).where(key))).scalar()
            if attempts is None:
                raise NotFoundError(f"no claimed message {message_id!r} for {graph}")
            status = MailStatus.needs_review if attempts < max_attempts else MailStatus.dead_letter
            await connection.execute(update(MAIL).where(key).values(status=status))
        log.warning("mail_failed", message_id=message_id, graph=graph, attempts=attempts, status=status.value)
        return status

    async def replay(self, record: MailRecord) -> None:
        """Give a message that was given up fresh attempts: it is `claimed` again, ready to be started.

        Raises `NotFoundError` when it is no dead letter any more; so of two callers one succeeds.
        """
        revive = update(MAIL).where(_is_record(record), MAIL.c.status == MailStatus.dead_letter)
        fresh = {"status": MailStatus.claimed, "attempts": 0, "updated_at": self.clock.now()}
        async with self.database.begin() as connection:
            if (await connection.execute(revive.values(fresh))).rowcount == 0:
                raise NotFoundError(f"no dead letter {record.message_id!r} for {record.graph}")

    async def _move(
        self, records: Sequence[MailRecord], condition: Callable[[MailRecord], ColumnElement[bool]]
    ) -> list[bool]:
        change = {"status": MailStatus.processing, "updated_at": self.clock.now()}
        moved = []
        async with self.database.begin() as connection:
            for record in records:
                statement = update(MAIL).where(_is_record(record), condition(record)).values(change)
                moved.append((await connection.execute(statement)).rowcount == 1)
        return moved

    @one_read
    async def _records(self, condition: ColumnElement[bool], *, limit: int | None = None) -> list[MailRecord]:
        return await _RECORDS.read(self.database, _RECORDS.select(condition).order_by(MAIL.c.id).limit(limit))


def _is(mailbox: str, message_id: str, graph: str) -> ColumnElement[bool]:
    return and_(MAIL.c.mailbox == mailbox, MAIL.c.message_id == message_id, MAIL.c.graph == graph)


def _is_record(record: MailRecord) -> ColumnElement[bool]:
    return _is(record.mailbox, record.message_id, record.graph)


def _short(reason: str) -> str:
    return reason[:MAX_REASON]
