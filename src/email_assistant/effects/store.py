"""The outbox table: each method is one transaction.

An effect before it is done: what it is known by, who does it, and why it may not be.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, Update, bindparam, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.errors import EmailAssistantError, UncertainError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.records import NOBODY, Doer, OutboxRow, OutboxStatus
from email_assistant.journal.sql import JsonValue, Rows, check_keys, hold, insert_or_ignore
from email_assistant.journal.tables import OUTBOX as TABLE

MAX_PART = 200
"""Bytes that a part of a key may have and be told as it is."""


class ActionChangedError(EmailAssistantError):
    """An action id came back with other content than is on record: what was approved is what is done."""


class DoneElsewhereError(EmailAssistantError):
    """Another run has done, or begun, the same kind of thing on the same subject; nothing was done now."""

    def __init__(self, rows: Sequence[OutboxRow]) -> None:
        """`rows` are what the others did, oldest first."""
        super().__init__(f"{rows[0].kind} was done or begun on the same subject by another run")
        self.rows = tuple(rows)


class UnresolvedEffectError(UncertainError):
    """Nobody can tell whether the effect happened; a person must look before it is repeated."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"{kind} may or may not have happened: {reason}")
        self._reason = reason

    @property
    def reason(self) -> str:
        """What the provider says."""
        return self._reason


def digest_of(*about: str) -> str:
    """32 hexadecimal digits, the same for the same texts for ever: fit for a header or a label, and telling nothing of them."""
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


def subject_key(what: str, *about: str) -> str:
    """`what` and a digest of what it is about: short, however long the addresses and subjects in it are."""
    return f"{what}:{digest_of(*about)}"


def bounded(part: str) -> str:
    """The part of a key as it is, or a digest of it when it is long: ids come from mail, models and callers."""
    written = part.encode(errors="replace")
    return part if len(written) <= MAX_PART else f"sha256-{hashlib.sha256(written).hexdigest()}"


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


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_mapping)


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a payload is JSON, not {type(value).__name__}")


MAX_REASON = 2_000
"""Characters of a reason that are kept."""

_ROWS = Rows(TABLE, OutboxRow, status=OutboxStatus)


def selecting(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The rows that meet every condition, oldest first."""
    return _ROWS.select(*conditions).order_by(TABLE.c.id)


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
            return _ROWS.record((await connection.execute(OF_ACTION, {"of_action": effect.action_id})).one())

    @one_write
    async def begin_again(self, row: OutboxRow, effect: Intent) -> bool:
        """Record another attempt; False when somebody else has touched the row since it was read. Raises like `claim`."""
        had = {"had_attempts": row.attempts, "had_status": row.status}
        change = {"status": OutboxStatus.started, "attempts": row.attempts + 1, "reason": ""}
        async with self.database.begin() as connection:
            await hold(connection, effect.subject_key)
            await _check_alone(connection, effect)
            return await self._change(_UNTOUCHED, row.action_id, had | change)

    @one_write
    async def finish(self, action_id: str, result: JsonValue) -> None:
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
    async def rows(self, statement: Select[Any], of: Mapping[str, object]) -> list[OutboxRow]:
        """What a statement made by `selecting` finds for the values of its parameters, oldest first."""
        return await _ROWS.read(self.database, statement, dict(of))

    async def _change(self, statement: Update, action_id: str, change: Mapping[str, Any]) -> bool:
        values = {"of_action": action_id, **change, "updated_at": self.clock.now()}
        async with self.database.begin() as connection:
            return (await connection.execute(statement, values)).rowcount == 1


async def _check_alone(connection: AsyncConnection, effect: Intent) -> None:
    """Raises `DoneElsewhereError` when others have done or begun what this effect may not follow."""
    if effect.accepted is None:
        return
    of = {"of_subject": effect.subject_key, "of_kind": effect.kind}
    found = await _ROWS.all(connection, _BY_OTHERS, of | {"but": [effect.action_id, *effect.accepted]})
    if others := [row for row in found if not row.doer.is_work_of(effect.by)]:
        raise DoneElsewhereError(others)
