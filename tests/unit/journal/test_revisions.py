"""Compare-and-set on preference profiles."""

import asyncio

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError
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


@pytest.mark.parametrize("expected", [-1, 0, 2, 7])
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


async def test_a_decision_may_teach_two_profiles(revisions: Revisions) -> None:
    """One decision is counted for each profile by itself."""
    assert await _append(revisions, 0, "one", "d1", "p") is not None
    other = await _append(revisions, 0, "uno", "d1", "q")
    assert other is not None
    assert (other.profile, other.content) == ("q", "uno")


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


async def test_one_decision_in_two_places_at_once(revisions: Revisions) -> None:
    """A decision that is learned twice at the same moment makes one revision, and both learners get it."""
    await _append(revisions, 0, "start")
    results = await asyncio.gather(*(_append(revisions, 1, f"w{n}", "d1") for n in range(10)))
    assert len({r.content for r in results if r}) == 1
    assert all(r is not None for r in results)
    assert len(await revisions.history("p")) == 2


@pytest.mark.parametrize(("profile", "decision_id"), [("", None), ("p", ""), ("p", "d" * 801)])
async def test_unusable_keys(revisions: Revisions, profile: str, decision_id: str | None) -> None:
    """Empty or endless keys are refused."""
    with pytest.raises(InputError):
        await _append(revisions, 0, "x", decision_id, profile)
