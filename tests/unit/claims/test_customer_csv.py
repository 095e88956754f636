"""Customers and policies from CSV: what the tables may look like, and every way in which a row is wrong."""

import io
import re
from datetime import date
from decimal import Decimal

import pytest

from email_assistant.mail.table import TableError
from email_assistant.workflows.claims_desk.claims.claim import Customer, CustomerPolicy
from email_assistant.workflows.claims_desk.claims.customer_csv import (
    CustomerRow,
    PolicyRow,
    read_customers,
    read_policies,
)

CUSTOMERS = ",".join(CustomerRow.model_fields) + "\n"
POLICIES = ",".join(PolicyRow.model_fields) + "\n"
ANA = Customer("acme", "U1", "Ana Petrova", "ana@example.com", date(2020, 1, 31))
GOOD = "acme,U1,Ana Petrova,Ana@Example.com,2020-01-31\n"
POLICY = "acme,HC-1,U1,Home Contents,active,2026-01-01,2026-12-31,2026-11-30,240.5,10000,,\n"


def customers(text: str) -> tuple[Customer, ...]:
    """What is in a file of this text."""
    return read_customers(io.BytesIO(text.encode()), "c.csv")


def policies(text: str) -> tuple[CustomerPolicy, ...]:
    """The same of policies; Ana is the one customer."""
    return read_policies(io.BytesIO(text.encode()), "p.csv", [ANA])


def flaws(error: pytest.ExceptionInfo[TableError]) -> list[str]:
    """Every flaw as it is told."""
    return re.split("; (?=line )", str(error.value).split("nothing was imported: ")[1])


def test_customers() -> None:
    """Addresses are kept in lower case; one user id may be in two tenants, and so may an address."""
    found = customers(CUSTOMERS + GOOD + "other,U1,Bo,ana@example.com,1999-12-01\n")
    assert found == (ANA, Customer("other", "U1", "Bo", "ana@example.com", date(1999, 12, 1)))


def test_policies() -> None:
    """Amounts have two decimals; excess and the day of cancelling may be empty, and their columns left out."""
    home = CustomerPolicy(
        "acme", "HC-1", "U1", "Home Contents", "active", date(2026, 1, 1), date(2026, 12, 31), date(2026, 11, 30),
        Decimal("240.50"), Decimal("10000.00"),
    )  # fmt: skip
    assert policies(POLICIES + POLICY) == (home,)
    assert str(policies(POLICIES + POLICY)[0].paid) == "240.50"
    short = ";".join([*PolicyRow.model_fields][:-2]) + "\n" + POLICY.replace(",,\n", "\n").replace(",", ";")
    assert policies(short) == (home,)
    cancelled = POLICY.replace("active", "CANCELLED").replace(",,\n", ",50,2026-06-30\n")
    (gone,) = policies(POLICIES + cancelled)
    assert (gone.status, gone.excess, gone.cancelled_on) == ("cancelled", Decimal("50.00"), date(2026, 6, 30))
    assert policies(POLICIES) == ()


def test_wrong_customers() -> None:
    """Every wrong row is told, by line and column, with how to mend it."""
    with pytest.raises(TableError) as error:
        customers(
            CUSTOMERS + GOOD
            + ',"U 3",,nobody,01.02.2020\n'
            + "acme,U4,Di,di@example.com,2020-02-30\n"
            + "acme,U5,=HYPERLINK(1),ed@example.com,2020-02-20\n"
            + "acme,U6\n"
        )  # fmt: skip
    assert flaws(error) == [
        'line 3, tenant_id: "": write up to 64 letters, digits, dots, dashes or underscores',
        'line 3, user_id: "U 3": write up to 64 letters, digits, dots, dashes or underscores',
        'line 3, name: "": write a name',
        'line 3, email: "nobody" is no email address',
        'line 3, since: "01.02.2020" is no day; write year, month and day, like 2026-11-20',
        'line 4, since: "2020-02-30" is no day; write year, month and day, like 2026-11-20',
        'line 5, name: begins like a spreadsheet\'s formula: "=HYPERLINK(1)"',
        "line 6, row: 2 cells under 5 headings; put cells with a comma, semicolon or quote in quotes",
    ]


def test_customers_that_are_there_twice() -> None:
    """A user id and an address are a customer's own within the tenant."""
    with pytest.raises(TableError) as error:
        customers(
            CUSTOMERS + GOOD + "acme,U1,Bo,bo@example.com,2020-01-01\nacme,U2,Cy,ANA@example.com,2020-01-01\n"
        )
    assert flaws(error) == [
        "line 3, user_id: is in line 2 already; take one row out",
        "line 4, email: is in line 2 already; take one row out",
    ]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("U1", "U2", "user_id: the customers' table has no U2 of the tenant acme"),
        ("active", "open", 'status: "open": write active, lapsed, cancelled'),
        ("2026-12-31", "2025-12-31", "ends: 2025-12-31 is before the policy starts, 2026-01-01"),
        ("240.5", "-1", 'paid: "-1": write an amount without a currency'),
        ("10000", '"1,000.00"', 'limit: "1,000.00": write an amount'),
        ("10000", "", 'limit: "": write an amount'),
    ],
)
def test_a_wrong_policy(before: str, after: str, told: str) -> None:
    """One flaw names the line and the column."""
    with pytest.raises(TableError) as error:
        policies(POLICIES + POLICY.replace(before, after))
    (flaw,) = flaws(error)
    assert flaw.startswith(f"line 2, {told}")
