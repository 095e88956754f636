"""What commits the user's side, and what only sounds like it."""

from email_assistant.facts.promises import granted, promises
from eval.fact_promises import measure


def test_the_sentences_that_the_rules_were_improved_on() -> None:
    """At most one commitment is missed, and none is imagined."""
    found = measure("dev")
    assert len(found.missed) <= 1, found.missed
    assert found.alarms == ()


def test_a_source_grants_the_same_form() -> None:
    """What is said in other words of the same family supports it."""
    (promise,) = promises("The price stays the same until March.")
    assert promise.families <= granted("Prices remain valid until 31 March.")
    assert not promise.families <= granted("The shop opens at nine.")
