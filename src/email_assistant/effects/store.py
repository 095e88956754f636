"""The outbox table: each method is one transaction."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

from sqlalchemy import ColumnElement, Row, Select, Update, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.effects.errors import DoneElsewhereError
from email_assistant.effects.subjects import NOBODY, Doer
from email_assistant.journal.database import Database
from email_assistant.journal.json_values import JSON
from email_assistant.journal.one_go import one_read, one_write
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.journal.statements import check_keys, hold, insert_or_ignore
from email_assistant.journal.tables import OUTBOX as TABLE

MAX_REASON = 2_000
"""Characters of a reason that are kept."""

_COLUMNS = [TABLE.c[f.name] for f in fields(OutboxRow)]
NOTHING: Mapping[str, object] = {}


def selecting(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The rows that meet every condition, oldest first."""
    return select(*_COLUMNS).where(*conditions).order_by(TABLE.c.id)


_OF_ACTION_ID = TABLE.c.action_id == bindparam("of_action")
OF_ACTION = selecting(_OF_ACTION_ID)
_STARTED = update(TABLE).where(_OF_ACTION_ID, TABLE.c.status == OutboxStatus.started)
_NOT_DONE = update(TABLE).where(_OF_ACTION_ID, TABLE.c.status != OutboxStatus.done)
_UNTOUCHED = update(TABLE).where(
    _OF_ACTION_ID,
    TABLE.c.attempts == bindparam("had_attempts"),
    TABLE.c.status == bindparam("had_status"),
)
_BY_OTHERS = selecting(
    TABLE.c.subject_key == bindparam("of_subject"),
    TABLE.c.kind == bindparam("of_kind"),
    TABLE.c.action_id.not_in(bindparam("but", expanding=True)),
    TABLE.c.status.in_([OutboxStatus.started, OutboxStatus.done]),
)


@dataclass(frozen=True, slots=True)
class Intent:
    """What an action id stands for."""

    action_id: str
    kind: str
    subject_key: str
    payload: Mapping[str, Any]
    by: Doer = NOBODY
    accepted: Collection[str] | None = None
    """Ids of what others have done on the subject and this effect may follow; None when it may follow anything."""

    @property
    def content(self) -> dict[str, Any]:
        """The payload as it is stored; raises `TypeError` or `ValueError` when it is not JSON."""
        return cast(dict[str, Any], json.loads(_canonical(self.payload)))

    @property
    def digest(self) -> str:
        """Of everything but the id; raises like `content`."""
        return hashlib.sha256(_canonical([self.kind, self.subject_key, self.payload]).encode()).hexdigest()


@dataclass(frozen=True)
class OutboxStore:
    """Rows of the outbox."""

    database: Database
    clock: Clock

    @one_write
    async def claim(self, effect: Intent) -> OutboxRow | None:
        """Record that the effect is begun; None when it is ours, else the row that was there before.

        Raises `DoneElsewhereError`, with nothing recorded, when others have done what it may not follow.
        """
        check_keys(action_id=effect.action_id, kind=effect.kind, subject_key=effect.subject_key)
        now = self.clock.now()
        values = {
            "action_id": effect.action_id,
            "kind": effect.kind,
            "subject_key": effect.subject_key,
            "payload": effect.content,
            "payload_digest": effect.digest,
            "status": OutboxStatus.started,
            "reason": "",
            "attempts": 1,
            "started_at": now,
            "updated_at": now,
            "run_thread_id": effect.by.run_thread_id,
            "graph": effect.by.graph,
            "round": effect.by.round,
        }
        async with self.database.begin() as connection:
            await hold(connection, effect.subject_key)
            if await insert_or_ignore(connection, TABLE, values):
                await _check_alone(connection, effect)
                return None
            return _row((await connection.execute(OF_ACTION, {"of_action": effect.action_id})).one())

    @one_write
    async def begin_again(self, row: OutboxRow, effect: Intent | None = None) -> bool:
        """Record another attempt; False when somebody else has touched the row since it was read. Of an `effect` it raises like `claim`."""
        had = {"had_attempts": row.attempts, "had_status": row.status}
        change = {"status": OutboxStatus.started, "attempts": row.attempts + 1, "reason": ""}
        async with self.database.begin() as connection:
            if effect is not None:
                await hold(connection, effect.subject_key)
                await _check_alone(connection, effect)
            return await self._changed(connection, _UNTOUCHED, row.action_id, had | change)

    @one_write
    async def finish(self, action_id: str, result: JSON) -> None:
        """Record that the effect happened; the first result stays."""
        change = {"status": OutboxStatus.done, "result": result, "reason": ""}
        await self._change(_NOT_DONE, action_id, change)

    @one_write
    async def fail(self, action_id: str, reason: str) -> None:
        """Record that the effect did not happen and why; one that is done stays done."""
        change = {"status": OutboxStatus.failed, "reason": reason[:MAX_REASON]}
        await self._change(_STARTED, action_id, change)

    @one_write
    async def note(self, action_id: str, reason: str) -> None:
        """Record why an effect's end is not known."""
        await self._change(_STARTED, action_id, {"reason": reason[:MAX_REASON]})

    @one_read
    async def rows(self, statement: Select[Any], of: Mapping[str, object] = NOTHING) -> list[OutboxRow]:
        """What a statement made by `selecting` finds for the values of its parameters, oldest first."""
        async with self.database.read() as connection:
            return [_row(row) for row in await connection.execute(statement, dict(of))]

    async def _change(self, statement: Update, action_id: str, change: Mapping[str, Any]) -> bool:
        async with self.database.begin() as connection:
            return await self._changed(connection, statement, action_id, change)

    async def _changed(
        self, connection: AsyncConnection, statement: Update, action_id: str, change: Mapping[str, Any]
    ) -> bool:
        values = {"of_action": action_id, **change, "updated_at": self.clock.now()}
        changed = await connection.execute(statement, values)
        return changed.rowcount == 1


async def _check_alone(connection: AsyncConnection, effect: Intent) -> None:
    """Raises `DoneElsewhereError` when others have done or begun what this effect may not follow."""
    if effect.accepted is None:
        return
    of = {"of_subject": effect.subject_key, "of_kind": effect.kind}
    found = await connection.execute(_BY_OTHERS, of | {"but": [effect.action_id, *effect.accepted]})
    if others := [row for row in map(_row, found) if not doer_of(row).is_work_of(effect.by)]:
        raise DoneElsewhereError(others)


def doer_of(row: OutboxRow) -> Doer:
    """Whose effect it is."""
    return Doer(row.run_thread_id, row.graph, row.round)


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_mapping)


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a payload is JSON, not {type(value).__name__}")


def _row(row: Row[Any]) -> OutboxRow:
    values = row._asdict()
    return OutboxRow(**values | {"status": OutboxStatus(values["status"])})
