"""Drafts in an IMAP mailbox, and sending them: each once (`adapters/sends.py`).

A draft cannot be changed in place: a new one is put in and the old one taken out, so its id changes. Whether what was handed over and not
answered went out is told by what lies in Sent, or by a person.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from email_assistant.adapters.headers import key_of
from email_assistant.adapters.imap.connection import Commands, Connection
from email_assistant.adapters.imap.folders import Folders
from email_assistant.adapters.imap.records import INBOX, SENT, FolderState, ImapRecords, PlacedMessage, Role
from email_assistant.adapters.sends import DONE, Posting, Send
from email_assistant.clock import Clock
from email_assistant.errors import NotFoundError
from email_assistant.mail.conversation import first_id
from email_assistant.mail.message import Draft, OutgoingMessage
from email_assistant.mail.wire import from_bytes, redated, to_bytes

T = TypeVar("T")
SAVES_SENT = ("gmail.com", "googlemail.com", "office365.com", "outlook.com")
"""Servers that put what they send into Sent themselves: it is waited for."""
WAIT_SECONDS = 10


class ImapDrafts:
    """The part of the `Mailbox` port that saves drafts, sends them and finds what became of them."""

    _connection: Connection
    _records: ImapRecords
    _posting: Posting
    _clock: Clock
    name: str

    @property
    def sends(self) -> bool:
        """Whether the account names a server to send over."""
        return self._posting.relay is not None

    async def _folders(self) -> Folders:
        raise NotImplementedError

    async def _refresh(self, role: Role) -> FolderState:
        raise NotImplementedError

    async def _at(
        self, message_id: str, work: Callable[[Commands, PlacedMessage], T], *, writes: bool = False
    ) -> T:
        raise NotImplementedError

    async def save_draft(self, message: OutgoingMessage, *, replaces: str | None = None) -> Draft:
        """Save a draft, with `replaces` in place of that one, under a new id.

        Raises `NotFoundError` when `replaces` names no draft, `InputError` when the message cannot be written.
        """
        now = self._clock.now()
        raw = to_bytes(message, date=now)
        if message.mail_thread_id and not message.in_reply_to and not message.references:
            await self._records.tie(key_of(message.message_id), message.mail_thread_id)

        def save(commands: Commands, name: str) -> str:
            if replaces is not None and not _text(commands, name, draft_id=replaces, writes=True):
                raise NotFoundError(f"no such draft: {replaces[:100]}")
            commands.select(name, writes=True)
            # The answer to an earlier try may have been lost on its way.
            old = {
                *commands.with_message_id(message.message_id),
                *([_uid(replaces, commands.validity)] if replaces else []),
            }
            uid = commands.append(name, raw, ["\\Draft", "\\Seen"], now)
            uid = uid or max(commands.with_message_id(message.message_id), default=0)
            for each in sorted(old):
                commands.put_away(each)
            return f"{commands.validity}.{uid}"

        return Draft(await self._in_drafts(save), message)

    async def draft(self, draft_id: str) -> Draft | None:
        """The draft as it is now, or None when it is gone."""
        raw = await self._in_drafts(partial(_text, draft_id=draft_id))
        return await self._read(draft_id, raw) if raw else None

    async def find_draft(self, message_id_header: str) -> Draft | None:
        """The draft whose Message-ID header is this, or None."""
        wanted = first_id(message_id_header)

        def find(commands: Commands, name: str) -> tuple[str, bytes] | None:
            validity, uids = _numbers(commands, name, wanted)
            return next(((f"{validity}.{uid}", raw) for uid, raw in commands.texts(uids[-1:]).items()), None)

        found = await self._in_drafts(find) if wanted else None
        return await self._read(*found) if found else None

    async def delete_draft(self, draft_id: str) -> None:
        """Delete the draft; no error when it is gone."""

        def delete(commands: Commands, name: str) -> None:
            if _text(commands, name, draft_id=draft_id, writes=True):
                commands.put_away(_uid(draft_id, commands.validity))

        await self._in_drafts(delete)

    async def send_draft(self, draft_id: str) -> str:
        """Send the draft as it is, dated now; returns the sent message's id. Raises `NotFoundError` when it is gone, or was sent.

        Raises `TransientError` when it is not sent, or nobody can tell: `find_sent` says which.
        """
        raw = await self._in_drafts(partial(_text, draft_id=draft_id))
        if raw is None:
            raise NotFoundError(f"no such draft: {draft_id[:100]}")
        return await self._file(await self._posting.post(draft_id, raw))

    async def find_sent(self, message_id_header: str) -> str | None:
        """The id of the sent message whose Message-ID header is this, or None."""
        wanted = first_id(message_id_header)
        if not wanted:
            return None
        if send := await self._posting.accepted(wanted):
            return await self._file(send)
        return await self._in_sent(wanted, is_ours=bool(await self._posting.sends.of_message(wanted)))

    async def maybe_sent(self, message_id_header: str) -> str:
        """It was handed over, nobody has answered, and it is not in Sent."""
        doubt = await self._posting.in_doubt(first_id(message_id_header))
        return doubt if doubt and not await self.find_sent(message_id_header) else ""

    async def _file(self, send: Send) -> str:
        """Have what was sent in Sent, the mail that it answers marked, and the draft gone; its id."""
        raw = await self._in_drafts(partial(_text, draft_id=send.draft))
        found = await self._in_sent(send.message_id, is_ours=True)
        for _ in range(WAIT_SECONDS if found is None and self._saves_itself else 0):
            await asyncio.sleep(1)
            found = found or await self._in_sent(send.message_id, is_ours=True)
        if raw and found is None:
            dated, name = redated(raw, send.at), (await self._folders()).sent
            await self._connection.run(lambda commands: commands.append(name, dated, ["\\Seen"], send.at))
            found = await self._in_sent(send.message_id)
        if raw:
            await self._mark_answered(from_bytes(raw).in_reply_to)
            await self.delete_draft(send.draft)
        await self._posting.sends.go_on(send, DONE)
        return found or send.draft

    @property
    def _saves_itself(self) -> bool:
        relay = self._posting.relay
        return relay is not None and relay.server.host.lower().endswith(SAVES_SENT)

    async def _in_sent(self, message_id: str, *, is_ours: bool = False) -> str | None:
        """The id of what lies in Sent with this Message-ID; what we sent may have got another one on its way."""
        await self._refresh(SENT)
        place = await self._records.with_message_id(SENT, message_id)
        if place is None and is_ours:
            name = (await self._folders()).sent
            validity, uids = await self._connection.run(lambda commands: _numbers(commands, name, message_id))
            place = await self._records.at(SENT, validity, uids[0]) if uids else None
        return place.id if place else None

    async def _mark_answered(self, message_id: str) -> None:
        place = await self._records.with_message_id(INBOX, message_id) if message_id else None
        if place:
            with suppress(NotFoundError):
                await self._at(place.id, _answered, writes=True)

    async def _in_drafts(self, work: Callable[[Commands, str], T]) -> T:
        name = (await self._folders()).drafts
        return await self._connection.run(lambda commands: work(commands, name))

    async def _read(self, draft_id: str, raw: bytes) -> Draft:
        message = from_bytes(raw)
        ids = (message.message_id, *reversed(message.references), message.in_reply_to)
        thread = await self._records.thread_of([key_of(each) for each in ids if each])
        return Draft(draft_id, replace(message, mail_thread_id=thread))


def _numbers(commands: Commands, name: str, message_id: str) -> tuple[int, list[int]]:
    commands.select(name)
    return commands.validity, commands.with_message_id(message_id)


def _answered(commands: Commands, place: PlacedMessage) -> None:
    commands.store(place.uid, add=["\\Answered"])


def _text(commands: Commands, name: str, *, draft_id: str, writes: bool = False) -> bytes | None:
    """The draft's bytes; None when it is gone, or marked as deleted on a server that takes nothing out."""
    commands.select(name, writes=writes)
    uid = _uid(draft_id, commands.validity)
    with suppress(NotFoundError):
        if uid and "\\Deleted" not in commands.flags(uid):
            return commands.texts([uid]).get(uid)
    return None


def _uid(draft_id: str, validity: int) -> int:
    """The number that a draft's id names in the folder; 0 for one of another numbering, or none of ours."""
    of, _, uid = draft_id.partition(".")
    return int(uid) if of == str(validity) and uid.isdecimal() else 0
