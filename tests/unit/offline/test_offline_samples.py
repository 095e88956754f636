"""The rules against the samples and what they are expected to need."""

import pytest

from email_assistant.models.offline.gaps import without_quotes
from email_assistant.models.offline.reply import reply_body
from email_assistant.models.offline.triage import triage
from tests.unit.offline.building import OWN, SAMPLES, expected, sample

LEARNED = (SAMPLES / "preferences.md").read_text(encoding="utf-8")


def test_triage_agrees_with_the_table() -> None:
    """At least nine of ten samples are sorted as expected, and none that needs a reply is ignored."""
    table = expected()
    verdicts = {name: triage(sample(name), preferences=LEARNED, own=OWN) for name in table}
    wrong = [
        f"{name}: {verdict.classification}, not {table[name]['triage']}: {verdict.reasoning}"
        for name, verdict in verdicts.items()
        if verdict.classification != table[name]["triage"]
    ]
    assert len(wrong) <= len(table) / 10, "\n".join(wrong)
    lost = [
        n for n, v in verdicts.items() if v.classification == "ignore" and table[n]["triage"] == "respond"
    ]
    assert not lost


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
