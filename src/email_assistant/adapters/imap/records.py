"""What is on record of an IMAP mailbox: our id of each message beside where it lies now, and the conversations.

A message has the same id wherever it goes and however often its folder is numbered anew: it is found again by what it is. The record holds
nothing but this that the server does not say; two processes that look at once agree, because a folder is taken in only as it was left.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.adapters.headers import Header, header_of, key_of, people_and_subject_of
from email_assistant.adapters.imap.conversations import Named, Ties, keys_in, of_rows
from email_assistant.adapters.imap.tables import FOLDERS, LABELS, MESSAGES, TIES
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.sql import Rows, chunks, hold, insert_or_ignore, inserting, upsert
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.mailbox import MailQuery

Role = Literal["inbox", "sent"]
INBOX: Role = "inbox"
SENT: Role = "sent"
_UNNAMED = 50
"""Of the messages that a reply without references could answer, so many of the newest are looked at."""
_SAME_TIME = timedelta(seconds=2)
_M = MESSAGES.c


@dataclass(frozen=True, slots=True)
class FolderState:
    """How a folder stands: the numbers that its server tells of it."""

    role: str
    name: str
    validity: int
    next_uid: int
    messages: int
    unseen: int
    modseq: int
    """0 where the server counts no changes."""


@dataclass(frozen=True, slots=True)
class Flags:
    """Of a message."""

    is_read: bool
    is_put_away: bool
    """Marked as deleted, and not taken out yet."""


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message that was not there before."""

    uid: int
    flags: Flags
    size: int
    received_at: datetime
    head: bytes


@dataclass(frozen=True, slots=True)
class FolderNews:
    """What has become of a folder since it was taken in last."""

    now: FolderState
    new: Sequence[NewMessage] = ()
    flags: Mapping[int, Flags] | None = None
    """Of messages that were there before, as far as they may have changed."""
    present: frozenset[int] | None = None
    """The messages that are still there; None where none is gone."""
    is_partial: bool = False
    """Whether more is new."""


@dataclass(frozen=True, slots=True)
class PlacedMessage:
    """A message on record."""

    id: str
    role: str
    validity: int
    uid: int
    size: int
    own: str
    thread: str
    sender: str
    subject: str
    searched: str
    received_at: datetime
    is_read: int
    is_put_away: int


_FOLDERS, _MESSAGES = Rows(FOLDERS, FolderState), Rows(MESSAGES, PlacedMessage)


@dataclass(frozen=True)
class ImapRecords:
    """The record of one mailbox."""

    database: Database
    mailbox: str

    async def folder(self, role: Role) -> FolderState | None:
        """How the folder stood when it was taken in last; None before that."""
        mine = (FOLDERS.c.mailbox == self.mailbox, FOLDERS.c.role == role)
        return await _FOLDERS.read_first(self.database, _FOLDERS.select(*mine))

    async def get(self, message_id: str) -> PlacedMessage | None:
        """The message of this id, wherever it is."""
        return await _MESSAGES.read_first(self.database, self._select(_M.id == message_id))

    async def in_place(self, message_ids: Iterable[str]) -> frozenset[str]:
        """Those of the messages that are in their folder."""
        there = (_M.mailbox == self.mailbox, _M.uid > 0, _M.is_put_away == 0)
        found = set[str]()
        async with self.database.read() as connection:
            for some in chunks(message_ids):
                found |= {*(await connection.execute(select(_M.id).where(*there, _M.id.in_(some)))).scalars()}
        return frozenset(found)

    async def at(self, role: Role, validity: int, uid: int) -> PlacedMessage | None:
        """The message that has this number in the folder."""
        found = (_M.role == role, _M.validity == validity, _M.uid == uid)
        return await _MESSAGES.read_first(self.database, self._select(*found))

    async def with_message_id(self, role: Role, message_id: str) -> PlacedMessage | None:
        """The oldest message in the folder whose Message-ID header is this."""
        found = self._select(_M.role == role, _M.own == key_of(message_id), _M.uid > 0)
        return await _MESSAGES.read_first(self.database, found.order_by(_M.received_at, _M.uid))

    async def listed(self, query: MailQuery) -> list[PlacedMessage]:
        """The messages that match, oldest first."""
        conditions = [_M.role == (SENT if query.sent else INBOX), _M.uid > 0, _M.is_put_away == 0]
        conditions += [_M.received_at >= query.after] if query.after else []
        conditions += [_M.received_at < query.before] if query.before else []
        conditions += [_M.is_read == 0] if query.unread_only else []
        conditions += [_M.searched.contains(word, autoescape=True) for word in query.text.casefold().split()]
        found = self._select(*conditions).order_by(_M.received_at, _M.uid)
        return await _MESSAGES.read(self.database, found.limit(query.limit))

    async def since(self, role: Role, validity: int, uid: int) -> list[PlacedMessage]:
        """What has come into the folder from this number on, oldest first."""
        found = self._select(_M.role == role, _M.validity == validity, _M.uid >= uid, _M.is_put_away == 0)
        return await _MESSAGES.read(self.database, found.order_by(_M.received_at, _M.uid))

    async def conversation(self, thread: str) -> list[PlacedMessage]:
        """The messages of the conversation of this present or former name, in the order in which they were received."""
        found = self._select(_M.thread == await self.thread_of([thread]), _M.uid > 0, _M.is_put_away == 0)
        return await _MESSAGES.read(self.database, found.order_by(_M.received_at, _M.role, _M.uid))

    async def thread_of(self, keys: Sequence[str]) -> str:
        """The name of the conversation that the first of these keys (or names) that is known belongs to; "" when none is."""
        async with self.database.read() as connection:
            known = await self._known(connection, keys)
        return next((known[key].thread for key in keys if key in known), "")

    @one_write
    async def tie(self, key: str, thread: str) -> None:
        """Put a message that names none into a conversation."""
        async with self.database.begin() as connection:
            await hold(connection, self.mailbox)
            await self._tie(connection, key, thread)

    @one_write
    async def take(self, before: FolderState | None, news: FolderNews) -> bool:
        """Take in what has become of a folder that stood as it did before; False when another process was first."""
        heads = [(each, header_of(each.head)) for each in news.new]
        async with self.database.begin() as connection:
            await hold(connection, self.mailbox)
            mine = (FOLDERS.c.mailbox == self.mailbox, FOLDERS.c.role == news.now.role)
            if await _FOLDERS.first(connection, _FOLDERS.select(*mine)) != before:
                return False
            await self._follow(
                connection, news, is_anew=before is None or before.validity != news.now.validity
            )
            ids = await self._add(connection, news.now, heads)
            if news.now.role == SENT:
                for new, header in [each for each in heads if not each[1].references][-_UNNAMED:]:
                    await self._tie_unnamed(connection, new, header, ids[new.uid])
            row = {"mailbox": self.mailbox, **asdict(news.now)}
            await upsert(connection, FOLDERS, row, keys=("mailbox", "role"))
        return True

    @one_read
    async def labels(self, message_id: str) -> frozenset[str]:
        """The labels that are kept here."""
        async with self.database.read() as connection:
            found = select(LABELS.c.label).where(LABELS.c.mailbox == self.mailbox, LABELS.c.id == message_id)
            return frozenset((await connection.execute(found)).scalars())

    @one_write
    async def change_labels(self, message_id: str, add: Iterable[str], remove: Iterable[str]) -> None:
        """Add and remove labels that are kept here; one in both is removed."""
        gone = set(remove)
        async with self.database.begin() as connection:
            mine = (LABELS.c.mailbox == self.mailbox, LABELS.c.id == message_id)
            await connection.execute(LABELS.delete().where(*mine, LABELS.c.label.in_(sorted(gone))))
            for label in sorted(set(add) - gone):
                row = {"mailbox": self.mailbox, "id": message_id, "label": label}
                await insert_or_ignore(connection, LABELS, row)

    def _select(self, *conditions: ColumnElement[bool]) -> Select[Any]:
        return _MESSAGES.select(_M.mailbox == self.mailbox, *conditions)

    async def _follow(self, connection: AsyncConnection, news: FolderNews, *, is_anew: bool) -> None:
        """Put down what is gone, and the flags of what is there; numbered anew, all is gone until it is found again."""
        if not is_anew and news.present is None and not news.flags:
            return
        rows = select(_M.id, _M.uid, _M.is_read, _M.is_put_away).where(
            _M.mailbox == self.mailbox, _M.role == news.now.role, _M.uid > 0
        )
        there = (await connection.execute(rows)).all()
        present = frozenset[int]() if is_anew else news.present
        if present is not None:
            await self._set(connection, [row.id for row in there if row.uid not in present], uid=0)
        for flags in (Flags(read, away) for read in (False, True) for away in (False, True)):
            told = {uid for uid, each in (news.flags or {}).items() if each == flags}
            changed = [
                row.id
                for row in there
                if row.uid in told and (row.is_read, row.is_put_away) != (flags.is_read, flags.is_put_away)
            ]
            await self._set(connection, changed, is_read=flags.is_read, is_put_away=flags.is_put_away)

    async def _set(self, connection: AsyncConnection, ids: Sequence[str], **values: int) -> None:
        for some in chunks(ids):
            rows = update(MESSAGES).where(_M.mailbox == self.mailbox, _M.id.in_(some))
            await connection.execute(rows.values({name: int(value) for name, value in values.items()}))

    async def _add(
        self, connection: AsyncConnection, now: FolderState, heads: Sequence[tuple[NewMessage, Header]]
    ) -> dict[int, str]:
        """Put down the new messages with their conversations; their ids by their numbers."""
        owns = {new.uid: _own(now, new, header) for new, header in heads}
        gone = await self._gone(connection, now.role, [*owns.values()])
        messages = [
            (owns[new.uid], _root(owns[new.uid], each), [*map(key_of, each.references)])
            for new, each in heads
        ]
        ties = await self._ties(connection, keys_in(messages))
        for message in messages:
            ties.add(*message)
        await self._write_ties(connection, ties)
        rows, ids = list[dict[str, Any]](), dict[int, str]()
        for new, header in heads:
            own = owns[new.uid]
            place = {
                "role": now.role, "validity": now.validity, "uid": new.uid, "thread": ties.known[own].thread,
                "is_read": int(new.flags.is_read), "is_put_away": int(new.flags.is_put_away),
            }  # fmt: skip
            known = _found_again(gone, own, new)
            ids[new.uid] = known or _id(now, new.uid)
            if known:
                row = update(MESSAGES).where(_M.mailbox == self.mailbox, _M.id == known)
                await connection.execute(row.values(place))
                continue
            sender, _, subject = people_and_subject_of(new.head)
            rows.append({
                "mailbox": self.mailbox, "id": ids[new.uid], "own": own, "size": new.size, "received_at": new.received_at,
                "sender": sender, "subject": subject, "searched": header.searched, **place,
            })  # fmt: skip
        if rows:
            await connection.execute(inserting(MESSAGES), rows)
        return ids

    async def _gone(
        self, connection: AsyncConnection, role: str, owns: Sequence[str]
    ) -> dict[tuple[str, int], list[tuple[datetime, str]]]:
        """When messages were received that were in the folder and are not there now, and their ids, by key and size."""
        found = dict[tuple[str, int], list[tuple[datetime, str]]]()
        for some in chunks(owns):
            rows = select(_M.id, _M.own, _M.size, _M.received_at).where(
                _M.mailbox == self.mailbox, _M.role == role, _M.uid == 0, _M.own.in_(some)
            )
            for row in await connection.execute(rows):
                found.setdefault((row.own, row.size), []).append((row.received_at, row.id))
        return found

    async def _known(self, connection: AsyncConnection, keys: Sequence[str]) -> Mapping[str, Named]:
        known = dict[str, Named]()
        for some in chunks(keys):
            rows = select(TIES.c.key, TIES.c.thread, TIES.c.place)
            known.update(
                of_rows(
                    await connection.execute(rows.where(TIES.c.mailbox == self.mailbox, TIES.c.key.in_(some)))
                )
            )
        return known

    async def _ties(self, connection: AsyncConnection, keys: Sequence[str]) -> Ties:
        last = select(func.max(TIES.c.place)).where(TIES.c.mailbox == self.mailbox)
        place = (await connection.execute(last)).scalar()
        return Ties(dict(await self._known(connection, keys)), int(place or 0))

    async def _write_ties(self, connection: AsyncConnection, ties: Ties) -> None:
        for other, name in ties.joined.items():
            for table in (TIES, MESSAGES):
                rows = update(table).where(table.c.mailbox == self.mailbox, table.c.thread == other)
                place = {"place": name.place} if table is TIES else {}
                await connection.execute(rows.values(thread=name.thread, **place))
        rows_ = [
            {"mailbox": self.mailbox, "key": key, "thread": name.thread, "place": name.place}
            for key, name in ties.added.items()
        ]
        if rows_:
            await connection.execute(inserting(TIES), rows_)

    async def _tie(self, connection: AsyncConnection, key: str, thread: str) -> None:
        ties = await self._ties(connection, [key, thread])
        if thread in ties.known:
            ties.add(key, key, [thread])
            await self._write_ties(connection, ties)

    async def _tie_unnamed(
        self, connection: AsyncConnection, new: NewMessage, header: Header, message_id: str
    ) -> None:
        """Put a reply that names no message into the conversation of the latest one of that subject from whom it goes to."""
        _, readers, subject = people_and_subject_of(new.head)
        asked = base_subject(subject)
        if not asked or asked == subject:
            return
        found = self._select(
            _M.role == INBOX, _M.received_at <= new.received_at, _M.searched.contains(asked.casefold(), autoescape=True)
        )  # fmt: skip
        latest = await _MESSAGES.all(connection, found.order_by(_M.received_at.desc()).limit(_UNNAMED))
        for each in latest:
            if each.sender in readers and base_subject(each.subject) == asked:
                await self._tie(connection, key_of(header.message_id or message_id), each.thread)
                return


def is_same(place: PlacedMessage, new: NewMessage) -> bool:
    """Whether a message that lies elsewhere is this one."""
    header = header_of(new.head)
    own = key_of(header.message_id) if header.message_id else place.own
    return (own, new.size, header.searched) == (place.own, place.size, place.searched)


def _found_again(
    gone: Mapping[tuple[str, int], list[tuple[datetime, str]]], own: str, new: NewMessage
) -> str | None:
    """The id of the message that this one was before; a server may tell another second of it than before."""
    for at, message_id in gone.get((own, new.size), ()):
        if abs(at - new.received_at) <= _SAME_TIME:
            gone[own, new.size].remove((at, message_id))
            return message_id
    return None


def _id(folder: FolderState, uid: int) -> str:
    """The id of a message that is seen for the first time, the same for whoever sees it."""
    place = f"{folder.role}\0{folder.validity}\0{uid}"
    return hashlib.sha256(place.encode()).hexdigest()[:24]


def _own(folder: FolderState, new: NewMessage, header: Header) -> str:
    """What stands for a message among conversations."""
    return key_of(header.message_id or _id(folder, new.uid))


def _root(own: str, header: Header) -> str:
    return key_of(header.root) if header.root else own
