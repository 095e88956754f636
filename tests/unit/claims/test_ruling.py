"""What a verdict comes to: no verdict, however it is worded, gets more than the rules allow."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.workflows.claims_desk.claims.claim import CustomerPolicy
from email_assistant.workflows.claims_desk.claims.ruling import (
    NOTHING,
    SURE,
    Bounds,
    Verdict,
    amount_of,
    rule,
)

LABEL = "fees.md § 1.1 Fees"
POLICY = CustomerPolicy(
    "t",
    "HC-1",
    "U1",
    "Home",
    "active",
    date(2026, 1, 1),
    date(2026, 12, 31),
    date(2026, 12, 31),
    Decimal("120.00"),
    Decimal("300.00"),
)
BOUNDS = Bounds({LABEL}, [POLICY], Decimal("500.00"), Decimal("0.00"), is_known=True)


def verdict(**changes: Any) -> Verdict:
    """A sound one."""
    sound: dict[str, Any] = {
        "is_valid": "Yes", "confidence": 0.9, "resolution": "So.", "policy_citations": (LABEL,), "refund": "100.00", "policy_id": "HC-1",
    }  # fmt: skip
    return Verdict(**(sound | changes))


@pytest.mark.parametrize(
    ("changes", "route", "is_valid"),
    [
        ({}, "review", "Yes"),
        ({"confidence": 0.7}, "review", "Yes"),
        ({"confidence": 0.69}, "ticket", "Low Confidence"),
        ({"confidence": float("nan")}, "ticket", "Low Confidence"),
        ({"policy_citations": ()}, "ticket", "Low Confidence"),
        ({"policy_citations": ("fees.md § 9.9 Invented",)}, "ticket", "Low Confidence"),
        ({"is_valid": "Low Confidence"}, "ticket", "Low Confidence"),
        ({"is_valid": "No"}, "refused", "No"),
        ({"refund": "120.00"}, "review", "Yes"),
        ({"refund": "120.01"}, "ticket", "Yes"),
        ({"refund": "-1"}, "ticket", "Yes"),
        ({"refund": "1e2"}, "ticket", "Yes"),
        ({"policy_id": "HC-2"}, "ticket", "Yes"),
        ({"policy_id": "НС-1"}, "ticket", "Yes"),
    ],
)
def test_the_table(changes: dict[str, Any], route: str, is_valid: str) -> None:
    """Each rule at its edge."""
    ruling = rule(verdict(**changes), BOUNDS)
    assert (ruling.route, ruling.is_valid) == (route, is_valid)
    assert (ruling.refund > 0) is (route == "review")
    assert bool(ruling.reasons) is (route == "ticket")


def test_limits_each_by_itself() -> None:
    """The contract's limit, what was paid, the ceiling; and nobody unknown."""
    for bounds in (
        Bounds({LABEL}, [POLICY], Decimal("99.99"), NOTHING, is_known=True),
        Bounds({LABEL}, [POLICY], Decimal(500), Decimal(500), is_known=False),
        Bounds({LABEL}, [], Decimal(500), Decimal(500), is_known=True),
    ):
        assert rule(verdict(), bounds).route == "ticket"


def test_automatic_up_to_the_configured_amount() -> None:
    """And not a cent above it."""
    bounds = Bounds({LABEL}, [POLICY], Decimal(500), Decimal("100.00"), is_known=True)
    assert rule(verdict(refund="100.00"), bounds).route == "automatic"
    assert rule(verdict(refund="100.01"), bounds).route == "review"


_WORDS = st.sampled_from(
    [LABEL, "fees.md § 9.9 Invented", "", "HC-1", "HC-2", "Yes", "No", "0.00", "100.00", "300.01", "500"]
) | st.text(max_size=30)
_AMOUNTS = st.decimals(allow_nan=True, allow_infinity=True).map(str) | _WORDS


@given(
    st.builds(
        Verdict,
        is_valid=st.sampled_from(["Yes", "No", "Low Confidence"]) | st.text(max_size=10),
        confidence=st.floats(),
        resolution=st.text(max_size=20),
        policy_citations=st.lists(_WORDS, max_size=4).map(tuple),
        refund=_AMOUNTS,
        policy_id=_WORDS,
        ticket_type=_WORDS,
    ),
    st.sampled_from([Decimal(0), Decimal(50), Decimal("100.00")]),
    st.booleans(),
)
def test_no_verdict_gets_more_than_the_rules_allow(
    given_verdict: Verdict, automatic: Decimal, known: bool
) -> None:
    """Whatever is said, and it never raises."""
    bounds = Bounds({LABEL}, [POLICY], Decimal("110.00"), automatic, known)
    ruling = rule(given_verdict, bounds)
    assert set(ruling.citations) <= {LABEL}
    if ruling.refund:
        assert known
        assert ruling.policy_id == "HC-1"
        assert ruling.refund <= Decimal("110.00")
        assert ruling.citations
        assert SURE <= given_verdict.confidence <= 1
        assert ruling.route == ("automatic" if ruling.refund <= automatic else "review")
    else:
        assert ruling.route in ("ticket", "refused")


@given(st.text() | st.integers() | st.none() | st.booleans() | st.floats() | st.decimals())
def test_an_amount_is_digits_and_nothing_else(value: object) -> None:
    """Never raises; what it gives has two decimals and is what was written."""
    amount = amount_of(value)
    if amount is not None:
        assert amount >= 0
        assert amount.as_tuple().exponent == -2
        assert Decimal(str(value).strip()) == amount
