"""The people the user has written to."""

import asyncio
from datetime import timedelta

import pytest
from blockbuster import blockbuster_ctx
from sqlalchemy import func, select, text

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.journal.mailboxes import Correspondents
from email_assistant.journal.tables import CORRESPONDENTS
from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import STRANGER, KnownSender, sought
from email_assistant.mail.message import Message

ANA = Address("ana@petrova.example", "Ana Petrova")


@pytest.fixture
def correspondents(database: Database, clock: FixedClock) -> Correspondents:
    """The correspondents of a fresh database."""
    return Correspondents(database, clock)


def message(email: str, name: str = "", reply_to: str = "") -> Message:
    """A message from this sender."""
    answer_to = (Address(reply_to),) if reply_to else ()
    return Message("1", "1", Address(email, name), "", "", reply_to=answer_to)


async def known(correspondents: Correspondents, odd: Message, mailbox: str = "m") -> KnownSender:
    """What the record says about the message's sender."""
    return await correspondents.known(mailbox, sought(odd))


async def count(database: Database) -> int:
    """How many people are on record."""
    async with database.read() as connection:
        return (await connection.execute(select(func.count()).select_from(CORRESPONDENTS))).scalar_one()


async def test_who_was_written_to_is_known(correspondents: Correspondents) -> None:
    """A name, a domain and an address that look like noted ones are found, and nothing else is."""
    await correspondents.note("m", [ANA, Address("Bo@Example.org")])
    assert await known(correspondents, message("x@evil.test", "PETROVA, Ána")) == KnownSender(
        (ANA,), (), None
    )
    assert await known(correspondents, message("x@petr0va.example")) == KnownSender(
        (), ("petrova.example",), None
    )
    assert await known(correspondents, message("x@y.test", reply_to="x@petr0va.example")) == KnownSender(
        (), ("petrova.example",)
    )
    found = await known(correspondents, message("ana@petrova.example", "Ana Petrova"))
    assert found == KnownSender((ANA,), ("petrova.example",), ANA)
    assert (await known(correspondents, message("BO@example.org"))).sender == Address("bo@example.org")
    assert await known(correspondents, message("x@y.test", "Ana")) == STRANGER
    assert await known(correspondents, message("", "Ana Pavlova")) == STRANGER


async def test_mailboxes_are_apart(correspondents: Correspondents) -> None:
    """What one mailbox knows, another does not."""
    await correspondents.note("m", [ANA])
    assert await known(correspondents, message("x@y.test", "Ana Petrova"), "other") == STRANGER


async def test_noting_again_changes_nothing(correspondents: Correspondents, database: Database) -> None:
    """The same note twice leaves one entry; an address twice in a note counts once, whatever its case."""
    for _ in range(3):
        await correspondents.note("m", [ANA, Address("ANA@petrova.example", "A"), ANA])
    assert await count(database) == 1
    assert (await known(correspondents, message("x@y.test", "Ana Petrova"))).namesakes == (ANA,)


async def test_a_later_name_wins_and_no_name_never(correspondents: Correspondents, clock: FixedClock) -> None:
    """The name used last is kept; an old message or one without the name does not take it away."""
    now = clock.now()
    await correspondents.note("m", [Address(ANA.email)], now - timedelta(days=9))
    await correspondents.note("m", [Address(ANA.email, "Ana Old")], now - timedelta(days=10))
    await correspondents.note("m", [ANA])
    await correspondents.note("m", [Address(ANA.email)], now + timedelta(days=1))
    await correspondents.note("m", [Address(ANA.email, "Ana Older")], now - timedelta(days=20))
    assert (await known(correspondents, message(ANA.email))).sender == ANA
    assert (await known(correspondents, message("x@y.test", "Ana Old"))).namesakes == ()
    assert (await known(correspondents, message("x@y.test", "Ana Petrova"))).namesakes == (ANA,)


async def test_what_was_known_first_and_last_comes_first(
    correspondents: Correspondents, clock: FixedClock
) -> None:
    """Of domains that look alike the one known for longest comes first; of namesakes the one written to last."""
    other = Address("ana@petr0va.example", "Ana Petrova")
    now = clock.now()
    await correspondents.note("m", [other], now)
    await correspondents.note("m", [ANA], now - timedelta(days=1))
    found = await known(correspondents, message("x@petrova.example", "Ana Petrova"))
    assert found.namesakes == (other, ANA)
    assert found.domains == ("petrova.example", "petr0va.example")
    await correspondents.note("m", [other], now - timedelta(days=2))
    await correspondents.note("m", [ANA], now + timedelta(days=1))
    found = await known(correspondents, message("x@petrova.example", "Ana Petrova"))
    assert found.namesakes == (ANA, other)
    assert found.domains == ("petr0va.example", "petrova.example")


async def test_hostile_names_and_addresses(correspondents: Correspondents, database: Database) -> None:
    """Huge, odd and unstorable names are noted in bounds; what has no domain is left out."""
    people = [
        Address("a@example.com", "\ufdfa" * 5000),
        Address("b@example.com", "a\0b \ud800 c"),
        Address("c@" + "x" * 60 + "." + "y" * 60 + ".example", "'; DROP TABLE correspondents; --"),
        Address("d@xn--" + "9" * 50 + ".example", "\N{COMBINING ACUTE ACCENT}" * 2000),
        Address("", "nobody"),
        Address("postmaster", "nobody"),
    ]
    await correspondents.note("m", people)
    await correspondents.note("m", [])
    assert await count(database) == 4
    for person in people[:4]:
        found = await known(correspondents, message(person.email, person.name))
        assert found.sender is not None
    with pytest.raises(InputError, match="mailbox is empty"):
        await correspondents.note("", people)


async def test_many_note_at_once(correspondents: Correspondents, database: Database) -> None:
    """Twenty notes of the same people in different orders, at once, all succeed."""
    people = [Address(f"p{number}@example.com", f"Person P{number}") for number in range(20)]
    orders = [people[number:] + people[:number] for number in range(20)]
    await asyncio.gather(*(correspondents.note("m", order) for order in orders))
    assert await count(database) == 20


async def test_looking_up_is_quick_in_a_large_record(
    correspondents: Correspondents, database: Database
) -> None:
    """With 20,000 people, half at one provider and all of one name, a look-up reads the index and stays bounded."""
    row = "INSERT INTO correspondents VALUES (:m, :a, :n, :s, :d, :d, :t, :t)"
    await database.open()
    rows = [
        {"m": "m", "a": f"p{i}@x.example", "n": "Ana Petrova", "s": "ana petrova", "d": "gmall.com" if i % 2 else f"d{i}.example",
         "t": "2026-11-01 00:00:00+00:00"}
        for i in range(20_000)
    ]  # fmt: skip
    async with database.begin() as connection:
        if connection.dialect.name == "sqlite":
            rows = [r | {"t": "2026-11-01 00:00:00.000000"} for r in rows]
            await connection.execute(text(row), rows)
        else:
            cast = row.replace(":t", "CAST(:t AS timestamptz)")
            await connection.execute(text(cast), rows)
    found = await known(correspondents, message("x@gmail.com", "Ana Petrova"))
    assert len(found.namesakes) == 20
    assert found.domains == ("gmall.com",)


async def test_nothing_blocks_the_loop(correspondents: Correspondents) -> None:
    """Noting foreign names, for which a table is read from the disk, never blocks the event loop."""
    with blockbuster_ctx():
        await correspondents.note("m", [Address("a@почта.example", "Анна Петрова")])
        found = await correspondents.known("m", await asyncio.to_thread(sought, message("a@почта.example")))
    assert found.domains == ("почта.example",)
