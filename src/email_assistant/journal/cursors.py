"""How far each mailbox has been read."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.statements import check_keys, upsert
from email_assistant.journal.tables import CURSORS


@dataclass(frozen=True, slots=True)
class Cursor:
    """Up to where a mailbox was read, and when that was."""

    value: str
    read_at: datetime


@dataclass(frozen=True)
class Cursors:
    """One opaque value a reader of a mailbox, as text: a Gmail history id can exceed 64 bits."""

    database: Database
    clock: Clock

    async def get(self, mailbox: str) -> str | None:
        """The reader's cursor; None before the first one."""
        found = await self.read(mailbox)
        return found.value if found else None

    async def read(self, mailbox: str) -> Cursor | None:
        """The same with its time."""
        columns = select(CURSORS.c.value, CURSORS.c.updated_at)
        async with self.database.read() as connection:
            row = (await connection.execute(columns.where(CURSORS.c.mailbox == mailbox))).first()
        return Cursor(row.value, row.updated_at) if row else None

    async def set(self, mailbox: str, value: str, *, read_at: datetime | None = None) -> None:
        """Move the cursor; call it only when everything before it is settled. `read_at`: now when left out."""
        check_keys(mailbox=mailbox)
        row = {"mailbox": mailbox, "value": value, "updated_at": read_at or self.clock.now()}
        async with self.database.begin() as connection:
            await upsert(connection, CURSORS, row, keys=("mailbox",), update=("value", "updated_at"))
