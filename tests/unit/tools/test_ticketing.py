"""Tickets are made once, whatever crashes: with our own table and with a stand-in for Jira, on both databases."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from email_assistant.effects.store import ActionChangedError
from email_assistant.errors import TransientError, UnsettledError
from tests.support.claims_desk import DRAFT, KEY, NOW, ticketing
from tests.support.jira_stand_in import CUT, Jira, World, served

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

ROOT = Path(__file__).parents[3]
WORKER = "tests.support.claims_worker"
KILLED = -9
DEFERRED = NOW + timedelta(minutes=6)


@pytest.fixture
def world() -> World:
    """A Jira without issues, whose search lags behind."""
    return World(lags=True)


@pytest.fixture
def jira(world: World) -> Iterator[str]:
    """Its address."""
    with served(Jira, world) as url:
        yield url


def run(*args: str) -> tuple[int, str]:
    """A process that is told to make a ticket: its exit code and what it printed."""
    command = [sys.executable, "-m", WORKER, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    return done.returncode, done.stdout.strip()


async def test_a_ticket_in_our_own_table(database_url: str) -> None:
    """The same call again makes no other; another draft under the key is refused."""
    tickets = ticketing(database_url, "local", NOW)
    made = await tickets.perform_ticket(DRAFT, KEY)
    assert await tickets.perform_ticket(DRAFT, KEY) == made
    assert await tickets.table.list("acme") == (made,)
    assert made.key.startswith("LOCAL-")
    with pytest.raises(ActionChangedError):
        await tickets.perform_ticket(replace(DRAFT, user_id="U2"), KEY)
    assert (await tickets.perform_ticket(replace(DRAFT, tenant_id="other"), KEY)).key != made.key


@pytest.mark.parametrize("die", ["before", "after", "late"])
async def test_killed_with_jira(database_url: str, jira: str, world: World, die: str) -> None:
    """While the search may not show an issue yet, none is made in its place; when it must, there is one in the end."""
    assert await asyncio.to_thread(run, database_url, "ticket", jira, die) == (KILLED, "")
    assert len(world.issues) == int(die != "before")
    if die == "late":  # The outbox has the result, so nobody need be asked.
        asked = len(world.requests)
        assert (await ticketing(database_url, jira, NOW).perform_ticket(DRAFT, KEY)).key == "CLAIMS-1"
        assert len(world.requests) == asked
        return
    with pytest.raises(UnsettledError, match="not known before 09:35:00 UTC"):
        await ticketing(database_url, jira, NOW + timedelta(minutes=4)).perform_ticket(DRAFT, KEY)
    assert len(world.issues) == int(die != "before")
    world.indexed()
    tickets = ticketing(database_url, jira, DEFERRED)
    made = await tickets.perform_ticket(DRAFT, KEY)
    assert (made.key, len(world.issues)) == ("CLAIMS-1", 1)
    assert await tickets.table.list("acme") == (made,)


async def test_cut_off_after_jira_acted(database_url: str, jira: str, world: World) -> None:
    """Asking again before the search knows makes no second one, however often."""
    world.fault("POST", CUT)
    for minutes in range(5):
        with pytest.raises(TransientError):
            await ticketing(database_url, jira, NOW + timedelta(minutes=minutes)).perform_ticket(DRAFT, KEY)
    world.indexed()
    tickets = ticketing(database_url, jira, NOW + timedelta(minutes=4, seconds=30))
    assert (await tickets.perform_ticket(DRAFT, KEY)).key == "CLAIMS-1"
    assert (len(world.issues), len(world.asked("POST"))) == (1, 1)
