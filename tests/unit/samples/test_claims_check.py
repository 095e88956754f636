"""What is expected of the sample claims agrees with documents and contracts, and what would not agree is found."""

from collections.abc import Callable
from typing import Any

import pytest

from eval.claims import check

Claim = dict[str, Any]


def test_what_is_expected_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    """Every amount, citation, person and date, worked out once more."""
    assert check.main() == 0
    assert capsys.readouterr().out == "30 claims agree with the documents and contracts\n"


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
