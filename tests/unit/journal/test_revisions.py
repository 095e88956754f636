"""Compare-and-set on preference profiles."""

import asyncio

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.revisions import Revision, Revisions


@pytest.fixture
def revisions(database: Database, clock: FixedClock) -> Revisions:
    """The revisions of a fresh database."""
    return Revisions(database, clock)


async def _append(
    revisions: Revisions, expected: int, content: str, decision_id: str | None = None, profile: str = "p"
) -> Revision | None:
    return await revisions.append(
        profile, expected=expected, content=content, origin="test", decision_id=decision_id
    )


async def test_history_grows(revisions: Revisions, clock: FixedClock) -> None:
    """Each revision follows the one before, and every one is kept."""
    assert await revisions.latest("p") is None
    assert await _append(revisions, 0, "one") == Revision("p", 1, "one", "test", None, clock.now())
    second = await _append(revisions, 1, "two", "d1")
    assert second == Revision("p", 2, "two", "test", "d1", clock.now())
    assert await revisions.latest("p") == second
    assert [r.content for r in await revisions.history("p")] == ["one", "two"]
    assert await revisions.get("p", 2) == second
    assert await revisions.get("p", 3) is None
    assert await revisions.history("q") == []


@pytest.mark.parametrize("expected", [0, 2])
async def test_a_stale_writer_is_told(revisions: Revisions, expected: int) -> None:
    """Whoever expects another revision than the newest gets None, and no gap appears."""
    await _append(revisions, 0, "one")
    assert await _append(revisions, expected, "other") is None
    assert [r.revision for r in await revisions.history("p")] == [1]


async def test_a_decision_teaches_once(revisions: Revisions) -> None:
    """The same decision again returns what it made, even when others have written since."""
    await _append(revisions, 0, "one")
    taught = await _append(revisions, 1, "two", "d1")
    await _append(revisions, 2, "three")
    assert await _append(revisions, 3, "four", "d1") == taught
    assert await _append(revisions, 1, "two", "d1") == taught
    assert len(await revisions.history("p")) == 3


async def test_writers_race(revisions: Revisions) -> None:
    """Of twenty writers on one revision, one wins; when all retry, nothing is lost."""
    await _append(revisions, 0, "start")
    first = await asyncio.gather(*(_append(revisions, 1, f"w{n}") for n in range(20)))
    assert sum(r is not None for r in first) == 1

    async def insist(number: int) -> None:
        while True:
            base = await revisions.latest("p")
            assert base is not None
            if await _append(revisions, base.revision, f"{base.content} {number}", f"d{number}"):
                return

    await asyncio.gather(*(insist(n) for n in range(12)))
    newest = await revisions.latest("p")
    assert newest is not None
    assert sorted(newest.content.split()[1:], key=int) == [str(n) for n in range(12)]
    assert newest.revision == 14
