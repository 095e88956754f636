"""How far each mailbox has been read."""

from dataclasses import dataclass

from sqlalchemy import select

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.statements import check_keys, upsert
from email_assistant.journal.tables import CURSORS


@dataclass(frozen=True)
class Cursors:
    """One opaque value a mailbox, as text: a Gmail history id can exceed 64 bits."""

    database: Database
    clock: Clock

    async def get(self, mailbox: str) -> str | None:
        """The mailbox's cursor; None before the first one."""
        async with self.database.read() as connection:
            return (
                await connection.execute(select(CURSORS.c.value).where(CURSORS.c.mailbox == mailbox))
            ).scalar()

    async def set(self, mailbox: str, value: str) -> None:
        """Move the cursor; call it only when everything before it is settled."""
        check_keys(mailbox=mailbox)
        change = {"value": value, "updated_at": self.clock.now()}
        async with self.database.begin() as connection:
            await upsert(connection, CURSORS, {"mailbox": mailbox, **change}, keys=["mailbox"], update=change)
