"""Customers and their policies on both databases: imports that are whole, and tenants that do not see one another."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.workflows.claims_desk.claims.claim import Customer, CustomerPolicy
from email_assistant.workflows.claims_desk.records.customers import Customers, ImportedTables

DAY = date(2026, 1, 1)
ANA = Customer("acme", "U1", "Ana", "ana@example.com", DAY)
BO = Customer("acme", "U2", "Bo", "bo@example.com", DAY)
OTHER_ANA = Customer("other", "U1", "Another Ana", "ana@example.com", DAY)
HOME = CustomerPolicy(
    "acme", "HC-1", "U1", "Home", "active", DAY, date(2026, 12, 31), date(2026, 6, 30), Decimal("240.00"),
    Decimal("10000.00"), Decimal("50.00"), date(2026, 10, 1),
)  # fmt: skip
CARD = replace(HOME, policy_id="CC-1", product="Card", excess=Decimal("0.00"), cancelled_on=None)


@pytest.fixture
async def customers(database: Database) -> Customers:
    """Two customers of one tenant, and one of another with the same id and address."""
    customers = Customers(database)
    bos = replace(HOME, policy_id="HC-2", user_id="U2")
    others = replace(HOME, tenant_id="other")
    await customers.import_all([ANA, BO, OTHER_ANA], [HOME, bos, others, CARD])
    return customers


async def test_what_was_imported_is_found(customers: Customers) -> None:
    """With every detail as it was; nothing for somebody unknown."""
    assert await customers.customer("acme", "U1") == ANA
    assert await customers.policies("acme", "U1") == (CARD, HOME)
    assert await customers.list("acme") == (ANA, BO)
    assert await customers.list("acme", limit=1) == (ANA,)
    assert await customers.tenants() == ("acme", "other")
    for tenant_id, user_id in (("acme", "U3"), ("", "U1"), ("acme", ""), ("ACME", "U1"), ("other", "U2")):
        assert await customers.customer(tenant_id, user_id) is None
        assert await customers.policies(tenant_id, user_id) == ()


async def test_an_address_in_two_tenants(customers: Customers) -> None:
    """Both are told; within one tenant it is one."""
    assert await customers.by_email(" ANA@example.com ") == (ANA, OTHER_ANA)
    assert await customers.by_email("ana@example.com", "other") == (OTHER_ANA,)
    assert await customers.by_email("bo@example.com", "other") == ()
    assert await customers.by_email("") == ()


async def test_an_import_takes_the_place_of_its_tenants(customers: Customers) -> None:
    """Addresses may change hands; other tenants stay as they are."""
    ana, bo = replace(ANA, email=BO.email), replace(BO, email=ANA.email)
    assert await customers.import_all([bo, ana], [CARD]) == ImportedTables(1, 2, 1, 0, 2)
    assert await customers.list("acme") == (ana, bo)
    assert await customers.policies("acme", "U1") == (CARD,)
    assert await customers.policies("other", "U1") == (replace(HOME, tenant_id="other"),)
    assert await customers.import_all([bo], []) == ImportedTables(1, 1, 0, 1, 1)
    assert await customers.customer("acme", "U1") is None
    assert await customers.customer("other", "U1") == OTHER_ANA


@pytest.mark.parametrize(
    ("them", "theirs", "told"),
    [
        ([ANA, replace(BO, user_id="U1")], [], "user_id"),
        ([ANA, replace(BO, email=ANA.email)], [], "email"),
        ([ANA], [replace(HOME, tenant_id="other")], "user_id"),
    ],
)
async def test_a_wrong_import_changes_nothing(
    customers: Customers, them: list[Customer], theirs: list[CustomerPolicy], told: str
) -> None:
    """It is refused as a whole."""
    with pytest.raises(InputError, match=told):
        await customers.import_all(them, theirs)
    assert await customers.list("acme") == (ANA, BO)
    assert await customers.policies("acme", "U1") == (CARD, HOME)
