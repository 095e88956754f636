"""The contacts: what is known about people, by address."""

import asyncio
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, TypedDict

from sqlalchemy import delete, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.clock import Clock
from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read
from email_assistant.journal.sql import Rows, check_keys, upsert
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.table import checked_cell, quoted
from email_assistant.mail.text import one_line
from email_assistant.workflows.reply_pipeline.records.tables import CONTACTS

LIMITS = {"name": 200, "organisation": 200, "phone": 60, "role": 120, "notes": 4000}
"""Most characters of each field."""
MAX_TAGS = 20
MAX_TAG = 40
MAX_SOURCE = 120


class ContactFields(TypedDict, total=False):
    """The details that can be changed; "" or () takes one away."""

    name: str
    organisation: str
    phone: str
    role: str
    notes: str
    tags: Sequence[str]


@dataclass(frozen=True, slots=True)
class Contact:
    """One person at one address. Times are aware and in UTC; None while the contact is not stored."""

    address: str
    """As `mail.address.Address.key` has it."""
    name: str = ""
    organisation: str = ""
    phone: str = ""
    role: str = ""
    notes: str = ""
    """The only field of several lines."""
    tags: tuple[str, ...] = ()
    source: str = ""
    """Where the latest change came from, like "import of friends.csv" or "by hand"."""
    created_at: datetime | None = None
    updated_at: datetime | None = None

    def fields(self) -> dict[str, Any]:
        """The details, by name."""
        return {name: getattr(self, name) for name in (*LIMITS, "tags")}

    def merged(self, other: "Contact") -> "Contact":
        """This contact with what `other` says besides: its text replaces ours unless it is empty, its tags are added.

        Raises `InputError` when that makes too many tags.
        """
        said = {name: value for name, value in other.fields().items() if value}
        said["tags"] = checked_tags((*self.tags, *other.tags))
        return replace(self, **said)


def contact_address(text: str) -> str:
    """The address to keep a contact by; raises `InputError` when the text is not one address."""
    address = Address(text.strip())
    if not is_email(address.email):
        raise InputError(f"address: not an email address: {quoted(text)}")
    check_keys(address=address.key)
    return address.key


def checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The details as they are kept: cleaned, tags once each.

    Raises `InputError` naming the field that is unknown, too long, or holds a control character or a formula.
    """
    unknown = next((name for name in fields if name not in LIMITS and name != "tags"), None)
    if unknown is not None:
        raise InputError(f"{unknown}: not a field of a contact; there is {', '.join((*LIMITS, 'tags'))}")
    return {
        name: checked_tags(value) if name == "tags" else _text(name, value, LIMITS[name])
        for name, value in fields.items()
    }


def checked_contact(contact: Contact) -> Contact:
    """The contact with address, details and source as they are kept; raises `InputError` like `checked`."""
    details = checked(contact.fields())
    source = one_line(contact.source, limit=MAX_SOURCE)
    return replace(contact, address=contact_address(contact.address), source=source, **details)


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags in order, each once in whatever case; raises `InputError` when one is wrong or there are too many."""
    found: dict[str, str] = {}
    for given in tags:
        tag = _text("tags", given, MAX_TAG)
        if "," in tag:
            raise InputError(f"tags: a comma separates tags, so none can be in {quoted(tag)}")
        if tag:
            found.setdefault(tag.casefold(), tag)
    if len(found) > MAX_TAGS:
        raise InputError(f"tags: more than {MAX_TAGS}")
    return tuple(found.values())


def folded(text: str) -> str:
    """The text as it is searched: without the differences of case and of the ways to write one character."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _text(field: str, value: str, limit: int) -> str:
    try:
        return checked_cell(value, limit, lines=field == "notes")
    except InputError as error:
        raise InputError(f"{field}: {error}") from None


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
        return tuple(await _CONTACTS.read(self.database, statement))

    async def list(self, limit: int = PAGE, after: str = "") -> tuple[Contact, ...]:
        """Up to `limit` contacts in the order of their addresses, those behind the address `after`."""
        statement = _CONTACTS.select(_ROW.address > after.lower()).order_by(_ROW.address).limit(limit)
        return tuple(await _CONTACTS.read(self.database, statement))

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
