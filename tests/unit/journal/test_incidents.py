"""Incidents: once for an id, and nobody else's, on both databases."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.workflows.claims_desk.claims.claim import Incident
from email_assistant.workflows.claims_desk.records.incidents import MAX_TEXT, Incidents


@pytest.fixture
def incidents(database: Database) -> Incidents:
    """None yet."""
    return Incidents(database)


@pytest.fixture
def incident(clock: FixedClock) -> Incident:
    """A claim that was decided."""
    return Incident(
        "acme", "i1", "U1", "HC-1", "A burst pipe.", "Yes", "The premium is refunded.", ("home.md § 4.2 Premium", "x.md"),
        0.85, Decimal("12.50"), clock.now(),
    )  # fmt: skip


async def test_an_incident_is_kept_once(incidents: Incidents, incident: Incident) -> None:
    """The first one stays, whatever a repeat says."""
    assert await incidents.record(incident) == incident
    assert await incidents.record(replace(incident, is_valid="No", amount=Decimal(0))) == incident
    assert await incidents.of_user("acme", "U1") == (incident,)
    (found,) = await incidents.of_user("acme", "U1")
    assert (str(found.amount), found.citations) == ("12.50", ("home.md § 4.2 Premium", "x.md"))


async def test_the_latest_come_first(incidents: Incidents, incident: Incident) -> None:
    """Of the customer alone; those of nobody in particular are in the tenant's list only."""
    later = replace(incident, incident_id="i2", created_at=incident.created_at + timedelta(hours=1))
    nobodys = replace(
        incident, incident_id="i3", user_id="", created_at=incident.created_at - timedelta(hours=1)
    )
    others = replace(incident, tenant_id="other", is_valid="No")
    for each in (incident, later, nobodys, others):
        assert await incidents.record(each) == each
    assert await incidents.of_user("acme", "U1") == (later, incident)
    assert await incidents.of_user("acme", "U1", limit=1) == (later,)
    assert await incidents.of_user("acme", "") == ()
    assert await incidents.list("acme") == (later, incident, nobodys)
    assert await incidents.list("other") == (others,)
    assert await incidents.tenants() == ("acme", "other")


async def test_an_id_is_one_customers(incidents: Incidents, incident: Incident) -> None:
    """Another one who comes with it is refused, and is not shown what is there."""
    await incidents.record(incident)
    with pytest.raises(InputError, match="incident_id: i1 is another customer's"):
        await incidents.record(replace(incident, user_id="U2", issue="secret"))
    assert await incidents.of_user("acme", "U2") == ()


async def test_hostile_text(incidents: Incidents, incident: Incident) -> None:
    """Of any size and with any character it is kept, bounded."""
    hostile = replace(incident, issue="\0\ud800'; DROP TABLE incidents; --" + "x" * 100_000)
    found = await incidents.record(hostile)
    assert found.issue.startswith("\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}'; DROP TABLE")
    assert len(found.issue) == MAX_TEXT
