"""The times that a text names."""

from datetime import UTC, datetime

import pytest

from email_assistant.calendars.event import Event
from email_assistant.clock import FixedClock
from email_assistant.errors import ProviderError
from email_assistant.tools.draft_check import Agenda
from email_assistant.working_hours import USUAL

NOW = datetime(2026, 11, 20, 8, tzinfo=UTC)


class Calendar:
    """A calendar that cannot be reached."""

    async def events(self, start: datetime, end: datetime) -> list[Event]:
        """Nobody knows."""
        raise ProviderError("the calendar cannot be reached.")


async def test_a_calendar_that_cannot_be_read_is_told() -> None:
    """No time is called free."""
    found = await Agenda(Calendar(), FixedClock(NOW), "Europe/Berlin", USUAL).of_text(  # type: ignore[arg-type]
        "How about Tuesday at 10:00, or Wednesday at 11:00?", (), NOW
    )
    assert found.reasons() == ()
    assert found.warnings() == (
        "Nobody has looked whether you are free on Tuesday 24 November 2026, 10:00, Wednesday 25 November 2026, 11:00: "
        "the calendar cannot be reached.",
    )
    assert list(found.source(NOW)) == []


@pytest.mark.parametrize(
    "text", ["Thank you for the call.", "I cannot do Tuesday at 10.", "We met on 3 March 2020 at 10:00.", ""]
)
async def test_a_text_without_a_time_to_come_reads_no_calendar(text: str) -> None:
    """What was, and what does not suit, is no time for a meeting."""
    agenda = Agenda(Calendar(), FixedClock(NOW), "Europe/Berlin", USUAL)  # type: ignore[arg-type]
    assert (await agenda.of_text(text, (), NOW)).times == ()
