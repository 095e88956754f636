"""What a meeting's card says of its time, and what happens when the time is taken by the time of the answer."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from email_assistant.calendars.event import Event
from email_assistant.errors import ProviderError
from email_assistant.mail.message import Conversation
from email_assistant.review.action import Action
from email_assistant.tools.scheduling import ScheduleMeeting, ScheduleMeetingArguments
from email_assistant.tools.tool import AskAgain, Done, Turn
from tests.support.desk import Desk, desk, mail

TEN = datetime(2026, 11, 26, 9, tzinfo=UTC)
"""Ten o'clock in Berlin."""
HALF_AN_HOUR = timedelta(minutes=30)
NOTHING: frozenset[str] = frozenset()
STANDUP = Event("standup", "Standup", TEN + timedelta(minutes=15), TEN + timedelta(minutes=45))


@pytest.fixture
def assistant(tmp_path: Path) -> Desk:
    """An assistant with a calendar file of its own."""
    return desk(tmp_path)


@pytest.fixture
def tool(assistant: Desk) -> ScheduleMeeting:
    """The tool as the assistant has it."""
    return assistant.house.schedule_meeting


async def card(
    assistant: Desk, call: str = "call_1", body: str = "The drawings are here.", **args: str
) -> Action:
    """A meeting at ten that waits for approval."""
    message = await assistant.receive(mail(body, message_id=f"<{call}@example.com>"))
    turn = Turn("thread", Conversation(message), assistant.house.user, call)
    given = {"title": "Fitting", "start": "2026-11-26T10:00", "end": "2026-11-26T10:30"} | args
    action = await assistant.house.schedule_meeting.prepare(
        ScheduleMeetingArguments.model_validate(given), turn
    )
    assert isinstance(action, Action)
    return action


async def titles(assistant: Desk) -> list[str]:
    """What the calendar holds on the day."""
    events = await assistant.house.calendar.events(TEN - timedelta(hours=9), TEN + timedelta(hours=12))
    return [event.title for event in events]


async def test_a_time_taken_since_the_card_is_asked_about_once(
    assistant: Desk, tool: ScheduleMeeting
) -> None:
    """What collides is named, the card no longer says that the time is free, and a second accept creates it."""
    action = await card(assistant)
    await assistant.house.calendar.create(STANDUP)
    again = await tool.perform(action, acknowledged=NOTHING)
    assert isinstance(again, AskAgain)
    assert "Standup" in again.problem
    assert await titles(assistant) == ["Standup"]
    assert again.action.warnings == ("This collides with Standup in your calendar.",)
    assert "The time is free in your calendar." not in again.action.reasons
    assert isinstance(await tool.perform(again.action, acknowledged=NOTHING), Done)
    assert await titles(assistant) == ["Fitting", "Standup"]


async def test_what_the_card_warned_of_is_not_asked_again(assistant: Desk, tool: ScheduleMeeting) -> None:
    """The person has seen it and accepted; one more collision since then is another matter."""
    await assistant.house.calendar.create(STANDUP)
    action = await card(assistant)
    other = await card(assistant, "call_2")
    assert isinstance(await tool.perform(action, acknowledged=NOTHING), Done)
    again = await tool.perform(other, acknowledged=NOTHING)
    assert isinstance(again, AskAgain)
    assert ("Fitting" in again.problem, "Standup" in again.problem) == (True, False)


async def test_an_edit_onto_a_taken_time_is_asked_about(assistant: Desk, tool: ScheduleMeeting) -> None:
    """Also where the card named the same event as a collision of another time."""
    await assistant.house.calendar.create(STANDUP)
    action = await card(assistant)
    edited = await tool.revise(
        action, {**action.args, "start": "2026-11-26T10:30", "end": "2026-11-26T11:00"}
    )
    assert isinstance(edited, Action)
    assert edited.summary == "Thursday 26 November 2026, 10:30–11:00 (Europe/Berlin)."
    again = await tool.perform(edited, acknowledged=NOTHING)
    assert isinstance(again, AskAgain)
    assert (again.action.args, again.action.summary) == (edited.args, edited.summary)
    renamed = await tool.revise(again.action, {**again.action.args, "title": "Fitting at home"})
    assert isinstance(renamed, Action)
    assert isinstance(await tool.perform(renamed, acknowledged=NOTHING), Done)
    assert await titles(assistant) == ["Standup", "Fitting at home"]


async def test_of_many_that_are_accepted_at_once_one_is_created(
    assistant: Desk, tool: ScheduleMeeting
) -> None:
    """All others are asked about, also those of another tool for the same calendar."""
    actions = [await card(assistant, f"call_{number}") for number in range(6)]
    tools = [tool, replace(tool)] * 3
    results = await asyncio.gather(
        *(each.perform(action, acknowledged=NOTHING) for each, action in zip(tools, actions, strict=True))
    )
    assert sorted(type(result).__name__ for result in results) == ["AskAgain"] * 5 + ["Done"]
    assert await titles(assistant) == ["Fitting"]


async def test_what_an_earlier_try_has_created_is_no_collision_with_itself(
    assistant: Desk, tool: ScheduleMeeting
) -> None:
    """A repeat after a crash finds it, and nothing else is created."""
    action = await card(assistant)
    await assistant.house.calendar.create(
        Event(action.facts["event_id"], "Fitting", TEN, TEN + HALF_AN_HOUR, timezone="Europe/Berlin")
    )
    for _ in range(2):
        assert isinstance(await tool.perform(action, acknowledged=NOTHING), Done)
    assert await titles(assistant) == ["Fitting"]


async def test_a_try_that_was_cut_short_is_not_another_meeting_for_what_its_card_says_since(
    assistant: Desk, tool: ScheduleMeeting
) -> None:
    """The effect on record is the meeting; the warnings of its card are not part of it."""
    action = await card(assistant)

    async def dies(_: Event) -> Event:
        raise asyncio.CancelledError

    class Dying:
        """A calendar whose process dies before anything is created."""

        name = assistant.house.calendar.name
        events, get = assistant.house.calendar.events, assistant.house.calendar.get
        create = staticmethod(dies)

    with pytest.raises(asyncio.CancelledError):
        await replace(tool, calendar=Dying()).perform(action, acknowledged=NOTHING)
    await assistant.house.calendar.create(STANDUP)
    again = await tool.perform(action, acknowledged=NOTHING)
    assert isinstance(again, AskAgain)
    assert isinstance(await tool.perform(again.action, acknowledged=NOTHING), Done)
    assert await titles(assistant) == ["Fitting", "Standup"]


async def test_a_calendar_that_cannot_be_read_is_never_free(assistant: Desk, tool: ScheduleMeeting) -> None:
    """The error is passed on, and nothing is created."""
    action = await card(assistant)
    (file,) = assistant.house.settings.data_path.glob("*.ics")
    file.write_text("nonsense")
    with pytest.raises(ProviderError):
        await tool.perform(action, acknowledged=NOTHING)
    assert file.read_text() == "nonsense"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({}, "Thursday 26 November 2026, 10:00–10:30 (Europe/Berlin)."),
        (
            {"timezone": "America/New_York"},
            "Thursday 26 November 2026, 10:00–10:30 (America/New_York), "
            "which is Thursday 26 November 2026, 16:00–16:30 (Europe/Berlin).",
        ),
        (
            {"start": "2026-11-26T23:30", "end": "2026-11-27T00:30"},
            "Thursday 26 November 2026, 23:30 to Friday 27 November 2026, 00:30 (Europe/Berlin).",
        ),
        (
            {"start": "2026-11-26T10:00", "end": "2026-11-26T10:30", "timezone": "Europe/Paris"},
            "Thursday 26 November 2026, 10:00–10:30 (Europe/Paris).",
        ),
        ({"start": "2026-12-04", "end": "2026-12-04"}, "Friday 4 December 2026, all day."),
        (
            {"start": "2026-12-04", "end": "2026-12-06"},
            "Friday 4 December 2026 to Sunday 6 December 2026, all day.",
        ),
    ],
)
async def test_the_card_says_when_in_words(assistant: Desk, args: dict[str, str], told: str) -> None:
    """With the weekday and the zone; where it is by another clock, by the owner's too."""
    assert (await card(assistant, **args)).summary == told


ASKS = "Could we meet for the fitting on {}?"
OTHER = "The mail names another time: "


@pytest.mark.parametrize(
    ("body", "args", "told"),
    [
        (ASKS.format("Thursday 26 November 2026 at 10:00"), {}, ""),
        (ASKS.format("Thursday 26 November 2026 between 9:30 and 11:00"), {}, ""),
        (ASKS.format("Thursday 26 November 2026"), {}, ""),
        (ASKS.format("Thursday 26 November 2026 after nine, 9:00 is too early"), {}, ""),
        ("The drawings are here.", {}, ""),
        (
            ASKS.format("Thursday 26 November 2026 at 9:00"),
            {},
            "Thursday 26 November 2026, 09:00. This is Thursday 26 November 2026, 10:00–10:30 (Europe/Berlin).",
        ),
        (
            ASKS.format("Thursday 26 November 2026 at 10:00 am New York time"),
            {},
            "Thursday 26 November 2026, 16:00. This is Thursday 26 November 2026, 10:00–10:30 (Europe/Berlin).",
        ),
        (
            ASKS.format("Wednesday 25 November 2026"),
            {"start": "2026-11-26", "end": "2026-11-26"},
            "Wednesday 25 November 2026. This is Thursday 26 November 2026, all day.",
        ),
        (
            ASKS.format("Thursday 26 November 2026 at 10:00"),
            {"start": "2026-11-26", "end": "2026-11-26"},
            "Thursday 26 November 2026, 10:00. This is Thursday 26 November 2026, all day.",
        ),
    ],
)
async def test_another_time_than_the_mail_names_is_told(
    assistant: Desk, body: str, args: dict[str, str], told: str
) -> None:
    """And nothing is said where it is within the time that was named, or the mail names none."""
    action = await card(assistant, body=body, **args)
    found = [warning for warning in action.warnings if warning.startswith(OTHER)]
    assert found == ([f"{OTHER}{told}"] if told else [])
