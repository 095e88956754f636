"""Category hints: what a person has said often enough about a sender or a list to go without asking, on a card or by another label."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, and_, case, select, update

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.sql import Update, check_keys, upsert
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Message
from email_assistant.workflows.inbox_organizer.records.tables import CATEGORY_CORRECTIONS

_MAX_KEY = 300
NEEDED = 3
"""So many corrections in a row that agree make a hint."""

_ROW = CATEGORY_CORRECTIONS.c
_KEY = ("mailbox", "key", "message_id")
_LAST_WORD = ("category", "by_person", "decided_at", "forgotten_at")


@dataclass(frozen=True, slots=True)
class Hint:
    """The outcome of the corrections about one key."""

    key: str
    """"list:" and the list's id, or "sender:" and the address."""
    category: str
    """The category of the latest correction."""
    agreeing: int
    """The number of the latest corrections that agree, `NEEDED` at most."""
    since: datetime

    @property
    def holds(self) -> bool:
        """Whether it decides without a model; until then it is only on its way."""
        return self.agreeing >= NEEDED


def hint_keys(message: Message, *, is_correspondent: bool) -> tuple[str, ...]:
    """The key under which corrections of this message count; () for mail that people answer.

    Many lists may be sent from one address, so a list is known by its id alone, and only other mail by its sender.
    """
    if is_correspondent or message.in_reply_to or not bulk_of(message).one_way:
        return ()
    identity = message.headers.get("list-id", "").rpartition("<")[2].strip("<> \t\r\n").lower()
    sender = message.sender.key if message.sender.email else ""
    key = f"list:{identity}" if identity else f"sender:{sender}" if sender else ""
    return (key[:_MAX_KEY],) if key else ()


@dataclass(frozen=True)
class CategoryHints:
    """The corrections table."""

    database: Database
    clock: Clock

    @one_write
    async def teach(self, mailbox: str, keys: Sequence[str], category: str, message_id: str) -> None:
        """A person corrected the category of a message; safe to repeat, and the last word about a message counts."""
        check_keys(category=category)
        await self._put(self._rows(mailbox, keys, message_id, category, by_person=True), _LAST_WORD)

    @one_write
    async def gave(self, mailbox: str, keys: Sequence[str], category: str, message_id: str) -> None:
        """A message got the label of this category without a person, or ("") none; what a person said of it stands."""
        await self._put(self._rows(mailbox, keys, message_id, category, by_person=False), _unless_said)

    async def _put(self, rows: Sequence[Mapping[str, Any]], update: Update) -> None:
        if rows:
            async with self.database.begin() as connection:
                await upsert(connection, CATEGORY_CORRECTIONS, rows, keys=_KEY, update=update)

    @one_read
    async def given(self, mailbox: str, keys: Sequence[str]) -> list[tuple[str, str]]:
        """Message and category of the latest mails of these keys, `NEEDED` at most, of which nobody has said anything."""
        own = and_(_ROW.mailbox == mailbox, _ROW.key.in_(list(keys)), _ROW.by_person.is_(False))
        latest = select(_ROW.message_id, _ROW.category).where(own).order_by(_ROW.id.desc()).limit(NEEDED)
        async with self.database.read() as connection:
            return [(row.message_id, row.category) for row in await connection.execute(latest)]

    def _rows(
        self, mailbox: str, keys: Sequence[str], message_id: str, category: str, *, by_person: bool
    ) -> list[dict[str, Any]]:
        for key in keys:
            check_keys(mailbox=mailbox, message_id=message_id, key=key)
        said = {"category": category, "by_person": by_person}
        about = {
            "mailbox": mailbox,
            "message_id": message_id,
            "decided_at": self.clock.now(),
            "forgotten_at": None,
        }
        return [about | said | {"key": key} for key in sorted(set(keys))]

    async def find(self, mailbox: str, keys: Sequence[str]) -> Hint | None:
        """The hint that holds for the first of the keys that has one."""
        found = await self._hints(mailbox, keys)
        return next((found[key] for key in keys if key in found and found[key].holds), None)

    async def all(self, mailbox: str) -> list[Hint]:
        """Every hint, also those that do not hold yet, by key."""
        found = await self._hints(mailbox, None)
        return [found[key] for key in sorted(found)]

    async def forget(self, mailbox: str, key: str) -> bool:
        """Undo what was taught about a key; False when there is nothing to undo."""
        there = and_(_ROW.mailbox == mailbox, _ROW.key == key, _ROW.forgotten_at.is_(None))
        async with self.database.begin() as connection:
            done = await connection.execute(
                update(CATEGORY_CORRECTIONS).where(there).values(forgotten_at=self.clock.now())
            )
        return bool(done.rowcount)

    @one_read
    async def _hints(self, mailbox: str, keys: Sequence[str] | None) -> dict[str, Hint]:
        condition = and_(_ROW.mailbox == mailbox, _ROW.forgotten_at.is_(None), _ROW.by_person)
        if keys is not None:
            condition = and_(condition, _ROW.key.in_(list(keys)))
        statement = select(_ROW.key, _ROW.category, _ROW.decided_at).where(condition)
        latest_first = statement.order_by(_ROW.decided_at.desc(), _ROW.id.desc())
        by_key: defaultdict[str, list[Row[Any, Any, Any]]] = defaultdict(list)
        async with self.database.read() as connection:
            for row in await connection.execute(latest_first):
                by_key[row.key].append(row)
        return {key: _hint(key, rows[:NEEDED]) for key, rows in by_key.items()}


def _unless_said(one: Any) -> dict[str, Any]:
    return {"category": case((_ROW.by_person, _ROW.category), else_=one.category)}


def _hint(key: str, latest: Sequence[Row[Any, Any, Any]]) -> Hint:
    agreeing = 0
    for row in latest:
        if row.category != latest[0].category:
            break
        agreeing += 1
    return Hint(key, latest[0].category, agreeing, latest[agreeing - 1].decided_at)
