"""Profiles as prompts are given them: read once a second, and never behind what this process or the store shows."""

from collections.abc import AsyncIterator

import pytest
from langgraph.store.memory import InMemoryStore

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.revisions import Revisions
from email_assistant.memory import profiles as module
from email_assistant.memory.profiles import DEFAULTS, KEY, NAMESPACE, PROFILES, Profiles
from tests.support.counting import counting

NAME = "response_preferences"


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Closed after the test."""
    opened = Database(database_url)
    yield opened
    await opened.close()


@pytest.fixture
def profiles(database: Database, clock: FixedClock) -> Profiles:
    """Of this process."""
    return Profiles(Revisions(database, clock), clock)


async def test_a_run_reads_them_once(profiles: Profiles) -> None:
    """One look into the record, whichever it asks for, and what it gets is what `read` gives."""
    store = InMemoryStore()
    for name in PROFILES:
        await profiles.read(name, store)
    with counting() as cost:
        found = [*await profiles.recent(PROFILES[:1], store), *await profiles.recent(PROFILES[1:], store)]
    assert (cost.reads, cost.writes, cost.statements) == (1, 0, 1)
    assert [each.content for each in found] == [DEFAULTS[name] for name in PROFILES]


async def test_what_was_learned_here_counts_at_once(profiles: Profiles) -> None:
    """The next turn of the same run goes by it."""
    store = InMemoryStore()
    await profiles.recent((NAME,), store)
    await profiles.write(NAME, "- In French.", origin="test", store=store)
    (found,) = await profiles.recent((NAME,), store)
    assert found.content == "- In French."


async def test_an_edit_in_the_store_counts_at_once(profiles: Profiles) -> None:
    """As in Studio; it becomes a revision."""
    store = InMemoryStore()
    await profiles.recent((NAME,), store)
    await store.aput((NAMESPACE, NAME), KEY, {"content": "- By hand."})
    (found,) = await profiles.recent((NAME,), store)
    assert (found.content, found.origin) == ("- By hand.", "store")


async def test_another_process_is_heard_within_a_second(
    profiles: Profiles, database: Database, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the second is none; within it, the store is not put back to what was."""
    store, other = InMemoryStore(), Profiles(Revisions(database, clock), clock)
    await profiles.recent((NAME,), store)
    await other.write(NAME, "- In Dutch.", origin="test", store=store)
    (found,) = await profiles.recent((NAME,), store)
    assert found.content == "- In Dutch."  # The store shows it.
    await other.write(NAME, "- In Danish.", origin="test")
    monkeypatch.setattr(module, "RECENT_SECONDS", -1.0)
    (found,) = await profiles.recent((NAME,), store)
    assert found.content == "- In Danish."
