"""The outbox: an approved action is performed exactly once.

A row is written before the effect and marked done after it. A process that dies in between leaves a row
that is `started`; whoever performs the action next asks the provider (`reconcile`) before repeating anything.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Hashable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import structlog
from sqlalchemy import bindparam

from email_assistant.clock import Clock
from email_assistant.effects.store import (
    OF_ACTION,
    ActionChangedError,
    Intent,
    OutboxStore,
    UnresolvedEffectError,
    selecting,
)
from email_assistant.errors import InputError, NotFoundError, ProviderError, TransientError, UncertainError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import Work
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.journal.sql import JsonValue, plain
from email_assistant.journal.tables import OUTBOX as TABLE


@dataclass(frozen=True, slots=True)
class Happened:
    """The effect, whose end nobody saw, happened; `result` is what `do` would have returned."""

    result: JsonValue


@dataclass(frozen=True, slots=True)
class NotHappened:
    """It surely did not happen, so doing it is safe."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The provider cannot tell; `reason` is one sentence for the human."""

    reason: str


Reconciled: TypeAlias = Happened | NotHappened | Unknown

_IS_DONE = TABLE.c.status == OutboxStatus.done
_OF_SUBJECT = selecting(TABLE.c.subject_key == bindparam("of_subject"), TABLE.c.kind == bindparam("of_kind"))
_OF_ACTIONS = selecting(TABLE.c.action_id.in_(bindparam("of_actions", expanding=True)))
_OF_KINDS = selecting(TABLE.c.kind.in_(bindparam("of_kinds", expanding=True)))
_SENT = selecting(
    TABLE.c.result["sent_id"].as_string().in_(bindparam("of_messages", expanding=True)), _IS_DONE
)
_BEGUN = selecting(TABLE.c.status == OutboxStatus.started)
FORGOTTEN = "nothing was done: the run that began it was lost"

T = TypeVar("T")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effect has happened; `result` is JSON, the same for everyone who performs the action."""

    action_id: str
    result: JsonValue
    performed: bool
    """True when this call did it, False when it was done before."""


@dataclass(frozen=True)
class Outbox:
    """Performs effects, and answers which ones are on record."""

    database: Database
    clock: Clock

    @property
    def _store(self) -> OutboxStore:
        return OutboxStore(self.database, self.clock)

    async def perform(
        self,
        effect: Intent,
        do: Callable[[], Awaitable[JsonValue]],
        reconcile: Callable[[], Awaitable[Reconciled]],
    ) -> Outcome:
        """Do the effect unless it was done; who comes second in this process waits and gets that result.

        Two processes that perform one action at the very same moment are not kept apart here: the second
        finds the row started and reconciles while the first is still at it. There the provider's own
        de-duplication (send by draft id, an event id chosen by us) is the last guard.

        When `do` raises `InputError`, `NotFoundError` or a `ProviderError` that is not transient, nothing was
        done and the row is `failed`; a later call may try again. After an `UncertainError`, or any other exception, nobody knows, the
        row stays `started`, and the next call reconciles. Every exception is passed on.

        Where the effect has `accepted`, its subject is claimed with the row: of all runs and processes that are at this kind of
        thing on it, one begins, and every other one but those that name its action id in `accepted` gets a `DoneElsewhereError`.

        Raises `ActionChangedError` when the id is on record with another kind, subject or payload,
        `UnresolvedEffectError` when the provider cannot tell whether it happened.
        """
        async with _performing.hold((self.database.url, effect.action_id)):
            row = await self._store.claim(effect)
            if row is None:
                return await self._do(effect, do)
            if row.payload_digest != effect.digest:
                raise ActionChangedError(f"{effect.kind} is on record with other details")
            if row.status is OutboxStatus.done:
                return Outcome(effect.action_id, row.result, performed=False)
            return await self._resume(effect, row, do, await reconcile())

    async def happened(self, action_id: str, result: JsonValue) -> None:
        """Record that an effect whose end nobody saw was found done; the first result stays."""
        await self._store.finish(action_id, plain(result))

    async def did_not_happen(self, action_id: str) -> None:
        """Record that an effect was begun by a run that nothing is left of, and found not done; what is done stays done."""
        await self._store.fail(action_id, FORGOTTEN)

    async def in_one_read(self, work: Work[T]) -> T:
        """What `work` reads here, and in other records of the same database, at one moment and with one wait."""
        return await self.database.in_one_read(work)

    async def get(self, action_id: str) -> OutboxRow | None:
        """The effect's row, or None."""
        found = await self._store.rows(OF_ACTION, {"of_action": action_id})
        return found[0] if found else None

    async def of_actions(self, action_ids: Collection[str]) -> list[OutboxRow]:
        """The rows of these effects, as far as they are on record, oldest first."""
        return await self._store.rows(_OF_ACTIONS, {"of_actions": list(action_ids)}) if action_ids else []

    async def find(self, subject_key: str, kind: str) -> list[OutboxRow]:
        """Every effect of a kind on one subject (every reply to one message), oldest first."""
        return await self._store.rows(_OF_SUBJECT, {"of_subject": subject_key, "of_kind": kind})

    async def of_kinds(self, *kinds: str) -> list[OutboxRow]:
        """Every effect of these kinds, oldest first."""
        return await self._store.rows(_OF_KINDS, {"of_kinds": list(kinds)})

    async def sent_by_us(self, message_ids: Collection[str]) -> frozenset[str]:
        """Those of a mailbox's messages, by their ids, that an effect has sent, whoever's."""
        rows = await self._store.rows(_SENT, {"of_messages": list(message_ids)})
        return frozenset(str(row.result["sent_id"]) for row in rows if isinstance(row.result, dict))

    async def pending(self) -> list[OutboxRow]:
        """Effects whose end nobody saw, oldest first: being performed now, or left behind by a crash."""
        return await self._store.rows(_BEGUN, {})

    async def _resume(
        self, effect: Intent, row: OutboxRow, do: Callable[[], Awaitable[JsonValue]], found: Reconciled
    ) -> Outcome:
        log.info(
            "effect_reconciled", action_id=effect.action_id, kind=effect.kind, found=type(found).__name__
        )
        match found:
            case Happened(result):
                return await self._finish(effect, result, performed=False)
            case Unknown(reason):
                await self._store.note(effect.action_id, reason)
                raise UnresolvedEffectError(effect.kind, reason)
            case NotHappened():
                if not await self._store.begin_again(row, effect):
                    raise TransientError(f"{effect.kind} is being performed by another process")
                return await self._do(effect, do)

    async def _do(self, effect: Intent, do: Callable[[], Awaitable[JsonValue]]) -> Outcome:
        try:
            result = await do()
        except (TransientError, UncertainError) as error:
            await self._store.note(effect.action_id, str(error))
            raise
        except (InputError, NotFoundError, ProviderError) as error:
            await self._store.fail(effect.action_id, str(error))
            row = await self.get(effect.action_id)
            if row is not None and row.status is OutboxStatus.done:
                # Another process did it first, and the refusal is what the loser of that race gets.
                return Outcome(effect.action_id, row.result, performed=False)
            raise
        return await self._finish(effect, result, performed=True)

    async def _finish(self, effect: Intent, result: JsonValue, *, performed: bool) -> Outcome:
        # A result that is not JSON must not leave an effect open that has happened.
        stored = plain(result)
        await self._store.finish(effect.action_id, stored)
        return Outcome(effect.action_id, stored, performed)


class KeyedLock:
    """A lock for each key: one holder at a time; holders may be tasks of different event loops in different threads.

    Waiting costs no thread, and a key that nobody holds costs no memory. A task that asks for a key it
    holds waits for ever.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: dict[Hashable, Future[None]] = {}

    @asynccontextmanager
    async def hold(self, key: Hashable) -> AsyncIterator[None]:
        """Wait until nobody holds the key, then hold it for the length of the block."""
        mine: Future[None] = Future()
        # A running future cannot be cancelled, so a waiter that is cancelled does not take the others along.
        mine.set_running_or_notify_cancel()
        while (other := self._take(key, mine)) is not None:
            await asyncio.wrap_future(other)
        try:
            yield
        finally:
            with self._guard:
                del self._held[key]
            mine.set_result(None)

    def _take(self, key: Hashable, mine: Future[None]) -> Future[None] | None:
        """Take the key, or return what its holder will set on release."""
        with self._guard:
            other = self._held.get(key)
            if other is None:
                self._held[key] = mine
            return other


# Shared by every outbox of the process: two of them may be open on one database.
_performing = KeyedLock()
