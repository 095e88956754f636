"""The contacts: what is known about people, by address."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from sqlalchemy import delete, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.errors import InputError
from email_assistant.journal.contact import (
    MAX_SOURCE,
    Contact,
    ContactFields,
    checked,
    checked_contact,
    contact_address,
    folded,
)
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import one_read
from email_assistant.journal.rows import Rows
from email_assistant.journal.statements import upsert
from email_assistant.journal.tables import CONTACTS
from email_assistant.mail.text import one_line

__all__ = ["Contact", "ContactFields", "Contacts", "Imported"]

PAGE = 100
BATCH = 500
"""Contacts of an import that are in memory at once."""
MAX_WORDS = 10

_ROW = CONTACTS.c
_CONTACTS = Rows(CONTACTS, Contact, tags=tuple)


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the contacts of an import."""

    new: int = 0
    changed: int = 0
    same: int = 0
    """Those that said nothing new."""


@dataclass(frozen=True)
class Contacts:
    """The contacts table; one for all mailboxes. Addresses may be given in any case of letters.

    What takes an address raises `InputError` when it is not one.
    """

    database: Database
    clock: Clock

    @one_read
    async def get(self, address: str) -> Contact | None:
        """The contact with this address, or None."""
        key = contact_address(address)
        async with self.database.read() as connection:
            return await _one(connection, key)

    async def upsert(self, address: str, fields: ContactFields, *, source: str) -> Contact:
        """Change these details and leave the others; a contact that is not there is made.

        When nothing is different, `source` and `updated_at` stay, too. Raises `InputError` naming the field that is wrong.
        """
        key, wanted = contact_address(address), checked(fields)
        now, origin = self.clock.now(), one_line(source, limit=MAX_SOURCE)
        first = Contact(key, **wanted, source=origin, created_at=now, updated_at=now)
        async with self.database.begin() as connection:
            # Writes nothing to a row that is there, and holds it until the transaction ends.
            await upsert(connection, CONTACTS, _values(first), keys=("address",), update=("address",))
            found = await _one(connection, key)
            assert found is not None  # noqa: S101 - it is held
            changed = replace(found, **wanted)
            if changed == found:
                return found
            changed = replace(changed, source=origin, updated_at=now)
            await connection.execute(update(CONTACTS).where(_ROW.address == key).values(_values(changed)))
            return changed

    async def import_all(self, contacts: Iterable[Contact]) -> Imported:
        """Merge all of them into what is there (see `Contact.merged`) in one transaction; their times are not used.

        The contacts are taken a few at a time, in a thread. Whatever taking them raises, and `InputError` for one that is
        wrong, is passed on, and nothing was imported. Nobody else writes contacts meanwhile.
        """
        stream = iter(contacts)
        tally = Imported()
        async with self.database.begin() as connection:
            if connection.dialect.name == "postgresql":
                await connection.execute(text("LOCK TABLE contacts IN SHARE ROW EXCLUSIVE MODE"))
            while batch := await asyncio.to_thread(_take, stream):
                tally = await self._merge(connection, batch, tally)
        return tally

    @one_read
    async def search(self, text: str, limit: int = PAGE) -> tuple[Contact, ...]:
        """Up to `limit` contacts in which every word of the text stands somewhere, in the order of their addresses."""
        words = [folded(word) for word in one_line(text, limit=400).split()[:MAX_WORDS]]
        conditions = [_ROW.search_text.contains(word, autoescape=True) for word in words]
        statement = _CONTACTS.select(*conditions).order_by(_ROW.address).limit(limit)
        async with self.database.read() as connection:
            return tuple(await _CONTACTS.all(connection, statement))

    async def list(self, limit: int = PAGE, after: str = "") -> tuple[Contact, ...]:
        """Up to `limit` contacts in the order of their addresses, those behind the address `after`."""
        statement = _CONTACTS.select(_ROW.address > after.lower()).order_by(_ROW.address).limit(limit)
        async with self.database.read() as connection:
            return tuple(await _CONTACTS.all(connection, statement))

    async def remove(self, address: str) -> bool:
        """Forget the contact; False when there was none."""
        key = contact_address(address)
        async with self.database.begin() as connection:
            return (await connection.execute(delete(CONTACTS).where(_ROW.address == key))).rowcount == 1

    async def _merge(
        self, connection: AsyncConnection, batch: Sequence[Contact], tally: Imported
    ) -> Imported:
        now = self.clock.now()
        known = await _those(connection, [each.address for each in batch])
        touched: dict[str, dict[str, Any]] = {}
        new, changed = tally.new, tally.changed
        for each in batch:
            before = known.get(each.address)
            after = _merged(before, each) if before else each
            if before == after:
                continue
            new, changed = (new, changed + 1) if before else (new + 1, changed)
            created = before.created_at if before else now
            after = replace(after, source=each.source, created_at=created, updated_at=now)
            known[each.address] = after
            touched[each.address] = _values(after)
        if touched:
            # In one order, so that two who write the same contacts do not wait for each other.
            rows = [touched[key] for key in sorted(touched)]
            await upsert(connection, CONTACTS, rows, keys=("address",))
        total = tally.new + tally.changed + tally.same + len(batch)
        return Imported(new, changed, total - new - changed)


def _take(stream: Iterator[Contact]) -> Sequence[Contact]:
    return [checked_contact(each) for each in islice(stream, BATCH)]


def _merged(before: Contact, given: Contact) -> Contact:
    try:
        return before.merged(given)
    except InputError as error:
        raise InputError(f"{given.address}: {error} (with those it has already)") from None


async def _one(connection: AsyncConnection, key: str) -> Contact | None:
    return (await _those(connection, [key])).get(key)


async def _those(connection: AsyncConnection, keys: Sequence[str]) -> dict[str, Contact]:
    found = await _CONTACTS.all(connection, _CONTACTS.select(_ROW.address.in_(keys)))
    return {each.address: each for each in found}


def _values(contact: Contact) -> dict[str, Any]:
    searched = (contact.address, *contact.fields().values())
    lines = [" ".join(each) if isinstance(each, tuple) else each for each in searched]
    return {
        "address": contact.address,
        **contact.fields(),
        "tags": [*contact.tags],
        "source": contact.source,
        "search_text": folded("\n".join(lines)),
        "created_at": contact.created_at,
        "updated_at": contact.updated_at,
    }
