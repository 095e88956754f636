"""Amounts of money, however they are written."""

import pytest

from email_assistant.workflows.inbox_organizer.importance import largest_amount


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("4,000 euro", "4,000 EUR"),
        ("$12.50", "12.50 USD"),
        ("19.00 EUR and 7 EUR and USD 15", "19 EUR"),
        ("30000 JPY or 500 EUR", "500 EUR"),
    ],
)
def test_amounts(text: str, shown: str) -> None:
    """Signs, codes and names before and behind, with points and commas as each country has them."""
    assert str(largest_amount(text)) == shown


@pytest.mark.parametrize(
    "text",
    ["", "4,000 people", "EUR", "€", "in 2026", "0 EUR", "€ 0.00", "call 0800 4000", "order 12345", "europe 7",
     "neuro 4000", "9" * 1_000 + " EUR", "EUR " + "9" * 1_000, "999999999999999 bn USD"],
)  # fmt: skip
def test_no_amounts(text: str) -> None:
    """Numbers without a currency, nothing, and numbers no money has."""
    assert largest_amount(text) is None


def test_a_great_many_amounts() -> None:
    """Of endless lists the first ones are looked at."""
    assert str(largest_amount("5 EUR " * 200 + "EUR 5 " * 100_000 + "9999 EUR")) == "5 EUR"
