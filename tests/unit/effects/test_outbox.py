"""An approved action is performed exactly once."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

from email_assistant.clock import FixedClock
from email_assistant.effects.intent import ActionChangedError, Intent, UnresolvedEffectError
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Outcome, Reconciled, Unknown
from email_assistant.errors import (
    InputError,
    NotFoundError,
    ProviderError,
    TransientError,
)
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


@pytest.mark.parametrize(
    "changed",
    [
        {"payload": PAYLOAD | {"body": "Hello!"}},
        {"payload": {}},
        {"kind": "meeting"},
        {"subject": "m2"},
    ],
)
async def test_another_content_is_refused(effect: Effect, changed: dict[str, Any]) -> None:
    """An action id that comes back with other content does nothing, whether the row is done or not."""
    await effect.perform()
    with pytest.raises(ActionChangedError):
        await effect.perform(**changed)
    effect.errors = [TransientError("x")]
    with pytest.raises(TransientError):
        await effect.perform("other")
    with pytest.raises(ActionChangedError):
        await effect.perform("other", **changed)
    assert (effect.done, effect.asked) == (1, 0)


async def test_order_of_keys_does_not_matter(effect: Effect) -> None:
    """The same content in another order, or with tuples for lists, is the same action."""
    await effect.perform(payload={"a": [1, 2], "b": {"c": None}})
    assert not (await effect.perform(payload={"b": {"c": None}, "a": (1, 2)})).performed


@pytest.mark.parametrize("payload", [{"x": object()}, {"x": float("nan")}, {"x": b"y"}, {(1, 2): 3}])
async def test_payload_that_is_not_json(effect: Effect, payload: dict[Any, Any]) -> None:
    """A payload that cannot be compared later is a bug, and nothing is done."""
    with pytest.raises((TypeError, ValueError)):
        await effect.perform(payload=payload)
    assert effect.done == 0
    assert await effect.outbox.pending() == []


@pytest.mark.parametrize("bad", ["", "x" * 801])
async def test_unusable_keys(effect: Effect, bad: str) -> None:
    """An empty or endless action id or subject is refused before anything is done."""
    with pytest.raises(InputError, match="action_id"):
        await effect.perform(bad)
    with pytest.raises(InputError, match="subject_key"):
        await effect.perform(subject=bad)
    assert effect.done == 0


@pytest.mark.parametrize("error", [InputError("in"), NotFoundError("nf"), ProviderError("pr")])
async def test_definite_failure(effect: Effect, error: Exception) -> None:
    """A refusal is on record with its reason; a later call asks the provider, then tries again."""
    effect.errors = [error]
    with pytest.raises(type(error)):
        await effect.perform()
    row = await effect.outbox.get("t1:c1:1")
    assert row is not None
    assert (row.status, row.reason) == ("failed", str(error))
    assert (await effect.perform()).performed
    row = await effect.outbox.get("t1:c1:1")
    assert row is not None
    assert (row.status, row.reason, row.attempts) == ("done", "", 2)
    assert (effect.done, effect.asked) == (1, 1)


@pytest.mark.parametrize(
    "error", [TransientError("time-out"), RuntimeError("bug"), KeyboardInterrupt(), asyncio.CancelledError()]
)
async def test_unclear_failure(effect: Effect, error: BaseException) -> None:
    """After an exception that proves nothing the row stays started, and the provider is asked next time."""
    effect.errors = [error]
    with pytest.raises(type(error)):
        await effect.perform()
    assert await effect.status() is OutboxStatus.started
    effect.found = Happened({"number": 77})
    assert await effect.perform() == Outcome("t1:c1:1", {"number": 77}, performed=False)
    assert await effect.perform() == Outcome("t1:c1:1", {"number": 77}, performed=False)
    assert (effect.done, effect.asked) == (0, 1)


async def test_unknown_goes_to_a_human(effect: Effect) -> None:
    """When the provider cannot tell, nothing is repeated however often it is tried, until it can."""
    effect.errors = [TransientError("x")]
    with pytest.raises(TransientError):
        await effect.perform()
    effect.found = Unknown("the draft is gone")
    for _ in range(3):
        with pytest.raises(UnresolvedEffectError, match="the draft is gone"):
            await effect.perform()
    (row,) = await effect.outbox.pending()
    assert (row.status, row.reason) == ("started", "the draft is gone")
    assert effect.done == 0
    effect.found = NotHappened()
    assert (await effect.perform()).performed


async def test_reconciling_fails(effect: Effect) -> None:
    """An error while asking the provider is passed on, and nothing is done."""
    effect.errors = [TransientError("x")]
    with pytest.raises(TransientError):
        await effect.perform()

    async def offline() -> Reconciled:
        raise TransientError("still offline")

    with pytest.raises(TransientError, match="still offline"):
        await effect.outbox.perform(Intent("t1:c1:1", "send", "m1", PAYLOAD), effect._do, offline)
    assert effect.done == 0
    assert await effect.status() is OutboxStatus.started


async def test_a_result_that_is_not_json(effect: Effect, clock: FixedClock) -> None:
    """An effect that has happened is done even when its result is odd; everybody gets the same form of it."""

    async def do() -> Any:
        return {"at": clock.now(), "ids": ("a", "b"), "nul": "a\0b"}

    expected = {"at": clock.now().isoformat(), "ids": ["a", "b"], "nul": "a\0b"}
    for performed in (True, False):
        outcome = await effect.outbox.perform(Intent("a", "send", "m", {}), do, effect._reconcile)
        assert outcome == Outcome("a", expected, performed)


async def test_no_result(effect: Effect) -> None:
    """An effect without a result is done like any other."""

    async def do() -> None:
        effect.done += 1

    for _ in range(2):
        outcome = await effect.outbox.perform(Intent("a", "send", "m", {}), do, effect._reconcile)
        assert outcome.result is None
    assert effect.done == 1


async def test_tasks_race(effect: Effect) -> None:
    """Of thirty tasks that perform one action, one does it and the others wait for its result."""
    outcomes = await asyncio.gather(*(effect.perform() for _ in range(30)))
    assert sum(o.performed for o in outcomes) == 1
    assert {str(o.result) for o in outcomes} == {"{'number': 1}"}
    assert (effect.done, effect.asked) == (1, 0)


async def test_two_outboxes_race(effect: Effect, database_url: str, clock: FixedClock) -> None:
    """Two outboxes on one database in one process keep out of each other's way."""
    other = Effect(Outbox(Database(database_url), clock))
    outcomes = await asyncio.gather(*(e.perform() for _ in range(5) for e in (effect, other)))
    assert sum(o.performed for o in outcomes) == effect.done + other.done == 1
    assert effect.asked + other.asked == 0


def test_event_loops_race(database_url: str, clock: FixedClock) -> None:
    """Tasks of several event loops in several threads keep out of each other's way, too."""
    effect = Effect(Outbox(Database(database_url), clock))
    outcomes: list[Outcome] = []

    async def several() -> None:
        outcomes.extend(await asyncio.gather(*(effect.perform() for _ in range(4))))

    threads = [threading.Thread(target=lambda: asyncio.run(several())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(outcomes), sum(o.performed for o in outcomes)) == (16, 1)
    assert (effect.done, effect.asked) == (1, 0)


async def test_a_waiting_task_is_cancelled(effect: Effect) -> None:
    """Cancelling one who waits disturbs neither the one who performs nor the others who wait."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        begun.set()
        await go_on.wait()
        return "sent"

    async def perform() -> Outcome:
        return await effect.outbox.perform(Intent("a", "send", "m", {}), slow, effect._reconcile)

    first = asyncio.create_task(perform())
    await begun.wait()
    waiting = [asyncio.create_task(perform()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.wait([waiting[0]])
    go_on.set()
    assert (await first).performed
    assert [(await w).result for w in waiting[1:]] == ["sent", "sent"]
    assert waiting[0].cancelled()


async def test_different_actions_do_not_wait(effect: Effect) -> None:
    """An effect that takes long holds up no other action."""
    go_on = asyncio.Event()

    async def slow() -> None:
        await go_on.wait()

    task = asyncio.create_task(
        effect.outbox.perform(Intent("slow", "send", "m", {}), slow, effect._reconcile)
    )
    assert (await effect.perform("quick")).performed
    go_on.set()
    await task


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


async def test_find(effect: Effect) -> None:
    """Effects are found by subject and kind, oldest first, and nothing else is."""
    for action_id, subject, kind in (("1", "m1", "send"), ("2", "m2", "send"), ("3", "m1", "draft")):
        await effect.perform(action_id, subject=subject, kind=kind)
    await effect.perform("4")
    assert [r.action_id for r in await effect.outbox.find("m1", "send")] == ["1", "4"]
    assert await effect.outbox.find("m1' OR '1'='1", "send") == []
    assert await effect.outbox.get("nope") is None
    assert await effect.outbox.pending() == []


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


async def test_nothing_blocks_the_loop(effect: Effect) -> None:
    """Performing never blocks the event loop."""
    with blockbuster_ctx():
        await effect.perform()
        await effect.perform()
        assert len(await effect.outbox.find("m1", "send")) == 1
