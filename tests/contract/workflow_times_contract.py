"""Promises about the times that a text names: held against the calendar when it is shown, and once more when it is sent."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from mailbox import Maildir
from typing import Any

import pytest

from email_assistant.calendars.event import Event
from email_assistant.clock import FixedClock
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.meetings.looked_up import looked_up
from eval.accepting import accepting
from eval.mails import raw_messages
from tests.support.meetings import occupy
from tests.support.surfaces import as_waiting
from tests.support.workflows import Bench, edited

TEN = datetime(2026, 11, 26, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
DENTIST = Event("dentist", "Dentist", TEN, TEN + HOUR)
OFFERS = "Hello,\n\nwe could have a call on Thursday 26 November 2026 at {}.\n\nRobin Vale"


class TimesContract:
    """What a card says of the times in its text."""

    @pytest.fixture
    async def offers(self, bench: Bench) -> Bench:
        """An assistant whose model offers a time that nobody looked up."""
        await bench.invents(OFFERS.format("10:00"))
        return bench

    async def test_a_time_that_is_taken_is_told(self, offers: Bench) -> None:
        """On the card, by the day, the hour and what is there; accepted all the same, it goes out."""
        await occupy(offers, DENTIST)
        message, card = await offers.to_reply()
        assert "names Thu 26 Nov, 10:00, when you have Dentist." in _plain(card)
        assert "Free in your calendar" not in _plain(card)
        await _until_sent(offers, message, card)

    async def test_a_time_that_is_taken_meanwhile_is_asked_about(self, offers: Bench) -> None:
        """Nothing goes out before that was seen."""
        message, card = await offers.to_reply()
        assert "Free in your calendar: Thu 26 Nov, 10:00." in _plain(card)
        await occupy(offers, DENTIST)
        again = await offers.answer(message, [accepting(card)])
        assert "10:00: Your calendar has Dentist at this time." in _plain(again)
        assert await offers.sent() == []
        await _until_sent(offers, message, again)

    async def test_a_time_that_is_taken_meanwhile_is_told_where_it_is_drawn(self, offers: Bench) -> None:
        """And nothing says any more that it is free; what is answered stays the same question."""
        _, card = await offers.to_reply()
        await occupy(offers, DENTIST)
        asked = as_waiting(card)
        (drawn,) = await looked_up([asked], offers.house.calendar, TEN - 48 * HOUR)
        assert "The text names Thu 26 Nov, 10:00, when you have Dentist by now." in drawn.facts.warnings
        assert not any("Free in your calendar" in each for each in drawn.facts.reasons)
        assert drawn.digest == asked.digest

    async def test_a_time_that_an_edit_names_is_held_against_the_calendar(self, offers: Bench) -> None:
        """Words of the person's own are checked as the model's are."""
        await occupy(offers, DENTIST)
        message, card = await offers.to_reply()
        other = Event("audit", "Audit", TEN + 4 * HOUR, TEN + 5 * HOUR)
        await occupy(offers, other)
        again = await offers.answer(message, edited(card, body=OFFERS.format("14:00")))
        assert "14:00: Your calendar has Audit at this time." in _plain(again)
        assert await offers.sent() == []

    async def test_a_meeting_with_the_same_person_takes_no_time(self, offers: Bench) -> None:
        """It may be the one that the text speaks of."""
        message, card = await offers.to_reply()
        mine = Event("call", "Call", TEN, TEN + HOUR, attendees=(Address(message.sender.email),))
        await occupy(offers, mine)
        await _until_sent(offers, message, await offers.answer(message, [accepting(card)]))

    async def test_a_time_outside_working_hours_is_told(self, bench: Bench) -> None:
        """By the setting's words."""
        await bench.invents(OFFERS.format("20:00"))
        _, card = await bench.to_reply()
        assert "20:00, outside your working hours (Mon-Fri 09:00-17:00)." in _plain(card)

    async def test_mail_of_a_later_day_is_read_by_the_machines_clock(self, offers: Bench) -> None:
        """By the day on which it came into the mailbox, whatever its Date says: what is over by then is not offered as free."""
        clock, later = offers.house.agenda_clock, datetime(2027, 3, 3, 9, tzinfo=UTC)
        object.__setattr__(clock, "machine", FixedClock(later))
        root = offers.house.settings.maildir_path
        assert root is not None
        key = Maildir(root).add(raw_messages(offers.workflow.case)[-1])
        os.utime(root / "new" / key, (later.timestamp(), later.timestamp()))
        message = await offers.house.mailbox.fetch(key)
        card = await offers.up_to_reply(message, await offers.start(message))
        assert message.date is not None
        assert message.date < DENTIST.start < later
        assert "Free in your calendar" not in _plain(card)


def _plain(card: Mapping[str, Any] | None) -> str:
    assert card is not None
    return str(card["description"]).replace("\\", "")


async def _until_sent(bench: Bench, message: Message, card: Mapping[str, Any] | None) -> None:
    """Accept what is asked, at most three times: one letter goes out."""
    for _ in range(3):
        card = await bench.answer(message, [accepting(card)]) if card else None
    assert card is None
    assert len(await bench.letters()) == 1
