"""A mailbox on record: which one a database is about, how far it was read, whom its user has written to."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, and_, bindparam, case, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.errors import AccessError, ConfigError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import is_sqlite, one_read, one_write, place
from email_assistant.journal.sql import Rows, check_keys, chunks, insert_or_ignore, upsert
from email_assistant.journal.tables import CORRESPONDENTS, CURSORS, LOOKS, MAIL, OWNER
from email_assistant.mail.address import Address, unique
from email_assistant.mail.authenticity import KnownSender, Sought, written_to
from email_assistant.mail.domains import MAX_NAME, domain_skeleton, name_skeleton, registered
from email_assistant.mail.message import Message

Identify = Callable[[str | None], str]
"""Who a mailbox is, given who is on record: "" of a database that has mail and no owner yet, None of a new one."""
MAX_NAMESAKES = 20
MAX_DOMAINS = 20

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


def claim(
    engine: Engine,
    name: str,
    identify: Identify,
    keep_name: Callable[[str], object] = str,
    *,
    looks: bool = False,
) -> None:
    """Put the mailbox down as the database's owner, or see that it is; one that was moved has its new place on record. Blocks.

    `keep_name` is given the name under which its rows are, before the new place is put down. An owner without mail gives way.
    Who only `looks` claims nothing.

    Raises `ConfigError` when the database has the mail of another mailbox, and what `identify` raises.
    """
    with engine.execution_options(reading=True).connect() as connection:
        known = connection.execute(select(OWNER)).first()
        has_mail = _has_mail(connection, is_anothers=known is not None and known.name != name)
    if looks and not has_mail:
        return
    gives_way = known is not None and not has_mail
    recorded = known.identity if known and not gives_way else "" if has_mail else None
    try:
        identity = identify(recorded)
    except AccessError:
        if known is None or known.name == name:
            raise
        identity = ""  # It was never this database's.
    if known and known.identity != identity and not gives_way:
        setting = "EMAIL_ASSISTANT_DATA_DIR" if is_sqlite(engine.url) else "DATABASE_URL"
        raise ConfigError(
            f"{setting}: {place(engine.url)} belongs to {known.name}, not to {name}, and has mail of it on record: set {setting} "
            "to another place for this mailbox, or EMAIL_ASSISTANT_MAILBOX back to that one"
        )
    keep_name(known.name if known and known.identity == identity else name)
    if looks or (known and (known.name, known.identity) == (name, identity)):
        return
    row = {"number": 1, "identity": identity, "name": name}
    try:
        with engine.begin() as connection:
            connection.execute(update(OWNER).values(row) if known else insert(OWNER).values(row))
    except IntegrityError:  # Another process was first.
        claim(engine, name, identify, keep_name, looks=looks)


async def disown(database: Database) -> None:
    """Let the next mailbox that opens the database be its owner."""
    async with database.begin() as connection:
        await connection.execute(delete(OWNER))


def _has_mail(connection: Connection, *, is_anothers: bool) -> bool:
    """Whether there is mail on record; how far a mailbox was read counts for itself, not against another one."""
    tables = (MAIL,) if is_anothers else (MAIL, CURSORS)
    return any(connection.execute(select(each.c.mailbox).limit(1)).first() for each in tables)


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


@dataclass(frozen=True, slots=True)
class LookRecord:
    """How looking for mail in a mailbox goes."""

    since: datetime
    """Looks take up mail received since then; what is older, a backfill."""
    looked_at: datetime | None
    """When the last look ended, None while the first is under way."""
    failure: str
    """Why it failed, on one line; "" when it did not."""
    failing_since: datetime | None
    """When the first of the failures without a success between them was."""


_LOOKS = Rows(LOOKS, LookRecord)


@dataclass(frozen=True)
class Looks:
    """One record a mailbox: when it was last looked into, and how that ended."""

    database: Database
    clock: Clock

    async def get(self, mailbox: str) -> LookRecord | None:
        """The mailbox's record; None before the first look."""
        return await _LOOKS.read_first(self.database, _LOOKS.select(LOOKS.c.mailbox == mailbox))

    async def begin(self, mailbox: str, since: datetime) -> LookRecord:
        """The mailbox's record, made with this beginning on its first look."""
        if found := await self.get(mailbox):
            return found
        row = {"mailbox": mailbox, "since": since, "failure": ""}
        async with self.database.begin() as connection:
            await insert_or_ignore(connection, LOOKS, row)
        return await self.get(mailbox) or LookRecord(since, None, "", None)

    async def ended(self, mailbox: str, failure: str = "") -> None:
        """Put down that a look has ended now, and why it failed when it did."""
        now = self.clock.now()
        failing_since = func.coalesce(LOOKS.c.failing_since, now) if failure else None
        values = {"looked_at": now, "failure": failure, "failing_since": failing_since}
        async with self.database.begin() as connection:
            await connection.execute(update(LOOKS).where(LOOKS.c.mailbox == mailbox).values(values))


@dataclass(frozen=True)
class Correspondents:
    """The people the user has written to: what a sender's name and domain are compared with. Each mailbox has its own."""

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
        named: dict[str, str] = {}
        async with self.database.read() as connection:
            for some in chunks(asked):
                rows = await connection.execute(_ENTRIES, {"of_mailbox": mailbox, "of_addresses": some})
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
