"""Tickets that are kept here, on both databases."""

from dataclasses import replace

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.database import Database
from email_assistant.workflows.claims_desk.claims.claim import Ticket, TicketDraft
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
