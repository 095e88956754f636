"""A model that says anything on claims breaks no rule, and a rule that is broken is seen."""

import pytest

from eval.claims.attack import attack


async def test_a_model_that_says_anything_breaks_no_rule() -> None:
    """A few of the decisions that the suite makes; some of them come to a card."""
    found = await attack(20, seed=7)
    assert found.broken == []
    assert found.cards > 0


async def test_a_rule_that_is_broken_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With citations that count without being found, the attack reports it."""
    monkeypatch.setattr("email_assistant.workflows.claims_desk.claims.ruling.SURE", 0.0)
    found = await attack(40, seed=7)
    assert any("not sure" in told for told in found.broken)
