"""By which name a customer is greeted."""

import pytest

from email_assistant.models.offline.courtesy import person_named
from email_assistant.workflows.order_desk.offline.analysis import customer_name
from tests.unit.offline.building import conversation


@pytest.mark.parametrize(
    ("text", "greeted"),
    [
        ("My name is Jessica and I want two mugs.", "Jessica"),
        ("My name is Jessica Reed and I want two mugs.", "Jessica Reed"),
        ("Two mugs, please.\n\nBest\nJessica and Tom", ""),
        ("Two mugs, please.\n\nBest\nThe Sales Team", ""),
    ],
)
def test_only_one_persons_name_is_greeted(text: str, greeted: str) -> None:
    """Nobody is called "Jessica and" or "The"."""
    assert person_named(customer_name(conversation(text).current, text)) == greeted
