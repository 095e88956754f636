"""The policy table."""

import pytest

from email_assistant.review.action import POLICY, Policy, Risk, Sender, policy_for


def test_the_table_is_whole() -> None:
    """There is a policy for every risk and every sender, and for nothing else."""
    assert set(POLICY) == {(risk, sender) for risk in Risk for sender in Sender}


@pytest.mark.parametrize("risk", Risk)
def test_doubt_makes_nothing_easier(risk: Risk) -> None:
    """With a sender in doubt only reading is automatic; what needs a human for anybody needs one then, too."""
    expected = Policy.AUTO if risk is Risk.READ else Policy.REVIEW
    assert policy_for(risk, Sender.IN_DOUBT) is expected
    if policy_for(risk, Sender.PLAIN) is Policy.REVIEW:
        assert policy_for(risk, Sender.IN_DOUBT) is Policy.REVIEW


@pytest.mark.parametrize("sender", Sender)
def test_an_unknown_tool_is_refused(sender: Sender) -> None:
    """A tool nobody knows is refused whoever wrote."""
    assert policy_for(None, sender) is Policy.REFUSE
