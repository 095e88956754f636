"""The people the user has written to: what a sender's name and domain are compared with."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from sqlalchemy import and_, bindparam, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_read, one_write
from email_assistant.journal.statements import check_keys, upsert
from email_assistant.journal.tables import CORRESPONDENTS
from email_assistant.mail.address import Address, unique
from email_assistant.mail.authenticity import KnownSender, Sought, written_to
from email_assistant.mail.domain import registered
from email_assistant.mail.lookalikes import MAX_NAME, domain_skeleton, name_skeleton
from email_assistant.mail.message import Message

MAX_NAMESAKES = 20
MAX_DOMAINS = 20
CHUNK = 500
"""Addresses asked for at once; old SQLite takes no more than 999 parameters."""

_ROW = CORRESPONDENTS.c
_OURS = _ROW.mailbox == bindparam("of_mailbox")
_NAMED = select(_ROW.address, _ROW.name)
_ENTRY = _NAMED.where(_OURS, _ROW.address == bindparam("of_address"))
_ENTRIES = _NAMED.where(_OURS, _ROW.address.in_(bindparam("of_addresses", expanding=True)))
_NAMESAKES = (
    _NAMED.where(_OURS, _ROW.name_skeleton == bindparam("skeleton"))
    .order_by(_ROW.last_at.desc(), _ROW.address)
    .limit(MAX_NAMESAKES)
)
_DOMAINS = (
    select(_ROW.domain)
    .where(_OURS, _ROW.domain_skeleton.in_(bindparam("skeletons", expanding=True)))
    .group_by(_ROW.domain)
    .order_by(func.min(_ROW.first_at), _ROW.domain)
    .limit(MAX_DOMAINS)
)
_Written: TypeAlias = tuple[Mapping[str, str], datetime]
"""The row of somebody the user wrote to, and when that was."""


@dataclass(frozen=True)
class Correspondents:
    """The correspondents table; each mailbox has its own."""

    database: Database
    clock: Clock

    async def note(self, mailbox: str, addresses: Iterable[Address], at: datetime | None = None) -> None:
        """Remember that the user wrote to these addresses at that instant (now when left out); safe to repeat.

        Times only widen, and a name is replaced by one that was used later. What has no domain is left out.
        """
        await self._note_all(mailbox, await self._rows(mailbox, [(one, at) for one in unique(addresses)]))

    async def note_with_next(self, mailbox: str, addresses: Iterable[Address]) -> None:
        """`note`, in one transaction with what is written next, as the record that something was sent to them."""
        rows = await self._rows(mailbox, [(one, None) for one in unique(addresses)])
        self.database.note(partial(self._note_all, mailbox, rows))

    async def note_sent(self, mailbox: str, messages: Iterable[Message], own: frozenset[str]) -> None:
        """`note` whom the user has written to in these messages of the mailbox, in one step; see `written_to`."""
        written = [(one, m.date) for m in messages for one in written_to([m], own)]
        await self._note_all(mailbox, await self._rows(mailbox, written))

    async def unknown(self, mailbox: str, addresses: Iterable[Address]) -> frozenset[str]:
        """The `Address.key`s of those that are not on record, or with another name."""
        asked = {one.key: one.name[:MAX_NAME] for one in unique(addresses)}
        return await self._unknown(mailbox, asked) if asked else frozenset()

    @one_read
    async def _unknown(self, mailbox: str, asked: Mapping[str, str]) -> frozenset[str]:
        keys, named = list(asked), dict[str, str]()
        async with self.database.read() as connection:
            for start in range(0, len(keys), CHUNK):
                of = {"of_mailbox": mailbox, "of_addresses": keys[start : start + CHUNK]}
                rows = await connection.execute(_ENTRIES, of)
                named.update((row.address, row.name) for row in rows)
        return frozenset(
            key for key, name in asked.items() if key not in named or (name and name != named[key])
        )

    async def _rows(self, mailbox: str, written: Iterable[tuple[Address, datetime | None]]) -> list[_Written]:
        check_keys(mailbox=mailbox)
        # In one order, so that two who note the same people do not wait for each other.
        people = sorted((each for each in written if each[0].domain), key=lambda each: each[0].key)
        rows = await asyncio.to_thread(lambda: [_described(one) for one, _ in people])
        now = self.clock.now()
        return [(row, at or now) for row, (_, at) in zip(rows, people, strict=True)]

    async def _note_all(self, mailbox: str, rows: Sequence[_Written]) -> None:
        if rows:
            await self._write(mailbox, rows)

    @one_write
    async def _write(self, mailbox: str, rows: Sequence[_Written]) -> None:
        async with self.database.begin() as connection:
            for row, at in rows:
                await _note(connection, {"mailbox": mailbox, **row}, at)

    @one_read
    async def known(self, mailbox: str, sought: Sought) -> KnownSender:
        """What the record says about a sender; three look-ups in indexes, however many people there are."""
        async with self.database.read() as connection:
            return KnownSender(
                await _namesakes(connection, mailbox, sought.name) if sought.name else (),
                await _domains(connection, mailbox, sought.domains),
                await _entry(connection, mailbox, sought.address),
            )


def _described(one: Address) -> dict[str, str]:
    name = one.name[:MAX_NAME]
    return {
        "address": one.key,
        "name": name,
        "name_skeleton": name_skeleton(name),
        "domain": registered(one.domain),
        "domain_skeleton": domain_skeleton(one.domain),
    }


async def _note(connection: AsyncConnection, row: Mapping[str, str], when: datetime) -> None:
    first = {**row, "first_at": when, "last_at": when}
    await upsert(connection, CORRESPONDENTS, first, keys=("mailbox", "address"), update=_widened)


def _widened(said: Any) -> dict[str, Any]:
    """Times only widen; a name gives way to one that was used later."""
    renamed = and_(said.name != "", or_(_ROW.name == "", _ROW.last_at <= said.last_at))
    return {
        **{column: case((renamed, said[column]), else_=_ROW[column]) for column in ("name", "name_skeleton")},
        "domain": said.domain,
        "domain_skeleton": said.domain_skeleton,
        "first_at": case((_ROW.first_at > said.first_at, said.first_at), else_=_ROW.first_at),
        "last_at": case((_ROW.last_at < said.last_at, said.last_at), else_=_ROW.last_at),
    }


async def _namesakes(connection: AsyncConnection, mailbox: str, name: str) -> tuple[Address, ...]:
    rows = await connection.execute(_NAMESAKES, {"of_mailbox": mailbox, "skeleton": name})
    return tuple(Address(row.address, row.name) for row in rows)


async def _domains(connection: AsyncConnection, mailbox: str, skeletons: tuple[str, ...]) -> tuple[str, ...]:
    of = {"of_mailbox": mailbox, "skeletons": list(skeletons[:MAX_DOMAINS])}
    return tuple((await connection.execute(_DOMAINS, of)).scalars())


async def _entry(connection: AsyncConnection, mailbox: str, address: str) -> Address | None:
    row = (await connection.execute(_ENTRY, {"of_mailbox": mailbox, "of_address": address})).first()
    return Address(row.address, row.name) if row else None
