"""What a meeting's card says of its time, and what happens when the time is taken by the time of the answer."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Conversation
from email_assistant.meetings.scheduling import ScheduleMeeting, ScheduleMeetingArguments
from email_assistant.review.action import Action
from email_assistant.tools.meeting_words import NOT_ASKED, NOT_NAMED
from email_assistant.tools.tool import AskAgain, Done, Turn
from tests.support.desk import Desk, desk, mail

TEN = datetime(2026, 11, 26, 9, tzinfo=UTC)
"""Ten o'clock in Berlin."""
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


async def test_an_event_whose_hours_nobody_knows_is_told_and_the_time_not_called_free(
    assistant: Desk, tool: ScheduleMeeting
) -> None:
    """On the card, and once more where it came since; accepted all the same, the meeting is made."""
    action = await card(assistant)
    path = Path(assistant.house.calendar.name.removeprefix("ics:"))
    bad = b"BEGIN:VEVENT\r\nUID:board\r\nSUMMARY:Board\r\nDTSTART:soon\r\nEND:VEVENT\r\n"
    path.write_bytes(path.read_bytes().replace(b"END:VCALENDAR", bad + b"END:VCALENDAR"))
    again = await tool.perform(action, acknowledged=NOTHING)
    assert isinstance(again, AskAgain)
    assert again.problem.startswith("When Board in your calendar is cannot be read.")
    (warning, _) = again.action.warnings
    assert warning.startswith("Nobody knows whether Board in your calendar is at this time: ")
    assert "The time is free in your calendar." not in again.action.reasons
    assert isinstance(await tool.perform(again.action, acknowledged=NOTHING), Done)
    assert await titles(assistant) == ["Board", "Fitting"]
    assert warning in (await card(assistant, "call_2")).warnings


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


ASKS = "Could we meet for the fitting on {}?"
OTHER = "The mail names another time: "


@pytest.mark.parametrize(
    ("body", "args", "told"),
    [
        (ASKS.format("Thursday 26 November 2026 at 10:00"), {}, ""),
        (ASKS.format("Thursday 26 November 2026 between 9:30 and 11:00"), {}, ""),
        (ASKS.format("Thursday 26 November 2026"), {}, ""),
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


async def test_what_the_mail_asks_for_and_what_is_free_instead(assistant: Desk) -> None:
    """The card's first sentence says what is in the way; its facts, what else the mail names and the day has room for."""
    long = replace(STANDUP, start=TEN, end=TEN + timedelta(hours=1, minutes=30))
    await assistant.house.calendar.create(long)
    body = "Could we meet on Thursday 26 November at 10:00 for an hour, or on Friday 27 November at 14:00?"
    action = await card(assistant, body=body, start="2026-11-26T12:00", end="2026-11-26T13:00")
    assert (
        action.headline == "{who} wants “{title}”: Thursday 26 November 2026, 10:00, when you have “Standup”."
    )
    meeting = action.meeting or {}
    assert meeting["asked"] == {
        "start": "2026-11-26T10:00:00+01:00",
        "end": "2026-11-26T11:00:00+01:00",
        "taken_by": "Standup",
    }
    assert [each["start"] for each in meeting["options"]] == [
        "2026-11-27T14:00:00+01:00",
        "2026-11-26T09:00:00+01:00",
        "2026-11-26T13:00:00+01:00",
    ]
    assert meeting["collisions"] == []


async def test_of_several_times_rules_propose_the_first_that_is_free(tmp_path: Path) -> None:
    """And the card says what is in the way of the one before it."""
    assistant = desk(tmp_path, None)
    await assistant.house.calendar.create(STANDUP)
    days = "Could we meet on Thursday 26 November at 10:00, or on Friday 27 November at 14:00?"
    shown = await assistant.start(await assistant.receive(mail(f"Hi Robin,\n\n{days}\n\nAna")))
    assert shown is not None
    assert shown["action_request"]["args"]["start"] == "2026-11-27T14:00:00+01:00"
    assert "10:00, when you have “Standup”, or Fri 27 Nov, 14:00" in shown["view"]["ask"]


async def test_an_hour_by_another_clock_is_told_by_both(assistant: Desk) -> None:
    """Nothing is offered in the other side's night, and what the meeting touches is told."""
    await assistant.house.calendar.create(
        replace(STANDUP, start=TEN + timedelta(minutes=30), end=TEN + timedelta(hours=1))
    )
    action = await card(assistant, body="Could we meet on Thursday 26 November at 18:00 JST?")
    told = "Thursday 26 November 2026, 10:00 (18:00 JST), right before “Standup”"
    assert action.headline == f"{{who}} wants “{{title}}”: {told}."
    assert (action.meeting or {})["options"] == []


async def test_a_way_that_is_too_short_is_told(assistant: Desk) -> None:
    """From what is at a place of its own, as near as no time is offered beside it."""
    before = replace(
        STANDUP, start=TEN - timedelta(hours=1), end=TEN - timedelta(minutes=15), location="Hafen 3"
    )
    await assistant.house.calendar.create(before)
    action = await card(assistant, body=ASKS.format("Thursday 26 November 2026 at 10:00"))
    assert "The time is free in your calendar, 15 minutes after “Standup” (Hafen 3)." in action.reasons


@pytest.mark.parametrize(
    ("body", "args", "told"),
    [
        (ASKS.format("Thursday 26 November 2026 at 10:00"), {}, []),
        (
            ASKS.format("some day"),
            {},
            ["The mail names no day and no hour: Thursday 26 November 2026, 10:00 was chosen for you."],
        ),
        (ASKS.format("Thursday 26 November"), {}, ["The mail names no hour: 10:00 was chosen for you."]),
        (
            ASKS.format("Thursday 26 November at 10:00 for an hour"),
            {},
            ["The mail names 60 minutes; this takes 30."],
        ),
        ("Please send the drawings by Thursday.", {}, [NOT_ASKED]),
        (
            ASKS.format("the third Thursday of November at 10:00"),
            {},
            ["The mail names a time that was not understood: “third Thursday of November at 10:00”."],
        ),
        (
            ASKS.format("Thursday 26 November at seven"),
            {},
            ["The mail names a time that was not understood: “Thursday 26 November at seven”."],
        ),
        ("The fitting is on Wednesday 25 November 2026 at 10:00.", {}, [NOT_ASKED, NOT_NAMED]),
        (
            ASKS.format("Thursday 26 November 2026 at 10:00"),
            {"start": "2026-11-26T18:00", "end": "2026-11-26T18:30", "timezone": "Asia/Tokyo"},
            ["The mail names no clock of Asia/Tokyo; compare the time with the mail."],
        ),
    ],
)
async def test_a_time_that_does_not_stand_in_the_mail_is_told(
    assistant: Desk, body: str, args: dict[str, str], told: list[str]
) -> None:
    """Whoever proposes it: words that were not understood, another day or hour, a clock that nobody named."""
    action = await card(assistant, body=body, **args)
    doubts = ("The mail names", NOT_ASKED, NOT_NAMED)
    assert [warning for warning in action.warnings if warning.startswith(doubts)] == told
