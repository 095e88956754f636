"""A backfill over a real local mailbox and database; the deployment is a stand-in that keeps what was started."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.app import Container
from email_assistant.errors import ConfigError
from email_assistant.ingest import backfill as module
from email_assistant.ingest.backfill import BackfillWorker
from email_assistant.ingest.backfill_progress import Progress
from email_assistant.ingest.budget import affordable
from email_assistant.ingest.intake import FoundConversation
from email_assistant.ingest.settling import Settling
from email_assistant.ingest.window import Room, Settled, plenty
from email_assistant.journal.backfills import LEASE, Backfill, BackfillState
from email_assistant.mail.mailbox import Listed, MailQuery
from email_assistant.settings import load_settings
from tests.contract.mailbox_contract import NINE, mail
from tests.support.deployment import Deployment

GRAPH = "inbox_organizer"


@dataclass
class MovingClock:
    """Stands still until the test moves it."""

    instant: datetime = datetime(2026, 11, 20, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.instant


@dataclass
class Account:
    """A mailbox with mail, a journal and a deployment."""

    house: Container
    clock: MovingClock
    deployment: Deployment = field(default_factory=Deployment)

    async def receive(self, count: int, start: int = 1) -> list[str]:
        """Mail by so many people, a minute apart."""
        raws = [
            mail(n, subject=f"Mail {n}", date=NINE - timedelta(days=30) + timedelta(minutes=n))
            for n in range(start, start + count)
        ]
        return [(await deliver(self.house.local_mailbox, raw))[0] for raw in raws]

    def worker(self, name: str = "w") -> BackfillWorker:
        return self.house.backfill_worker(self.deployment.client, GRAPH, name)

    async def open(self, **conditions: datetime) -> Backfill:
        return await self.house.backfills.open(self.house.mailbox.name, GRAPH, **conditions)

    def started(self) -> Counter[str]:
        """How many runs each message got."""
        return Counter(self.deployment.started())


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Account:
    """An empty one; its chunks are of ten messages."""
    monkeypatch.setattr(module, "CHUNK", 10)
    values = {"EMAIL_ASSISTANT_DATA_DIR": str(tmp_path), "EMAIL_ASSISTANT_EMAIL": "robin@example.com"}
    clock = MovingClock()
    return Account(Container(load_settings(values, tmp_path), clock), clock)


async def test_the_whole_inbox_is_settled_once(account: Account) -> None:
    """Read mail as well, oldest first, in chunks; what came later is not for the backfill."""
    ids = await account.receive(25)
    await account.house.local_mailbox.mark_read(ids[3])
    told: list[Progress] = []
    ended = await account.worker().run(await account.open(), told.append)
    assert ended.state is BackfillState.done
    assert account.started() == Counter(ids)
    assert set(account.deployment.started()[:10]) == set(ids[:10])  # Those of a chunk begin side by side.
    last = told[-1].standing
    assert (last.total, last.settled, last.chunks, last.done_chunks) == (25, 25, 3, 3)
    assert [p.standing.total for p in told if not p.planned] == [10, 20]
    assert [p.standing.settled for p in told if p.planned] == sorted(
        p.standing.settled for p in told if p.planned
    )
    again = await account.worker().run(await account.open())
    assert again.state is BackfillState.done
    assert again.id != ended.id
    assert account.started() == Counter(ids)


async def test_an_empty_selection_is_done_at_once(account: Account) -> None:
    """Nothing to plan, nothing to do."""
    await account.receive(3)
    ended = await account.worker().run(await account.open(before=NINE - timedelta(days=90)))
    assert (ended.state, account.started()) == (BackfillState.done, Counter())


async def test_only_what_was_selected(account: Account) -> None:
    """From one instant to another."""
    ids = await account.receive(10)
    start = NINE - timedelta(days=30)
    selection = {"after": start + timedelta(minutes=3), "before": start + timedelta(minutes=6)}
    await account.worker().run(await account.open(**selection))
    assert account.started() == Counter(ids[2:5])


async def test_workers_share_it(account: Account) -> None:
    """Three at once: each message has one run, and each of them has done some: nobody ends before all have begun."""
    ids = await account.receive(90)
    backfill = await account.open()
    done: Counter[str] = Counter()
    begun: set[str] = set()
    all_begun = asyncio.Event()

    class Counting(Settling):
        async def settle(
            self, groups: AsyncIterable[Sequence[FoundConversation]], room: Room = plenty, **options: bool
        ) -> AsyncIterator[Settled]:
            begun.add(self.worker)  # type: ignore[attr-defined]
            if len(begun) == 3:
                all_begun.set()
            await asyncio.wait_for(all_begun.wait(), 15)
            async for few in super().settle(groups, room, **options):
                done[self.worker] += len(few.ids)  # type: ignore[attr-defined]
                yield few

    workers = [account.worker(name) for name in ("a", "b", "c")]
    for worker in workers:
        worker.settling = Counting(**vars(worker.settling))
        worker.settling.__dict__["worker"] = worker.name
    ended = await asyncio.gather(*(worker.run(backfill) for worker in workers))
    assert {each.state for each in ended} == {BackfillState.done}
    assert account.started() == Counter(ids)
    assert sum(done.values()) == 90
    assert set(done) == {"a", "b", "c"}


@pytest.mark.parametrize("request_number", [1, 2, 7, 18, 24])
async def test_what_breaks_off_goes_on(account: Account, request_number: int) -> None:
    """The connection breaks at some point: the chunk is free at once, and the next worker settles the rest once."""
    ids = await account.receive(25)
    seen = 0

    def fail(_: str) -> None:
        nonlocal seen
        seen += 1
        if seen == request_number:
            raise ConnectionError("gone")

    account.deployment.on_request = fail
    backfill = await account.open()
    with pytest.raises(BaseExceptionGroup) as caught:
        await account.worker("first").run(backfill)
    assert caught.group_contains(httpx.HTTPError)
    assert (await account.house.backfills.standing(backfill)).workers == 0
    await account.worker("second").run(backfill)
    await account.house.recovery(account.deployment.client).recover(account.clock.now())
    assert account.started() == Counter(ids)


async def test_an_interrupted_worker_gives_its_chunk_back(account: Account) -> None:
    """Ctrl-C cancels the work; nobody has to wait for the lease to lapse."""
    await account.receive(25)
    backfill = await account.open()
    reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(account.worker().run(backfill, lambda p: _reach(reached, p, 10)))
    await reached
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    standing = await account.house.backfills.standing(backfill)
    assert standing.workers == 0
    assert standing.settled >= 10


def _reach(reached: asyncio.Future[None], progress: Progress, settled: int) -> None:
    if progress.planned and progress.standing.settled >= settled and not reached.done():
        reached.set_result(None)


@pytest.mark.parametrize("state", [BackfillState.paused, BackfillState.cancelled])
async def test_a_person_can_stop_it(account: Account, state: BackfillState) -> None:
    """The worker stops before the next few; a pause can be ended, and then each message still has one run."""
    ids = await account.receive(40)
    backfill = await account.open()
    tasks: list[asyncio.Task[Any]] = []

    def on_progress(progress: Progress) -> None:
        if progress.planned and progress.standing.settled >= 8 and not tasks:
            tasks.append(asyncio.create_task(account.house.backfills.set_state(backfill, state)))

    ended = await account.worker().run(backfill, on_progress)
    assert ended.state is state
    assert 8 <= len(account.started()) < 40
    if state is BackfillState.paused:
        assert (await account.worker().run(backfill)).state is BackfillState.paused
        await account.house.backfills.set_state(backfill, BackfillState.running)
        assert (await account.worker().run(backfill)).state is BackfillState.done
        assert account.started() == Counter(ids)


async def test_who_was_silent_too_long_stops(account: Account) -> None:
    """Another worker has the chunk by then: the first one does not go on with it, and each message has one run."""
    ids = await account.receive(10)
    backfill, other = await account.open(), account.worker("other")
    stalled: list[Counter[str]] = []

    async def stall(conversations: Sequence[Sequence[Listed]]) -> list[FoundConversation]:
        found = await Settling.read(worker.settling, conversations)
        account.clock.instant += LEASE + timedelta(seconds=1)
        await other.run(backfill)
        stalled.append(account.started())
        return found

    worker = account.worker("stalling")
    worker.settling = _with(worker.settling, read=stall)
    assert (await worker.run(backfill)).state is BackfillState.done
    assert stalled == [Counter(ids)]
    assert account.started() == Counter(ids)


async def test_a_lister_that_falls_silent_is_replaced(account: Account) -> None:
    """What it listed in part does not count, and each message is listed once."""
    ids = await account.receive(25)
    backfill, other = await account.open(), account.worker("other")
    worker = account.worker("stalling")

    class Stalling(MaildirMailbox):
        async def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
            number = 0
            async for listed in super().scan(query):
                number += 1
                if number == 15:
                    account.clock.instant += LEASE + timedelta(seconds=1)
                    await other.run(backfill)
                yield listed

    stalling = Stalling(account.house.settings.maildir_path, account.clock)
    worker.settling = Settling(stalling, worker.settling.intake, worker.settling.correspondents)
    assert (await worker.run(backfill)).state is BackfillState.done
    assert (await account.house.backfills.standing(backfill)).total == 25
    assert account.started() == Counter(ids)


async def test_who_waits_for_the_plan_takes_over(account: Account) -> None:
    """The lister has died: its lease lapses while the other one waits."""
    ids = await account.receive(5)
    backfill = await account.open()
    assert await account.house.backfills.lease_plan(backfill, "dead")
    assert await account.house.backfills.add_chunk(backfill, "dead", 0, [Listed("x", "x")])
    naps: list[float] = []

    async def sleep(seconds: float) -> None:
        naps.append(seconds)
        account.clock.instant += LEASE * 0.4

    worker = account.worker()
    worker.sleep = sleep
    assert (await worker.run(backfill)).state is BackfillState.done
    assert len(naps) == 3
    assert account.started() == Counter(ids)


async def test_who_has_nothing_left_waits_for_the_others(account: Account) -> None:
    """The last chunk is in the hand of one that died: it is taken over when its lease lapses."""
    ids = await account.receive(10)
    backfill = await account.open()
    await account.house.backfills.set_state(backfill, BackfillState.running)
    assert await account.house.backfills.lease_plan(backfill, "dead")
    listed = [listed async for listed in account.house.mailbox.scan(MailQuery())]
    assert await account.house.backfills.add_chunk(backfill, "dead", 0, listed)
    assert await account.house.backfills.planned(backfill, "dead")
    assert await account.house.backfills.lease(backfill, "dead")

    async def sleep(_: float) -> None:
        account.clock.instant += LEASE * 0.6

    worker = account.worker()
    worker.sleep = sleep
    assert (await worker.run(backfill)).state is BackfillState.done
    assert account.started() == Counter(ids)


def _with(settling: Settling, **methods: Callable[..., Any]) -> Settling:
    changed = Settling(settling.mailbox, settling.intake, settling.correspondents)
    changed.__dict__.update(methods)
    return changed


async def paid(account: Account, worker: BackfillWorker, cost: str | None) -> None:
    """Let each run of the worker cost this much, as the observer puts it on record."""
    begin = worker.settling.intake.starter.begin

    async def begin_and_pay(records: Sequence[Any]) -> list[bool]:
        begun = await begin(records)
        for record in records:
            run_id = f"run {record.message_id}"
            await account.house.trace.run_started(run_id, run_thread_id=record.run_thread_id, graph=GRAPH)
            priced = None if cost is None else Decimal(cost)
            await account.house.trace.model_call(
                run_id, {"call": "categorize", "tier": "fast", "cost_usd": priced}
            )
        return begun

    worker.settling.intake.starter.__dict__["begin"] = begin_and_pay


@pytest.mark.parametrize(
    ("limit", "runs"), [("0.1", 10), ("0.105", 10), ("0.01", 1), ("0.005", 1), ("0.33", 33)]
)
async def test_a_cost_limit_is_not_passed(account: Account, limit: str, runs: int) -> None:
    """At a cent a run: one goes ahead to tell the price, then as many as the money is enough for."""
    await account.receive(40)
    backfill = await account.open()
    await account.house.backfills.set_cost_limit(backfill, Decimal(limit))
    worker = account.worker()
    await paid(account, worker, "0.01")
    told: list[Progress] = []
    ended = await worker.run(backfill, told.append)
    assert ended.state is BackfillState.over_budget
    assert len(account.started()) == runs
    assert told[-1].cost_usd == Decimal("0.01") * runs


async def test_more_money_lets_it_go_on(account: Account) -> None:
    """Each message has one run in the end, and the cost is all of it."""
    ids = await account.receive(40)
    backfill = await account.open()
    for limit, state in (("0.05", BackfillState.over_budget), ("0.5", BackfillState.done)):
        await account.house.backfills.set_cost_limit(backfill, Decimal(limit))
        await account.house.backfills.set_state(backfill, BackfillState.running)
        worker = account.worker()
        await paid(account, worker, "0.01")
        assert (await worker.run(backfill)).state is state
    assert account.started() == Counter(ids)
    standing = await account.house.backfills.standing(backfill)
    assert (standing.cost_usd, standing.settled) == (Decimal("0.4"), 40)


async def test_an_unknown_price_cannot_be_limited(account: Account) -> None:
    """One line says so, after the first mail; without a limit it is no blocking_reason."""
    ids = await account.receive(12)
    backfill = await account.open()
    await account.house.backfills.set_cost_limit(backfill, Decimal(5))
    worker = account.worker()
    await paid(account, worker, None)
    with pytest.raises(
        ConfigError, match="--cost-limit cannot be kept: the price of 1 model calls is not known"
    ):
        await worker.run(backfill)
    assert len(account.started()) == 1
    await account.house.backfills.set_cost_limit(backfill, None)
    assert (await worker.run(backfill)).state is BackfillState.done
    assert account.started() == Counter(ids)


def test_what_is_affordable() -> None:
    """By the average, never below nothing; what costs nothing is not limited."""
    one, cent = Decimal(1), Decimal("0.01")
    assert affordable(8, None, one, None) == 8
    assert affordable(8, one, Decimal(0), None) == 1
    assert affordable(8, one, Decimal(0), Decimal(0)) == 8
    assert affordable(8, one, Decimal("0.95"), cent) == 5
    assert affordable(8, one, Decimal("0.999"), cent) == 0
    assert affordable(8, one, Decimal("1.5"), cent) == 0
