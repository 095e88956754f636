"""The times that a text names."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from email_assistant.calendars.event import Event
from email_assistant.clock import FixedClock
from email_assistant.errors import ProviderError
from email_assistant.language.zones import is_unknown_at, zone_at
from email_assistant.tools.times_in_draft import Agenda
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


def test_a_clock_by_its_iana_name() -> None:
    """As our own letters write it; one that does not exist is unknown and not the reader's own."""
    own = ZoneInfo("Europe/Berlin")
    assert zone_at("09:00 (America/New_York)", 5, own) == ZoneInfo("America/New_York")
    assert zone_at("09:00 America/Argentina/Buenos_Aires.", 5, own) == ZoneInfo(
        "America/Argentina/Buenos_Aires"
    )
    assert zone_at("09:00 (Europe/Atlantis)", 5, own) is None
    assert is_unknown_at("09:00 (Europe/Atlantis)", 5, own)
