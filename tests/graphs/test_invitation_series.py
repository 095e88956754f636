"""A series that somebody invites to, from the mail to the answer that goes out, by rules and with a model."""

import email.policy
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any

import icalendar
import pytest

from email_assistant.calendars.event import Event, Partstat
from tests.support.calendar_mail import HOUR, MINE, TEN, invitation, plain, there, until_invitation
from tests.support.desk import desk
from tests.support.scripted import Script

SERIES = invitation("RRULE:FREQ=WEEKLY;UNTIL=20261224T120000Z")
TOLD = "Every Thursday until 24 December, 5 times; 2 collide: Thu 3 Dec (Dentist), Thu 17 Dec (Board, Lunch)."


@pytest.mark.parametrize("script", [None, Script()], ids=["rules", "model"])
async def test_a_series_with_two_collisions_is_checked_whole_and_answered(
    tmp_path: Path, script: Script | None
) -> None:
    """Each is on the card by its day; what the person says of them goes out with the one answer, which is for the whole series."""
    assistant = desk(tmp_path, script)
    for week, title in ((1, "Dentist"), (3, "Board"), (3, "Lunch")):
        start = TEN + timedelta(weeks=week)
        await assistant.house.calendar.create(Event(title, title, start, start + HOUR))
    message, card = await until_invitation(assistant, SERIES)
    assert TOLD in plain(card)
    assert "free in your calendar" not in plain(card)
    said = [{"type": "response", "args": "accept and say I will miss 3 and 17 December"}]
    card = await assistant.answer(message, said)  # type: ignore[assignment]
    assert TOLD in plain(card)
    assert "I will miss 3 and 17 December”" in plain(card)
    assert await assistant.answer(message, [{"type": "accept", "args": card["action_request"]}]) is None
    (sent,) = await assistant.sent()
    whole = message_from_bytes(bytes(sent), policy=email.policy.default)
    (part,) = [each for each in whole.walk() if each.get_content_type() == "text/calendar"]
    calendar: Any = icalendar.Calendar.from_ical(part.get_content())
    (event,) = calendar.walk("VEVENT")
    assert (str(calendar["METHOD"]), event["ATTENDEE"].params["PARTSTAT"]) == ("REPLY", "ACCEPTED")
    assert "RECURRENCE-ID" not in event
    assert str(event["COMMENT"]) == "I will miss 3 and 17 December"
    series = await there(assistant)
    assert series is not None
    assert (series.partstat_of(MINE), len(series.recurrence)) == (Partstat.ACCEPTED, 1)
