"""How far the sending of each draft went. A row is written before each step that cannot be taken back.

`claimed`: its text may be on its way, and nothing is sent that has not its end. `ended`: the end of the text was about to be given, or was:
whether it is sent is known only by what the server says then. `accepted`: it is sent, and may not be in Sent yet. `done`.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update

from email_assistant.adapters.imap.tables import SENDS
from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.sql import Rows, upsert

CLAIMED, ENDED, ACCEPTED, DONE = "claimed", "ended", "accepted", "done"
_S = SENDS.c


@dataclass(frozen=True, slots=True)
class Send:
    """The sending of one draft."""

    draft: str
    message_id: str
    holder: str
    state: str
    told: str
    """What the server answered."""
    at: datetime


_ROWS = Rows(SENDS, Send)


@dataclass(frozen=True)
class Sends:
    """Of one mailbox."""

    database: Database
    clock: Clock
    mailbox: str

    @one_write
    async def claim(self, draft: str, message_id: str) -> str | None:
        """Begin to send a draft; who it is that does, or None where it is out or may be.

        What another one has claimed and not ended goes over to this one: only who has it still may give the end.
        """
        holder = secrets.token_hex(8)
        row = {"mailbox": self.mailbox, "draft": draft, "message_id": message_id, "holder": holder, "state": CLAIMED, "told": "",
               "at": self.clock.now()}  # fmt: skip
        async with self.database.begin() as connection:
            state = (await connection.execute(select(_S.state).where(*self._of(draft)))).scalar()
            if state not in {None, CLAIMED}:
                return None
            await upsert(connection, SENDS, row, keys=("mailbox", "draft"))
        return holder

    @one_write
    async def go_on(self, draft: str, holder: str, before: str, state: str, told: str = "") -> bool:
        """Put down the next state; False where somebody else has it by now."""
        async with self.database.begin() as connection:
            mine = update(SENDS).where(*self._of(draft), _S.holder == holder, _S.state == before)
            found = await connection.execute(mine.values(state=state, told=told, at=self.clock.now()))
            return bool(found.rowcount)

    @one_write
    async def free(self, draft: str, holder: str) -> None:
        """It was not sent, for certain."""
        async with self.database.begin() as connection:
            await connection.execute(delete(SENDS).where(*self._of(draft), _S.holder == holder))

    @one_read
    async def of_message(self, message_id: str) -> list[Send]:
        """Every try to send the letter with this Message-ID, oldest first."""
        mine = _ROWS.select(_S.mailbox == self.mailbox, _S.message_id == message_id)
        async with self.database.read() as connection:
            return await _ROWS.all(connection, mine.order_by(_S.at))

    def _of(self, draft: str) -> Any:
        return _S.mailbox == self.mailbox, _S.draft == draft
