"""Profiles as prompts are given them: read once a second, and never behind what this process or the store shows."""

import pytest
from langgraph.store.memory import InMemoryStore

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.revisions import Revisions
from email_assistant.memory import profiles as module
from email_assistant.memory.profiles import KEY, NAMESPACE, Profiles

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

NAME = "response_preferences"


@pytest.fixture
def profiles(database: Database, clock: FixedClock) -> Profiles:
    """Of this process."""
    return Profiles(Revisions(database, clock), clock)


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
