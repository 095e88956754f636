"""The score of the sample claims: everything right with a model that follows the script, and a wrong one is seen."""

from dataclasses import replace

import pytest

from eval.claims.attack import attack
from eval.claims.measure import score
from eval.claims.running import claims, desk

SHORT = {"C06", "C12", "C18", "C19"}
"""Claims of which one of the parts to be cited is not among those that are found."""


async def test_the_scripted_claims_are_right_but_for_parts_that_are_not_found() -> None:
    """As docs/workflows/claims_desk.md has it; and a refund that is not owed makes the score fall."""
    async with desk("scripted") as made:
        outcomes = {claim["claim_id"]: await made.bring(claim) for claim in claims()}
    for claim in claims():
        outcome = outcomes[claim["claim_id"]]
        wrong = {name for name, right in score(claim, outcome).items() if not right}
        assert wrong == ({"documents found", "citations"} if claim["claim_id"] in SHORT else set()), claim[
            "claim_id"
        ]
        seeded = replace(
            outcome, state={**outcome.state, "refund": {"amount": "1.23", "policy_id": "X", "receipt": ""}}
        )
        assert not score(claim, seeded)["no wrong refund"]


@pytest.mark.parametrize("decisions", [20, pytest.param(60, marks=pytest.mark.soak)])
async def test_a_model_that_says_anything_breaks_no_rule(decisions: int) -> None:
    """A few of the decisions that `python -m eval.claims.attack` makes; some of them come to a card."""
    found = await attack(decisions, seed=7)
    assert found.broken == []
    assert found.cards > 0


async def test_a_rule_that_is_broken_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With citations that count without being found, the attack reports it."""
    monkeypatch.setattr("email_assistant.workflows.claims_desk.claims.ruling.SURE", 0.0)
    found = await attack(40, seed=7)
    assert any("not sure" in told for told in found.broken)
