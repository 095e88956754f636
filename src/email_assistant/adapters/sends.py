"""Sending drafts over SMTP, each once, and how far that went, on record. A row is written before each step that cannot be taken back.

`claimed`: its text may be on its way, and nothing is sent that has not its end. `ended`: the end of the text was about to be given, or was:
whether it is sent is known only by what the server says then. `accepted`: it is sent, and may not be in Sent yet. `done`.
"""

import secrets
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Index, PrimaryKeyConstraint, Table, delete, select, update

from email_assistant.adapters.smtp import Relay, in_thread
from email_assistant.clock import Clock
from email_assistant.errors import AccessError, NotFoundError, ProviderError, UncertainError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.sql import METADATA, Rows, text_column, time_column, upsert
from email_assistant.mail.wire import from_bytes, redated, without_bcc

# A draft is sent once: the row is its claim, and says how far that went.
SENDS = Table(
    "sends",
    METADATA,
    *map(text_column, ("mailbox", "draft", "message_id", "holder", "state", "told")),
    time_column("at"),
    PrimaryKeyConstraint("mailbox", "draft"),
    Index(None, "mailbox", "message_id"),
)
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


@dataclass(frozen=True)
class Posting:
    """Gives drafts in for sending. What has been handed over and not been answered is never sent again by itself."""

    sends: Sends
    relay: Relay | None

    async def post(self, draft: str, raw: bytes) -> Send:
        """Send this draft, dated now; it has still to be filed. Raises `NotFoundError` when it was sent, or is being sent.

        Raises `ProviderError` or `TransientError` when it is not sent, `UncertainError` when nobody can tell.
        """
        send = await self.sends.claim(draft, from_bytes(raw).message_id)
        if send is None:
            raise NotFoundError(f"no such draft: {draft[:100]}")
        try:
            told = await self._hand_over(send, redated(raw, self.sends.clock.now()))
        except BaseException:
            await self.sends.free(send)  # Unless its end was given.
            raise
        await self.sends.go_on(send, ACCEPTED, told)
        return send

    async def _hand_over(self, send: Send, raw: bytes) -> str:
        """Give the message in; what the server said. Once its end was given and not answered, nobody knows whether it is out."""
        if self.relay is None:
            raise AccessError(
                f"{self.sends.mailbox} cannot send: the account names no smtp server; the draft is in your mailbox"
            )
        message, text = from_bytes(raw), without_bcc(raw)
        people = [each.email for each in message.recipients]
        submission = await in_thread(self.relay.open)
        try:
            await in_thread(submission.envelope, message.sender.email, people, len(text))
            await in_thread(submission.text, text)
            if not await self.sends.go_on(send, ENDED):
                raise NotFoundError(f"the draft is being sent already: {send.draft[:100]}")
            try:
                return await in_thread(submission.end)
            except UncertainError:
                raise
            except ProviderError:
                await self.sends.go_on(send, CLAIMED)
                raise
        finally:
            await in_thread(submission.close)

    async def accepted(self, message_id: str) -> Send | None:
        """The letter of this Message-ID that is sent and has still to be filed."""
        tries = await self.sends.of_message(message_id)
        return next((each for each in tries if each.state == ACCEPTED), None)

    async def in_doubt(self, message_id: str) -> str:
        """Why nobody can tell whether the letter of this Message-ID is out, unless it is among the sent ones; "" where it is known."""
        tries = await self.sends.of_message(message_id) if message_id else []
        if not any(each.state == ENDED for each in tries):
            return ""
        host = self.relay.server.host if self.relay else "the server"
        return f"the connection to {host} broke after the text was handed over, and it is not in Sent"
