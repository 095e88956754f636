"""The rules against the samples and what they are expected to need."""

import pytest

from email_assistant.models.offline.reply import reply_body
from email_assistant.models.offline.wanted import without_quotes
from tests.unit.offline.building import expected, sample


@pytest.mark.parametrize("name", sorted(expected()))
def test_drafts_repeat_nothing_but_names_and_what_is_asked(name: str) -> None:
    """No run of five words of a sample's text stands in the draft, unless it is of the questions or the request that it answers."""
    conversation = sample(name)
    body = reply_body(conversation, user_name="Robin Vale")
    rest = without_quotes(body, conversation.current)
    words = conversation.current.text.split()
    runs = {" ".join(words[i : i + 5]) for i in range(len(words) - 4)}
    assert not [run for run in runs if run in rest]
    assert body.endswith("Robin Vale")
