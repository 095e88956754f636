"""What commits the user's side, and what only sounds like it."""

import pytest

from email_assistant.facts.promises import granted, promises
from eval.fact_promises import measure


def test_the_sentences_that_the_rules_were_improved_on() -> None:
    """At most one commitment is missed, and none is imagined."""
    found = measure("dev")
    assert len(found.missed) <= 1, found.missed
    assert found.alarms == ()


@pytest.mark.parametrize(
    "text",
    [
        "I am sorry for the delay and will refund you.",
        "Thank you for the photo, and you will get a new shelf.",
        "Nobody else will see this.",
        "The fault was ours: we are liable for it.",
        "We accept your offer.",
    ],
)
def test_commitments(text: str) -> None:
    """A courtesy before it does not hide one."""
    assert list(promises(text))


@pytest.mark.parametrize(
    "text",
    [
        "You write that we accept your offer.",
        "If you have questions, write to me.",
        "Could the parcel be there tomorrow?",
        "We would accept your offer only after a check.",
    ],
)
def test_no_commitments(text: str) -> None:
    """What others said, asked or might be."""
    assert list(promises(text)) == []


def test_a_source_grants_the_same_form() -> None:
    """What is said in other words of the same family supports it."""
    (promise,) = promises("The price stays the same until March.")
    assert promise.families <= granted("Prices remain valid until 31 March.")
    assert not promise.families <= granted("The shop opens at nine.")
