"""Whatever is recorded for whichever tenants and customers: nobody is ever given what is another's."""

import asyncio
from collections.abc import Awaitable, Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import count, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from email_assistant.clock import FixedClock
from email_assistant.errors import ConflictError, InputError
from email_assistant.journal.database import Database
from email_assistant.workflows.claims_desk.claims.claim import (
    Customer,
    CustomerPolicy,
    Incident,
    Refund,
    TicketDraft,
)
from email_assistant.workflows.claims_desk.records.customers import Customers
from email_assistant.workflows.claims_desk.records.incidents import Incidents, TicketTable
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from tests.support.claims_desk import DAY, NOW

# Ids that begin with one another, differ in case, or mean something to a database.
TENANTS = ("a", "A", "a%", "ab")
USERS = ("u", "U", "u_", "u1")
KEYS = ("k", "K", "k%", "u")
WHO = st.tuples(st.sampled_from(TENANTS), st.sampled_from(USERS))
STEP = st.tuples(st.sampled_from(["incident", "ticket", "refund"]), WHO, st.sampled_from(KEYS))


async def _quietly(work: Awaitable[Any]) -> Any:
    """The result, or None when it was refused."""
    try:
        return await work
    except (InputError, ConflictError):
        return None


async def _check(url: str, tenants: list[str], customers: set[tuple[str, str]], steps: list[Any]) -> None:
    database, clock = Database(url, pooled=True), FixedClock(NOW)
    them = [Customer(t, u, f"{t}/{u}", f"{u}@example.com".lower(), DAY) for t, u in sorted(customers)]
    them = [replace(one, email=f"{n}@example.com") for n, one in enumerate(them)]
    theirs = [
        CustomerPolicy(t, f"P-{u}", u, f"{t}/{u}", "active", DAY, DAY, DAY, Decimal(50), Decimal(20))
        for t, u in customers
    ]
    people, incidents = Customers(database), Incidents(database)
    tickets, ledger = TicketTable(database, clock), RefundLedger(database, clock)
    if them:
        await people.import_all(them, theirs)
    for n, (what, (tenant, user), key) in enumerate(steps):
        mark = f"{tenant}/{user}"
        if what == "incident":
            at = NOW + timedelta(seconds=n)
            given_one = Incident(tenant, key, user, "", mark, "No", mark, (), 0.5, Decimal(0), at)
            done = await _quietly(incidents.record(given_one))
            assert done is None or (done.tenant_id, done.user_id, done.issue) == (tenant, user, mark)
        elif what == "ticket":
            done = await _quietly(tickets.create(TicketDraft(tenant, user, "tracking", mark, mark), key))
            assert done is None or (done.tenant_id, done.user_id, done.title) == (tenant, user, mark)
        else:
            refund = Refund(tenant, user, f"P-{user}", Decimal(10), "EUR")
            done = await _quietly(ledger.reserve(refund, key, ceiling=Decimal(20)))
            assert done is None or (tenant, user) in customers
            assert done is None or done.refund == refund
    for tenant, user in product(tenants, USERS):
        mine = f"{tenant}/{user}"
        found = await people.customer(tenant, user)
        assert (found is not None) == ((tenant, user) in customers)
        assert found is None or (found.name, found.tenant_id, found.user_id) == (mine, tenant, user)
        assert [one.product for one in await people.policies(tenant, user)] == [mine] * (found is not None)
        assert {one.issue for one in await incidents.of_user(tenant, user)} <= {mine}
        assert {one.title for one in await tickets.of_user(tenant, user)} <= {mine}
        assert {(one.refund.tenant_id, one.refund.user_id) for one in await ledger.of_user(tenant, user)} <= {
            (tenant, user)
        }
        refunded = await ledger.refunded(tenant, user, f"P-{user}")
        assert refunded == 10 * len(await ledger.of_user(tenant, user)) <= 50
    for tenant in tenants:
        listed = [
            one.tenant_id
            for one in (
                *await people.list(tenant),
                *await incidents.list(tenant),
                *await tickets.list(tenant),
            )
        ]
        assert set(listed) <= {tenant}
        for one in await tickets.list(tenant):
            holders = [name for name in tenants if await tickets.get(name, one.key)]
            assert holders == [tenant]
    await database.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Iterator[int]]:
    """A database for all examples, and numbers that keep their tenants apart."""
    return f"sqlite:///{tmp_path_factory.mktemp('tenants') / 'a.db'}", count()


@settings(max_examples=settings.default.max_examples // 4)
@given(customers=st.sets(WHO, max_size=8), steps=st.lists(STEP, max_size=12))
def test_nobody_gets_what_is_anothers(
    shared: tuple[str, Iterator[int]], customers: set[tuple[str, str]], steps: list[Any]
) -> None:
    """Customers, policies, incidents, tickets and refunds of tenants and customers with ids that are nearly the same."""
    url, numbers = shared
    mark = f"{next(numbers)}-"
    here = {(mark + tenant, user) for tenant, user in customers}
    then = [(what, (mark + tenant, user), key) for what, (tenant, user), key in steps]
    asyncio.run(_check(url, [mark + tenant for tenant in TENANTS], here, then))
