"""The rules against the samples and what they are expected to need."""

from datetime import UTC, datetime

import pytest

from email_assistant.models.offline.gaps import without_quotes
from email_assistant.models.offline.offers import meeting_request
from email_assistant.models.offline.reply import reply_body
from email_assistant.models.offline.triage import triage
from tests.unit.offline.building import OWN, SAMPLES, expected, sample

NOW = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)
LEARNED = (SAMPLES / "preferences.md").read_text(encoding="utf-8")
MEETINGS = sorted(name for name, row in expected().items() if "schedule_meeting" in row.get("tools", []))
REPLIES = sorted(name for name, row in expected().items() if row.get("tools") == ["send_email"])

STARTS = {
    "02": ["2026-11-24T11:00:00-05:00"],
    "03": ["2026-11-26T17:30:00+09:00"],
    "04": ["2026-12-02T14:00:00+00:00", "2026-12-03T11:30:00+00:00"],
    "05": [],
    "06": ["2026-11-26T10:00:00+01:00"],
    "20": ["2026-12-01T14:00:00+01:00"],
    "22": ["2026-11-26T14:00:00+01:00", "2026-12-01T11:30:00+01:00"],
    "25": ["2026-12-03T11:00:00+01:00"],
}
MINUTES = {"02": 45, "03": 30, "04": 60, "05": 30, "06": 90, "20": 60, "22": 60, "25": 30}


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


@pytest.mark.parametrize("name", MEETINGS)
def test_meeting_samples_are_read(name: str) -> None:
    """Times with their zones, and lengths, are found in every sample that asks for a meeting."""
    request = meeting_request(sample(name), now=NOW, timezone="Europe/Berlin")
    assert request is not None
    assert [start.isoformat() for start in request.proposed] == STARTS[name[:2]]
    assert request.duration_minutes == MINUTES[name[:2]]


@pytest.mark.parametrize("name", REPLIES)
def test_samples_that_only_need_a_reply_ask_for_no_meeting(name: str) -> None:
    """No meeting is seen where none is asked for."""
    assert meeting_request(sample(name), now=NOW, timezone="Europe/Berlin") is None


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
