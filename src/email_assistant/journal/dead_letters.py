"""Messages that were given up, and their replay."""

from dataclasses import dataclass

from sqlalchemy import and_, update

from email_assistant.clock import Clock
from email_assistant.errors import NotFoundError
from email_assistant.journal.database import Database
from email_assistant.journal.records import DeadLetter, MailStatus
from email_assistant.journal.rows import Rows
from email_assistant.journal.tables import DEAD_LETTERS, MAIL

_LETTERS = Rows(DEAD_LETTERS, DeadLetter)


@dataclass(frozen=True)
class DeadLetters:
    """The dead letters."""

    database: Database
    clock: Clock

    async def waiting(self, *, limit: int = 100) -> list[DeadLetter]:
        """Up to `limit` dead letters that were not replayed yet, oldest first."""
        statement = _LETTERS.select(DEAD_LETTERS.c.replayed_at.is_(None)).order_by(DEAD_LETTERS.c.id)
        async with self.database.read() as connection:
            return await _LETTERS.all(connection, statement.limit(limit))

    async def replay(self, mailbox: str, message_id: str, graph: str) -> None:
        """Give the message fresh attempts: it is `claimed` again, ready to be started.

        Raises `NotFoundError` when it is not a dead letter; so of two callers one succeeds.
        """
        now = self.clock.now()
        mail, letter = (
            and_(t.c.mailbox == mailbox, t.c.message_id == message_id, t.c.graph == graph)
            for t in (MAIL, DEAD_LETTERS)
        )
        revive = update(MAIL).where(mail, MAIL.c.status == MailStatus.dead_letter)
        close = update(DEAD_LETTERS).where(letter, DEAD_LETTERS.c.replayed_at.is_(None))
        async with self.database.begin() as connection:
            revived = await connection.execute(
                revive.values(status=MailStatus.claimed, attempts=0, updated_at=now)
            )
            if revived.rowcount == 0:
                raise NotFoundError(f"no dead letter {message_id!r} for {graph}")
            await connection.execute(close.values(replayed_at=now))
