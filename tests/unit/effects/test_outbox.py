"""An approved action is performed exactly once."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from email_assistant.clock import FixedClock
from email_assistant.effects.outbox import NotHappened, Outbox, Outcome, Reconciled
from email_assistant.effects.store import ActionChangedError, Intent
from email_assistant.errors import NotFoundError, TransientError
from email_assistant.journal.database import Database
from email_assistant.journal.records import OutboxStatus

PAYLOAD = {"to": "ana@example.com", "body": "Hello"}


@dataclass
class Effect:
    """An effect that counts, fails as told, and answers reconciliation as told."""

    outbox: Outbox
    errors: list[BaseException] = field(default_factory=list)
    found: Reconciled = field(default_factory=NotHappened)
    done: int = 0
    asked: int = 0

    async def perform(
        self,
        action_id: str = "t1:c1:1",
        *,
        kind: str = "send",
        subject: str = "m1",
        payload: Mapping[str, Any] = PAYLOAD,
    ) -> Outcome:
        """Perform through the outbox."""
        return await self.outbox.perform(Intent(action_id, kind, subject, payload), self._do, self._reconcile)

    async def status(self, action_id: str = "t1:c1:1") -> OutboxStatus | None:
        """The row's status."""
        row = await self.outbox.get(action_id)
        return row.status if row else None

    async def _do(self) -> dict[str, int]:
        await asyncio.sleep(0)
        if self.errors:
            raise self.errors.pop(0)
        self.done += 1
        return {"number": self.done}

    async def _reconcile(self) -> Reconciled:
        self.asked += 1
        return self.found


@pytest.fixture
def effect(database: Database, clock: FixedClock) -> Effect:
    """An effect on an empty outbox."""
    return Effect(Outbox(database, clock))


async def test_performed_once(effect: Effect, clock: FixedClock) -> None:
    """The second call gets the stored result; neither the effect nor the question is repeated."""
    assert await effect.perform() == Outcome("t1:c1:1", {"number": 1}, performed=True)
    assert await effect.perform() == Outcome("t1:c1:1", {"number": 1}, performed=False)
    assert (effect.done, effect.asked) == (1, 0)
    row = await effect.outbox.get("t1:c1:1")
    assert row is not None
    assert (row.status, row.payload, row.result, row.attempts) == ("done", PAYLOAD, {"number": 1}, 1)
    assert row.started_at == row.updated_at == clock.now()


async def test_tasks_race(effect: Effect) -> None:
    """Of thirty tasks that perform one action, one does it and the others wait for its result."""
    outcomes = await asyncio.gather(*(effect.perform() for _ in range(30)))
    assert sum(o.performed for o in outcomes) == 1
    assert {str(o.result) for o in outcomes} == {"{'number': 1}"}
    assert (effect.done, effect.asked) == (1, 0)


async def test_another_process_finished_meanwhile(effect: Effect) -> None:
    """A refusal that comes from losing a race does not overwrite what the winner has recorded."""

    async def lose() -> None:
        await effect.outbox._store.finish("a", {"by": "the other process"})
        raise NotFoundError("the draft is gone")

    outcome = await effect.outbox.perform(Intent("a", "send", "m", {}), lose, effect._reconcile)
    assert outcome == Outcome("a", {"by": "the other process"}, performed=False)


async def test_another_process_took_over(effect: Effect) -> None:
    """When another process begins again while this one asks the provider, this one steps back."""
    effect.errors = [TransientError("x")]
    with pytest.raises(TransientError):
        await effect.perform()

    async def overtaken() -> Reconciled:
        row = await effect.outbox.get("t1:c1:1")
        assert row is not None
        assert await effect.outbox._store.begin_again(row, Intent("t1:c1:1", "send", "m1", PAYLOAD))
        return NotHappened()

    with pytest.raises(TransientError, match="another process"):
        await effect.outbox.perform(Intent("t1:c1:1", "send", "m1", PAYLOAD), effect._do, overtaken)
    assert effect.done == 0


async def test_hostile_and_huge_payload(effect: Effect) -> None:
    """NUL, lone surrogates and megabytes in a payload are stored, and compared, as they are."""
    payload = {"body": "a\0b\ud800" + "x" * 3_000_000}
    await effect.perform(payload=payload)
    assert not (await effect.perform(payload=payload)).performed
    row = await effect.outbox.get("t1:c1:1")
    assert row is not None
    assert row.payload == payload
    with pytest.raises(ActionChangedError):
        await effect.perform(payload={"body": payload["body"] + "x"})
