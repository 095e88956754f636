"""Backfills on both databases: one at a time, each chunk in one hand, leases that lapse."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from email_assistant.errors import InputError
from email_assistant.journal.backfills import LEASE, Backfill, Backfills, BackfillState, Standing
from email_assistant.journal.database import Database
from email_assistant.mail.mailbox import Listed

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass
class MovingClock:
    """Stands still until the test moves it."""

    instant: datetime = NOON

    def now(self) -> datetime:
        return self.instant


@pytest.fixture
def moving() -> MovingClock:
    """At noon."""
    return MovingClock()


@pytest.fixture
def backfills(database: Database, moving: MovingClock) -> Backfills:
    """Over a database of the test's own."""
    return Backfills(database, moving)


def messages(start: int, count: int) -> list[Listed]:
    """Listed messages, each a conversation of its own."""
    return [Listed(f"m{number}", f"t{number}") for number in range(start, start + count)]


async def planned(backfills: Backfills, sizes: Sequence[int]) -> Backfill:
    """A backfill with chunks of these sizes."""
    backfill = await backfills.open("box", "sorter")
    assert await backfills.lease_plan(backfill, "planner")
    for position, size in enumerate(sizes):
        assert await backfills.add_chunk(backfill, "planner", position, messages(10 * position, size))
    assert await backfills.planned(backfill, "planner")
    return await backfills.get(backfill.id)


async def test_there_is_one_at_a_time(backfills: Backfills) -> None:
    """Whoever starts one joins the one that is under way, also at the same moment; a new one may follow its end."""
    opened = await asyncio.gather(*(backfills.open("box", "sorter") for _ in range(6)))
    assert len({each.id for each in opened}) == 1
    first = opened[0]
    assert (first.before, first.after, first.state, first.planned) == (NOON, None, "running", False)
    assert (await backfills.open("box", "other graph")).id != first.id
    assert (await backfills.open("other box", "sorter")).id != first.id
    assert await backfills.set_state(first, BackfillState.done)
    assert not await backfills.set_state(first, BackfillState.paused)
    assert await backfills.current("box", "sorter") is None
    latest = await backfills.latest("box", "sorter")
    assert latest
    assert (latest.id, latest.ended_at) == (first.id, NOON)
    assert (await backfills.open("box", "sorter")).id not in {first.id}


async def test_another_selection_is_refused(backfills: Backfills) -> None:
    """It would settle other mail than was asked for; the message says how to go on."""
    after, before = NOON - timedelta(days=30), NOON - timedelta(days=1)
    first = await backfills.open("box", "sorter", after=after, before=before)
    assert (await backfills.open("box", "sorter", after=after, before=before)).id == first.id
    assert (await backfills.open("box", "sorter")).id == first.id
    with pytest.raises(
        InputError, match=r"from 2026-10-21 12:00 UTC up to .* organize resume.* organize cancel"
    ):
        await backfills.open("box", "sorter", after=NOON - timedelta(days=60))
    with pytest.raises(InputError, match="not finished"):
        await backfills.open("box", "sorter", before=NOON)


async def test_each_chunk_is_in_one_hand(backfills: Backfills) -> None:
    """Ten workers at once get five chunks, in order, and nothing twice."""
    backfill = await planned(backfills, [2, 2, 2, 2, 1])
    leased = await asyncio.gather(*(backfills.lease(backfill, f"w{n}") for n in range(10)))
    chunks = [chunk for chunk in leased if chunk]
    assert sorted(chunk.position for chunk in chunks) == [0, 1, 2, 3, 4]
    assert {m.id for c in chunks if c.position == 4 for m in c.messages} == {"m40"}
    standing = await backfills.standing(backfill)
    assert (standing.total, standing.chunks, standing.workers) == (9, 5, 5)


async def test_a_silent_worker_loses_its_chunk(backfills: Backfills, moving: MovingClock) -> None:
    """After the lease another one has it, and nothing the first one does then counts."""
    backfill = await planned(backfills, [2])
    chunk = await backfills.lease(backfill, "first")
    assert chunk
    moving.instant += LEASE / 2
    assert await backfills.renew(chunk, "first", 1)
    moving.instant += LEASE
    assert await backfills.lease(backfill, "second") is None  # To the second it is still held.
    moving.instant += timedelta(seconds=1)
    assert await backfills.lease(backfill, "second") == chunk
    assert not await backfills.renew(chunk, "first", 2)
    assert not await backfills.finish(chunk, "first", Decimal(9))
    await backfills.release(chunk, "first")
    assert await backfills.lease(backfill, "third") is None
    assert await backfills.finish(chunk, "second", Decimal("0.000000001"))
    assert not await backfills.renew(chunk, "second", 2)
    done = Standing(total=2, settled=2, chunks=1, done_chunks=1, cost_usd=Decimal("0.000000001"))
    assert await backfills.standing(backfill) == done


async def test_what_is_released_is_the_next_ones(backfills: Backfills) -> None:
    """How much of it is settled stays known, and so do the messages that have cost something."""
    backfill = await planned(backfills, [3, 2])
    chunk = await backfills.lease(backfill, "first")
    assert chunk
    assert await backfills.renew(chunk, "first", 2)
    await backfills.release(chunk, "first")
    assert await backfills.standing(backfill) == Standing(
        total=5, settled=2, chunks=2, begun=(("m0", "m1", "m2"),)
    )
    assert await backfills.lease(backfill, "second") == chunk


async def test_a_plan_is_made_by_one(backfills: Backfills, moving: MovingClock) -> None:
    """The next one begins anew when the first falls silent, and what the first one lists then is refused."""
    backfill = await backfills.open("box", "sorter")
    assert await backfills.lease_plan(backfill, "first")
    assert not await backfills.lease_plan(backfill, "second")
    assert await backfills.add_chunk(backfill, "first", 0, messages(0, 5))
    moving.instant += LEASE + timedelta(seconds=1)
    assert await backfills.renew_plan(backfill, "first")  # Late, but nobody has taken it.
    moving.instant += LEASE + timedelta(seconds=1)
    assert await backfills.lease_plan(backfill, "second")
    assert (await backfills.standing(backfill)).total == 0
    assert not await backfills.renew_plan(backfill, "first")
    assert not await backfills.add_chunk(backfill, "first", 1, messages(5, 5))
    assert not await backfills.planned(backfill, "first")
    assert await backfills.add_chunk(backfill, "second", 0, messages(0, 4))
    assert await backfills.planned(backfill, "second")
    assert not await backfills.lease_plan(backfill, "third")
    assert (await backfills.get(backfill.id)).planned
    assert (await backfills.standing(backfill)).total == 4


async def test_a_cost_limit_is_kept_exactly(backfills: Backfills) -> None:
    """To the billionth of a dollar, and it can be taken away."""
    backfill = await backfills.open("box", "sorter")
    await backfills.set_cost_limit(backfill, Decimal("2.000000001"))
    assert (await backfills.get(backfill.id)).cost_limit_usd == Decimal("2.000000001")
    await backfills.set_cost_limit(backfill, None)
    assert (await backfills.get(backfill.id)).cost_limit_usd is None
    with pytest.raises(InputError, match="no backfill 999"):
        await backfills.get(999)
