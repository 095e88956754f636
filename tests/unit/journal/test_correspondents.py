"""The people the user has written to."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

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
