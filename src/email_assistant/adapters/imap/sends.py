"""How far the sending of each draft went. A row is written before each step that cannot be taken back.

`claimed`: its text may be on its way, and nothing is sent that has not its end. `ended`: the end of the text was about to be given, or was:
whether it is sent is known only by what the server says then. `accepted`: it is sent, and may not be in Sent yet. `done`.
"""

import secrets
from dataclasses import asdict, dataclass
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
    async def claim(self, draft: str, message_id: str) -> Send | None:
        """Begin to send a draft; None where it is out, or may be.

        What another one has claimed and not ended goes over to this one: only who has it still may give the end.
        """
        send = Send(draft, message_id, secrets.token_hex(8), CLAIMED, "", self.clock.now())
        async with self.database.begin() as connection:
            state = (await connection.execute(select(_S.state).where(*self._of(draft)))).scalar()
            if state not in {None, CLAIMED}:
                return None
            await upsert(
                connection, SENDS, {"mailbox": self.mailbox, **asdict(send)}, keys=("mailbox", "draft")
            )
        return send

    @one_write
    async def go_on(self, send: Send, state: str, told: str = "") -> bool:
        """Put down what it has come to; False where somebody else has it by now."""
        values = {"state": state, "at": self.clock.now(), **({"told": told} if told else {})}
        async with self.database.begin() as connection:
            found = await connection.execute(
                update(SENDS).where(*self._of(send.draft), _S.holder == send.holder).values(values)
            )
            return bool(found.rowcount)

    @one_write
    async def free(self, send: Send) -> None:
        """It was not sent, as long as its end was not given."""
        mine = (*self._of(send.draft), _S.holder == send.holder, _S.state == CLAIMED)
        async with self.database.begin() as connection:
            await connection.execute(delete(SENDS).where(*mine))

    @one_read
    async def of_message(self, message_id: str) -> list[Send]:
        """Every try to send the letter with this Message-ID, oldest first."""
        mine = _ROWS.select(_S.mailbox == self.mailbox, _S.message_id == message_id)
        async with self.database.read() as connection:
            return await _ROWS.all(connection, mine.order_by(_S.at))

    def _of(self, draft: str) -> Any:
        return _S.mailbox == self.mailbox, _S.draft == draft
