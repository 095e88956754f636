"""Leader election: of several servers on one database, one at a time brings back what was lost and gives held answers to their cards.

It is an advisory lock of PostgreSQL, which belongs to a connection: it is free as soon as its server dies or loses the database. A SQLite
file has one server, which is the leader. What is done twice all the same, while a server does not know yet that it has lost the lock, is
done once by the outbox.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.errors import TransientError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import is_sqlite

LOCK = 5_033_715_402
"""The number of our advisory lock, of which a database has one."""
LOOK_SECONDS = 2.0
"""Between two looks whether the lock is free, or whether this server has it still."""

log = structlog.get_logger(__name__)


async def while_leader(database: Database, work: Callable[[], Awaitable[None]]) -> None:
    """Do `work`, which is endless, whenever this server is the leader; it is cancelled when another may be."""
    if is_sqlite(make_url(database.url)):
        await work()
    is_new = True
    while True:
        with suppress(TransientError, TimeoutError):
            async with database.session() as session:
                if not (await _is_leader(session) and is_new):
                    is_new = False
                    await _until_leader(session)
                await _lead(session, work)
        is_new = False
        await asyncio.sleep(LOOK_SECONDS)


async def _is_leader(session: AsyncConnection) -> bool:
    asked = await session.execute(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": LOCK})
    return bool(asked.scalar())


async def _until_leader(session: AsyncConnection) -> None:
    """Until the lock is this server's, and whoever had it before has noticed that it has not."""
    is_leader = False
    while not is_leader:
        await asyncio.sleep(LOOK_SECONDS)
        is_leader = await _is_leader(session)
    await asyncio.sleep(2 * LOOK_SECONDS)


async def _lead(session: AsyncConnection, work: Callable[[], Awaitable[None]]) -> None:
    log.info("leading")
    task = asyncio.ensure_future(work())
    try:
        while not task.done():
            async with asyncio.timeout(LOOK_SECONDS):
                await session.execute(text("SELECT 1"))
            await asyncio.wait({task}, timeout=LOOK_SECONDS)
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
