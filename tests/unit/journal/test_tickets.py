"""Tickets that are kept here, on both databases."""

import asyncio
from dataclasses import replace

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.workflows.claims_desk.claims.claim import MAX_BODY, MAX_TITLE, Ticket, TicketDraft
from email_assistant.workflows.claims_desk.records.incidents import TicketTable
from email_assistant.workflows.claims_desk.records.tables import TICKETS

DRAFT = TicketDraft("acme", "U1", "complaint", "A burst pipe", "Line one.\n\nLine two.")


@pytest.fixture
def tickets(database: Database, clock: FixedClock) -> TicketTable:
    """None yet."""
    return TicketTable(database, clock)


async def test_a_ticket_is_listed_shown_and_closed(tickets: TicketTable, clock: FixedClock) -> None:
    """Under a key of its own, which may be written in any case."""
    made = await tickets.create(DRAFT, "k1")
    assert made == Ticket(
        "acme",
        made.key,
        "U1",
        "complaint",
        "A burst pipe",
        "Line one.\n\nLine two.",
        "open",
        "k1",
        clock.now(),
    )
    assert made.key.startswith("LOCAL-")
    assert await tickets.get("acme", f" {made.key.lower()} ") == made
    assert await tickets.list("acme") == await tickets.of_user("acme", "U1") == (made,)
    assert await tickets.close("acme", made.key)
    assert not await tickets.close("acme", made.key)
    assert await tickets.list("acme") == (replace(made, status="closed"),)
    assert await tickets.anybodys("acme", 9, TICKETS.c.status == "open") == ()


async def test_one_key_is_one_ticket(tickets: TicketTable) -> None:
    """Within a tenant; what a repeat says does not count, and what was closed stays closed."""
    first = await tickets.create(DRAFT, "k1")
    assert await tickets.create(replace(DRAFT, title="Other"), "k1") == first
    assert await tickets.find(DRAFT, "k1") == first
    assert await tickets.find(DRAFT, "k2") is None
    other = await tickets.create(replace(DRAFT, tenant_id="other"), "k1")
    assert other.key != first.key
    await tickets.close("acme", first.key)
    assert (await tickets.create(DRAFT, "k1")).status == "closed"
    assert await tickets.list("other") == (other,)


async def test_many_at_once(tickets: TicketTable) -> None:
    """One of them is made, and all are told that one."""
    made = await asyncio.gather(*(tickets.create(replace(DRAFT, title=f"No {n}"), "k") for n in range(10)))
    assert len(set(made)) == 1
    assert await tickets.list("acme") == (made[0],)


async def test_nobody_elses(tickets: TicketTable) -> None:
    """Neither another tenant's nor another customer's is found, closed, or told to somebody who comes with its key."""
    made = await tickets.create(DRAFT, "k1")
    assert await tickets.get("other", made.key) is None
    assert await tickets.find(replace(DRAFT, tenant_id="other"), "k1") is None
    assert await tickets.find(replace(DRAFT, user_id="U2"), "k1") is None
    assert await tickets.of_user("acme", "U2") == await tickets.of_user("other", "U1") == ()
    with pytest.raises(InputError, match="another customer's"):
        await tickets.create(replace(DRAFT, user_id="U2"), "k1")
    with pytest.raises(NotFoundError, match=f"the tenant other has no ticket {made.key}"):
        await tickets.close("other", made.key)
    assert await tickets.get("acme", made.key) == made


async def test_tickets_of_nobody_in_particular(tickets: TicketTable) -> None:
    """They are the tenant's, and no customer's."""
    made = await tickets.create(replace(DRAFT, user_id=""), "k1")
    assert await tickets.of_user("acme", "") == ()
    assert await tickets.list("acme") == (made,)


async def test_a_copy_of_another_systems_ticket(tickets: TicketTable, clock: FixedClock) -> None:
    """It keeps its key; closing it is that system's."""
    url = "https://acme.example/browse/CLAIMS-7"
    theirs = Ticket("acme", "CLAIMS-7", "U1", "tracking", "T", "B", "open", "k1", clock.now(), url)
    assert await tickets.keep(theirs) == await tickets.keep(theirs) == theirs
    assert await tickets.get("acme", "CLAIMS-7") == theirs
    with pytest.raises(InputError, match=f"CLAIMS-7: close it where it is kept: {url}"):
        await tickets.close("acme", "CLAIMS-7")
    for key in ("", " ", "LOCAL-", "LOCAL-1", "LOCAL-99999999999999999999", "%"):
        assert await tickets.get("acme", key) is None


async def test_what_stands_in_a_ticket_is_bounded(tickets: TicketTable) -> None:
    """Plain text: without hidden characters, a title of one line, so much and no more."""
    made = await tickets.create(
        replace(DRAFT, title="A\n\u202eB\0" + "x" * 999, body="\x1b[31mred\u200b\r\nnext" + "y" * 99_999), "k"
    )
    assert made.title.startswith("A Bxxx")
    assert made.body.startswith("red\nnextyyy")
    assert (len(made.title), len(made.body)) == (MAX_TITLE, MAX_BODY)
    assert made.body.endswith(" […]")
    again = TicketDraft("acme", "U1", "complaint", made.title, made.body)
    assert again.bounded() == again
    with pytest.raises(InputError, match="title: is empty"):
        await tickets.create(replace(DRAFT, title="\u200b \n"), "k2")
    with pytest.raises(InputError, match="idempotency_key is empty"):
        await tickets.create(DRAFT, "")


async def test_whoever_runs_the_desk_sees_all_tenants(tickets: TicketTable) -> None:
    """One after the other, and of one alone when it is named."""
    made = [await tickets.create(replace(DRAFT, tenant_id=tenant), "k") for tenant in ("other", "acme")]
    assert await tickets.anybodys(None, 9) == (made[1], made[0])
    assert await tickets.anybodys(None, 1) == (made[1],)
    assert await tickets.anybodys("other", 9) == (made[0],)
