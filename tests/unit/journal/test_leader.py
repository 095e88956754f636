"""Several servers on one PostgreSQL: one leads, and another as soon as that one is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import psycopg
import pytest

from email_assistant.journal import leader
from email_assistant.journal.database import Database

SECONDS = 20.0


class Server:
    """What leads, and tells so."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.leads = asyncio.Event()
        self.times = 0

    async def work(self) -> None:
        """Until it is cancelled."""
        self.times += 1
        self.leads.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.leads.clear()


@asynccontextmanager
async def serving(url: str) -> AsyncIterator[Server]:
    """A server, for as long as it is needed."""
    server = Server(url)
    task = asyncio.create_task(leader.while_leader(server.database, server.work))
    try:
        yield server
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await server.database.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks are close to one another."""
    monkeypatch.setattr(leader, "LOOK_SECONDS", 0.05)


async def until(servers: Sequence[Server]) -> Server:
    """The one that leads, as soon as one does."""
    async with asyncio.timeout(SECONDS):
        while not (leading := [each for each in servers if each.leads.is_set()]):
            await asyncio.sleep(0)
    (one,) = leading
    return one


async def asked_for_it(url: str) -> None:
    """Until somebody has asked for the lock in vain."""
    waits = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND query LIKE 'SELECT pg_try_advisory_lock%'"
    )
    async with (
        asyncio.timeout(SECONDS),
        await psycopg.AsyncConnection.connect(url, autocommit=True) as asking,
    ):
        while await (await asking.execute(waits)).fetchone() == (0,):
            await asyncio.sleep(0)


async def test_one_leads_and_another_when_it_stops(database_url: str) -> None:
    """On SQLite whoever serves leads, for a file has one server."""
    async with serving(database_url) as first:
        await until([first])
        if database_url.startswith("postgres"):
            async with serving(database_url) as second:
                await asked_for_it(database_url)
                assert (first.times, second.times) == (1, 0)
    async with serving(database_url) as third:
        await until([third])


async def test_a_leader_that_loses_the_database_stops_and_there_are_never_two(
    fresh_postgres: Callable[[str | None], str], postgres_template: str
) -> None:
    """Its connection is ended by the database: then its work is cancelled."""
    url = fresh_postgres(postgres_template)
    async with serving(url) as first, serving(url) as second:
        both = [first, second]
        leading = await until(both)
        await asked_for_it(url)
        with psycopg.connect(url, autocommit=True) as connection:
            here = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            ours = f"locktype = 'advisory' AND objid = {leader.LOCK & 0xFFFFFFFF} AND {here}"
            end = f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE {ours}"
            assert connection.execute(end).fetchall() == [(True,)]
        async with asyncio.timeout(SECONDS):
            while first.times + second.times == 1:
                assert [each.leads.is_set() for each in both].count(True) <= 1
                await asyncio.sleep(0)
        await until(both)
        assert leading.times == 1 or first.times + second.times == 2
