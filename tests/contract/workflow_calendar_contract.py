"""Promises about time, over the graphs that create meetings: never two events for one hour without a word."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Message
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from eval.mails import USER
from eval.workbench import Workbench
from tests.support.meetings import MEETS, TEN, meeting_card, meeting_mail, occupy, taken_at_ten, to_meeting
from tests.support.surfaces import as_waiting, unlike
from tests.support.workflows import ANA, Bench, Workflow, echoed, edited

LABELS = "Label as "
OFFERED = "- Tuesday 24 November 2026, 10:00\n- Thursday 26 November 2026, 10:00"


class SchedulingContract:
    """A class that inherits from this has a graph that creates meetings; see `Workflow.schedules`."""

    @pytest.fixture
    async def planner(self, workflow: Workflow, tmp_path: Path) -> AsyncIterator[Bench]:
        """An assistant whose rules propose the meeting that a mail asks for."""
        made = await workflow.open(tmp_path, Models(ModelSettings(fast="offline", strong="offline")))
        yield made
        await made.close()

    async def test_a_card_says_when_in_words(self, planner: Bench) -> None:
        """In the first line: weekday, day, hours and zone."""
        _, card = await to_meeting(planner, "one")
        told = card["description"].splitlines()[0]
        assert "Thu 26 Nov, 10:00–10:30 (Europe/Berlin)." in told
        assert unlike(as_waiting(card)) == {}

    @pytest.mark.parametrize("first", [0, 1])
    async def test_the_second_of_two_cards_for_one_hour_is_asked_about(
        self, planner: Bench, first: int
    ) -> None:
        """In either order; the new card names what collides, and only its own accept creates another event."""
        waiting = [await to_meeting(planner, name) for name in ("one", "two")]
        (message, card), (other, second) = waiting[first], waiting[1 - first]
        await planner.answer(message, echoed(card))
        assert len(await taken_at_ten(planner)) == 1
        again = await planner.answer(other, echoed(second))
        asked_about(again, card["action_request"]["args"]["title"])
        assert len(await taken_at_ten(planner)) == 1
        assert again is not None
        await planner.answer(other, echoed(again))
        assert len(await taken_at_ten(planner)) == 2

    async def test_of_two_accepted_at_the_same_moment_one_is_asked_about(self, planner: Bench) -> None:
        """Whoever comes first has the hour."""
        waiting = [await to_meeting(planner, name) for name in ("one", "two")]
        await asyncio.gather(*(planner.answer(message, echoed(card)) for message, card in waiting))
        assert len(await taken_at_ten(planner)) == 1
        assert [await still_asks(planner, message) for message, _ in waiting].count(True) == 1

    async def test_what_is_said_to_the_guests_stands_in_their_invitation(self, planner: Bench) -> None:
        """As it was typed into the card; a gap of it never leaves."""
        message, card = await to_meeting(planner, "one")
        assert card["action_request"]["args"]["message"] == ""
        again = await planner.answer(message, edited(card, message="I bring [confirm: the samples]."))
        assert again is not None
        assert await planner.sent() == []
        await planner.answer(message, edited(again, message="I bring the oak samples."))
        (invitation,) = await planner.scheduling()
        (text, *_) = [each for each in invitation.walk() if each.get_content_type() == "text/plain"]
        assert "I bring the oak samples." in str(text.get_payload())

    async def test_an_edit_onto_a_taken_hour_is_asked_about(self, planner: Bench) -> None:
        """And accepted again it is done as edited."""
        message, card = await to_meeting(planner, "one")
        later = TEN + timedelta(hours=2)
        await occupy(planner, Event("lunch", "Lunch with Bo", later, later + timedelta(hours=1)))
        start, end = "2026-11-26T12:30+01:00", "2026-11-26T13:00+01:00"
        again = await planner.answer(message, edited(card, start=start, end=end))
        asked_about(again, "Lunch with Bo")
        assert await taken_at_ten(planner) == []
        assert again is not None
        assert "12:30–13:00 (Europe/Berlin)" in again["description"]
        await planner.answer(message, echoed(again))
        events = await planner.house.calendar.events(later, later + timedelta(hours=1))
        assert {event.title for event in events} == {"Lunch with Bo", card["action_request"]["args"]["title"]}

    async def test_a_collision_that_the_card_has_told_is_not_asked_about_again(self, planner: Bench) -> None:
        """One accept creates the meeting."""
        message, card = await to_meeting(planner, "one")
        await occupy(planner, Event("standup", "Standup", TEN, TEN + timedelta(minutes=15)))
        again = await planner.answer(message, echoed(card))
        asked_about(again, "Standup")
        assert again is not None
        await planner.answer(message, echoed(again))
        assert len(await taken_at_ten(planner)) == 2

    async def test_a_calendar_that_cannot_be_read_is_told_and_not_taken_for_free(
        self, planner: Bench
    ) -> None:
        """On the card; once it can be read, an accept does it."""
        message, card = await to_meeting(planner, "one")
        (file,) = planner.house.settings.data_path.glob("*.ics")
        before = file.read_text()
        file.write_text("nonsense")
        again = await planner.answer(message, echoed(card))
        assert again is not None
        assert again["description"].startswith("It did not work: ")
        assert file.read_text() == "nonsense"
        file.write_text(before)
        await planner.answer(message, echoed(again))
        assert len(await taken_at_ten(planner)) == 1

    async def test_another_time_than_the_mail_names_is_told(self, planner: Bench) -> None:
        """Where the hour is taken when the card is made, a card for another time says so."""
        await occupy(planner, Event("standup", "Standup", TEN, TEN + timedelta(minutes=30)))
        _, card = await meeting_card(planner, "one")
        is_other = card["action_request"]["args"]["start"] != "2026-11-26T10:00:00+01:00"
        assert ("The mail names another time: Thu 26 Nov, 10:00." in card["description"]) == is_other
        assert ("This collides with Standup" in card["description"]) != is_other

    @pytest.mark.parametrize(
        ("field", "typed"),
        [("timezone", "Mars/Olympus"), ("timezone", "../../etc/passwd"),
        ("start", "9999-12-31T23:00:00+00:00")],
    )  # fmt: skip
    async def test_a_time_that_there_is_not_is_refused_with_what_was_typed(
        self, planner: Bench, field: str, typed: str
    ) -> None:
        """The card comes again; no clock and no calendar has to take it."""
        message, card = await to_meeting(planner, "one")
        again = await planner.answer(message, edited(card, **{field: typed}))
        assert again is not None
        assert again["description"].startswith("The edit was not taken: ")
        assert again["action_request"]["args"][field] == typed
        assert await taken_at_ten(planner) == []

    async def test_a_guest_who_is_named_twice_is_invited_once(self, planner: Bench) -> None:
        """However the address is written; nothing is left open behind it."""
        message, card = await to_meeting(planner, "one")
        one = card["action_request"]["args"]["attendees"]
        await planner.answer(message, edited(card, attendees=f"{one}, One <{one.upper()}>"))
        assert not await still_asks(planner, message)
        assert [mail["to"] for mail in await planner.scheduling()] == [one]

    async def test_only_the_time_that_a_mail_names_is_as_discussed(self, planner: Bench) -> None:
        """One that an edit names is an invitation as to anybody."""
        other = {"start": "2026-11-27T15:00:00+01:00", "end": "2026-11-27T15:30:00+01:00"}
        for name, edit in (("one", other), ("two", {})):
            message, card = await to_meeting(planner, name)
            await planner.answer(message, edited(card, **edit) if edit else echoed(card))
            (mail,) = [each for each in await planner.scheduling() if name in str(each["to"])]
            assert ("as discussed" in mail.as_string()) == (not edit)

    async def test_a_time_that_is_over_is_asked_about(self, planner: Bench) -> None:
        """A card may have waited for long, and an edit name another year."""
        message, card = await to_meeting(planner, "one")
        over = {"start": "2020-11-26T10:00:00+01:00", "end": "2020-11-26T11:00:00+01:00"}
        again = await planner.answer(message, edited(card, **over))
        assert again is not None
        assert again["description"].startswith("This time is over.")
        assert await planner.sent() == []

    @pytest.mark.parametrize("sender", [ANA, "Eve <eve@evil.example>"])
    async def test_who_takes_times_that_were_offered_to_another_is_told(
        self, planner: Bench, sender: str
    ) -> None:
        """Whoever knows an id of a conversation can write into it, and an invitation would go to them."""
        asked = {"from": ANA, "text": "Could we meet next week?"}
        offer = {"from": USER, "to": ANA, "text": f"We could meet on:\n{OFFERED}"}
        takes = {
            "id": "o",
            "from": sender,
            "subject": "Shelf",
            "text": "The first one, please.",
            "auth": "pass",
        }
        message, card = await planner.bring({**takes, "thread": [asked, offer]})
        while card is not None and card["action_request"]["action"].startswith(LABELS):
            card = await planner.answer(message, echoed(card))
        assert card is not None
        assert card["action_request"]["action"].startswith(MEETS)
        told = (
            "eve@evil.example had no part in this conversation before: the times were offered to Ana Petrova."
        )
        assert (told in card["description"].replace("\\", "").replace("`", "")) == (sender != ANA)

    async def test_a_time_that_was_not_understood_is_told_and_no_meeting_proposed(
        self, planner: Bench
    ) -> None:
        """On the first card that speaks of more than a label, or by no card at all."""
        mail = {**meeting_mail("one"), "text": "Could we meet on the third Thursday of November at 10:00?"}
        message, card = await planner.bring(mail)
        while card is not None:
            asked = card["action_request"]["action"]
            assert not asked.startswith(MEETS)
            if not asked.startswith(LABELS):
                assert (
                    "The mail names a time that was not understood: “third Thursday of November at 10:00”."
                    in card["description"]
                )
                break
            card = await planner.answer(message, echoed(card))


def asked_about(card: Mapping[str, Any] | None, title: str) -> None:
    """The card is for a meeting, and its first line says that the calendar has something else then."""
    assert card is not None
    assert card["action_request"]["action"].startswith(MEETS)
    told = card["description"].splitlines()[0]
    assert told.startswith(f"Your calendar has {title}")
    assert "The time is free in your calendar" not in card["description"]


async def still_asks(bench: Workbench, message: Message) -> bool:
    """Whether the message's thread waits with a card for a meeting."""
    card = await bench.card(message)
    return card is not None and card["action_request"]["action"].startswith(MEETS)
