"""The history of the preference profiles: append-only, and a revision number can be taken once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.records import Revision
from email_assistant.journal.sql import Rows, check_keys, insert_or_ignore
from email_assistant.journal.tables import MEMORY_REVISIONS as TABLE

__all__ = ["Revision", "Revisions"]

_REVISIONS = Rows(TABLE, Revision)
_NEWEST = (
    select(TABLE.c.profile, func.max(TABLE.c.revision))
    .where(TABLE.c.profile.in_(bindparam("of_profiles", expanding=True)))
    .group_by(TABLE.c.profile)
)
_LATEST_OF = _REVISIONS.select(tuple_(TABLE.c.profile, TABLE.c.revision).in_(_NEWEST))


@dataclass(frozen=True)
class Revisions:
    """Compare-and-set on profiles, across tasks and processes."""

    database: Database
    clock: Clock

    async def latest(self, profile: str) -> Revision | None:
        """The newest revision; None before the first."""
        return await self._one(_of(profile).order_by(TABLE.c.revision.desc()).limit(1))

    @one_read
    async def latest_of(self, profiles: Sequence[str]) -> dict[str, Revision]:
        """The newest revision of each that has one."""
        found = await _REVISIONS.read(self.database, _LATEST_OF, {"of_profiles": list(profiles)})
        return {each.profile: each for each in found}

    async def get(self, profile: str, revision: int) -> Revision | None:
        """That revision, or None."""
        return await self._one(_of(profile).where(TABLE.c.revision == revision))

    @one_read
    async def history(self, profile: str) -> list[Revision]:
        """Every revision, oldest first."""
        return await _REVISIONS.read(self.database, _of(profile).order_by(TABLE.c.revision))

    @one_write
    async def append(
        self, profile: str, *, expected: int, content: str, origin: str, decision_id: str | None = None
    ) -> Revision | None:
        """Add the revision after number `expected` (0 for the first).

        None when that is no longer the newest: read again and merge. A decision teaches a profile once: the
        same `decision_id` again returns the revision it made, whatever `expected` says, and adds nothing.
        """
        check_keys(profile=profile, **({} if decision_id is None else {"decision_id": decision_id}))
        values = {"profile": profile, "revision": expected + 1, "content": content, "origin": origin}
        values |= {"decision_id": decision_id, "created_at": self.clock.now()}
        async with self.database.begin() as connection:
            if taught := await _taught(connection, profile, decision_id):
                return taught
            if await _newest(connection, profile) == expected and await insert_or_ignore(
                connection, TABLE, values
            ):
                return await _REVISIONS.first(
                    connection, _of(profile).where(TABLE.c.revision == expected + 1)
                )
            # Somebody was first; since the question above, it may have been the same decision.
            return await _taught(connection, profile, decision_id)

    @one_read
    async def _one(self, statement: Select[Any]) -> Revision | None:
        return await _REVISIONS.read_first(self.database, statement)


def _of(profile: str) -> Select[Any]:
    return _REVISIONS.select(TABLE.c.profile == profile)


async def _taught(connection: AsyncConnection, profile: str, decision_id: str | None) -> Revision | None:
    if decision_id is None:
        return None
    return await _REVISIONS.first(connection, _of(profile).where(TABLE.c.decision_id == decision_id))


async def _newest(connection: AsyncConnection, profile: str) -> int:
    statement = select(func.coalesce(func.max(TABLE.c.revision), 0)).where(TABLE.c.profile == profile)
    return int((await connection.execute(statement)).scalar_one())
