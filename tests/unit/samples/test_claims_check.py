"""What is expected of the sample claims agrees with documents and contracts, and what would not agree is found."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from eval.claims import check
from eval.claims.owed import owed

Claim = dict[str, Any]


def test_what_is_expected_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    """Every amount, citation, person and date, worked out once more."""
    assert check.main() == 0
    assert capsys.readouterr().out == "30 claims agree with the documents and contracts\n"


HOME = {
    "tenant_id": "harrow-mutual", "policy_id": "HC-1", "product": "Home Contents", "status": "active", "starts": "2026-01-01",
    "ends": "2026-12-31", "paid_until": "2026-11-01", "paid": "120.00", "limit": "90.00", "excess": "10.00", "cancelled_on": "",
}  # fmt: skip
PLUS = HOME | {"tenant_id": "kestrelford-bank", "product": "Plus Account"}
LOSS = {"rule": "settlement", "on": "2026-10-30", "loss": "60.00", "bought": ""}
LATE = {"rule": "delayed_departure", "on": "2026-10-30", "hours": 17}


@pytest.mark.parametrize(
    ("facts", "policy", "amount"),
    [
        (LOSS, HOME, "50.00"),
        (LOSS | {"bought": "2024-10-29"}, HOME, "20.00"),
        (LOSS | {"loss": "9.00"}, HOME, "0.00"),
        (LOSS | {"loss": "110.00"}, HOME, "90.00"),
        (LOSS | {"on": "2026-11-16"}, HOME, "0.00"),
        (LOSS | {"on": "2026-10-20"}, HOME, "0.00"),
        (LOSS, HOME | {"status": "lapsed", "paid_until": "2026-10-29"}, "0.00"),
        (LATE | {"hours": 18}, HOME, "90.00"),
        ({"rule": "delayed_baggage", "on": "2026-10-30", "days": 1}, HOME, "60.00"),
        ({"rule": "cooling_off", "on": "2026-01-16"}, PLUS, "0.00"),
        ({"rule": "unused_months"}, HOME | {"cancelled_on": "2026-06-02"}, "25.00"),
        ({"rule": "late_fee", "on": "2026-10-30"}, PLUS, "18.00"),
    ],
)
def test_the_reference_itself(facts: Claim, policy: dict[str, str], amount: str) -> None:
    """Amounts worked out by hand, on both sides of every bound."""
    assert owed(facts, policy, []).amount == Decimal(amount)


def _refund(claim: Claim) -> None:
    claim["action"]["refund"] = "105.01"


def _citation(claim: Claim) -> None:
    claim["citations"][0] = ["cancellation-and-refunds.md § 2.1 Unused months"]


def _policy(claim: Claim) -> None:
    claim["facts"]["policy_id"] = "TR-50041"


def _words(claim: Claim) -> None:
    claim["final_must"].append("two hundred")


@pytest.mark.parametrize("spoil", [_refund, _citation, _policy, _words])
def test_a_mistake_is_found(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Claim], None]) -> None:
    """A line that does not agree is named by its claim."""
    lines = check.claims()
    spoil(lines[0])
    monkeypatch.setattr(check, "claims", lambda: lines)
    assert {found.split(":")[0] for found in check.differences()} == {"C01"}
    assert check.main() == 1
