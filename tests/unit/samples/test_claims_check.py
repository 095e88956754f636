"""What is expected of the sample claims agrees with documents and contracts, and what would not agree is found."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from eval.claims import check
from eval.claims.owed import owed, rows

POLICIES = rows("policies")
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


@pytest.mark.parametrize(("month", "amount"), [("2025-10-30", "18.00"), ("2025-10-31", "0.00")])
def test_a_late_fee_once_within_twelve_months(month: str, amount: str) -> None:
    """A year to the day later it is given back again."""
    before = [{"created_at": f"{month}T10:00:00+00:00", "amount": "18.00"}]
    assert owed({"rule": "late_fee", "on": "2026-10-30"}, PLUS, before).amount == Decimal(amount)


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


@pytest.mark.parametrize(
    ("policy_id", "field", "value", "claim_id"),
    [
        ("HC-20417", "cancelled_on", "2026-09-01", "C01"),
        ("HC-20508", "paid_until", "2026-10-11", "C05"),
        ("TR-50049", "limit", "299.00", "C11"),
        ("HC-20526", "starts", "2026-11-06", "C21"),
    ],
)
def test_a_changed_contract_is_found(
    monkeypatch: pytest.MonkeyPatch, policy_id: str, field: str, value: str, claim_id: str
) -> None:
    """A day or an amount more or less in a contract, and its claim does not agree any more."""
    changed = [row | {field: value} if row["policy_id"] == policy_id else row for row in POLICIES]
    monkeypatch.setattr(check, "rows", lambda name: changed if name == "policies" else rows(name))
    assert {found.split(":")[0] for found in check.differences()} == {claim_id}


def test_a_changed_document_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the arithmetic reckons with has to stand in the documents."""
    monkeypatch.setattr(check, "TERMS", [(check.HARROW, "travel.md § 5.1 Limit", "twice the limit")])
    assert [*check.differences()] == ["harrow-mutual: travel.md § 5.1 Limit does not say 'twice the limit'"]
