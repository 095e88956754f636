"""Events that mail brings or proposes, with a model over HTTP and a real calendar file."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Message
from tests.servers.model_server import Answer, ModelServer, running_model_server, tool_call, tool_calls
from tests.support.desk import ME, NOW, Desk, mail, organizer

BERLIN = ZoneInfo("Europe/Berlin")
ACCEPT = [{"type": "accept", "args": None}]


def category(**changes: Any) -> Answer:
    """Where the model puts the mail."""
    fields = {"reasoning": "Work.", "category": "Professional/Work", "confidence": 0.9, "importance": 0.5, "key_phrases": []}  # fmt: skip
    return tool_call("CategoryAnswer", fields | changes)


CATEGORY, MEETS = category(), category(wants_meeting=True)
ASKS = "Could we meet on Thursday 26 November 2026 at 10:00 in the workshop?"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


@pytest.fixture
def assistant(model: ModelServer, tmp_path: Path) -> Desk:
    """An organizer whose both tiers are on the server."""
    return organizer(
        tmp_path,
        EMAIL_ASSISTANT_MODEL_FAST="openai:fast",
        EMAIL_ASSISTANT_MODEL_STRONG="openai:strong",
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=model.base_url,
        EMAIL_ASSISTANT_VIPS="board.example",
    )


def event(**changes: Any) -> Answer:
    """The meeting that the model calls for."""
    fields = {
        "title": "Workshop", "attendees": ["ana@example.com", "stranger@else.test"], "start": "2026-11-26T10:00",
        "end": "2026-11-26T10:45", "timezone": "Europe/Berlin", "location": "Workshop",
    }  # fmt: skip
    return tool_calls(("schedule_meeting", fields | changes), ("Done", {}))


DONE = tool_call("Done", {})


def invitation(
    method: str = "REQUEST", start: str = ":20261126T090000Z", end: str = "DURATION:PT45M"
) -> bytes:
    """A mail with a calendar part."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ana <ana@example.com>", ME, "Invitation: Fitting"
    message["Message-ID"] = f"<invitation-{method}-{start[-8:]}@example.com>"
    message["Date"] = "Thu, 19 Nov 2026 09:00:00 +0000"
    message.set_content("You are invited.")
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example//EN", f"METHOD:{method}", "BEGIN:VEVENT", "UID:fitting@example.com",
        "DTSTAMP:20261119T090000Z", f"DTSTART{start}", end, "SUMMARY:Fitting", "LOCATION:Room 5",
        "ORGANIZER:mailto:ana@example.com", "ATTENDEE:mailto:robin@vale.example", "ATTENDEE:mailto:bo@example.com",
        "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    message.add_alternative(
        "\r\n".join(lines).encode(), maintype="text", subtype="calendar", params={"method": method}
    )
    return bytes(message)


async def events(assistant: Desk) -> list[Event]:
    """What the calendar holds in that week."""
    return await assistant.house.calendar.events(NOW, NOW + timedelta(days=10))


async def test_a_proposed_event_waits_and_is_then_created(model: ModelServer, assistant: Desk) -> None:
    """Whoever is not in the conversation is told; nothing is in the calendar before."""
    model.script(MEETS, event())
    message = await assistant.receive(mail(ASKS))
    card = await assistant.start(message)
    assert card is not None
    request = card["action_request"]
    assert request["action"] == "Schedule meeting: Workshop"
    for told in ("stranger@else.test", "The time is free in your calendar."):
        assert told in card["description"]
    assert "offline rules" not in card["description"]
    assert await events(assistant) == []
    assert await assistant.answer(message, ACCEPT) is None
    (created,) = await events(assistant)
    assert (created.title, created.start.isoformat()) == ("Workshop", "2026-11-26T09:00:00+00:00")
    await assistant.house.models.close()


async def test_a_calendar_part_needs_no_model(model: ModelServer, assistant: Desk) -> None:
    """Its event is asked about as it stands, and enters the calendar under its own UID."""
    model.script(CATEGORY)
    message = await assistant.receive(invitation())
    card = await assistant.start(message)
    assert card is not None
    assert card["action_request"]["action"] == "Invitation: Fitting"
    assert "Room 5" in card["description"]
    assert "without a model" in card["description"]
    assert len(model.bodies) == 1
    assert await assistant.answer(message, ACCEPT) is None
    (created,) = await events(assistant)
    assert (created.end - created.start, created.uid) == (timedelta(minutes=45), "fitting@example.com")
    assert [each.email for each in created.attendees] == ["robin@vale.example", "bo@example.com"]
    assert len(await assistant.sent()) == 1
    await assistant.house.models.close()


async def test_what_is_cancelled_is_not_proposed(model: ModelServer, assistant: Desk) -> None:
    """There is no card."""
    model.script(CATEGORY)
    assert await assistant.start(await assistant.receive(invitation("CANCEL"))) is None
    await assistant.house.models.close()


async def test_what_wants_no_meeting_is_not_read_for_one(model: ModelServer, assistant: Desk) -> None:
    """One call sorts the mail, and says so; what is asked all the same is shown."""
    model.script(CATEGORY)
    card = await assistant.start(await assistant.receive(mail(ASKS)))
    assert card is not None
    assert card["action_request"]["action"].startswith("Notify: ")
    assert "It asks, and is put to you alone." in card["description"]
    assert len(model.bodies) == 1
    await assistant.house.models.close()


async def test_a_time_that_is_over_is_not_proposed(model: ModelServer, assistant: Desk) -> None:
    """The model is told; when it gives up, the mail is shown."""
    model.script(MEETS, event(start="2026-11-01T10:00", end="2026-11-01T10:45"), DONE)
    message = await assistant.receive(mail(ASKS))
    card = await assistant.start(message)
    assert card is not None
    assert card["action_request"]["action"].startswith("Notify: ")
    assert await events(assistant) == []
    assert await assistant.answer(message, [{"type": "ignore", "args": None}]) is None
    await assistant.house.models.close()


async def test_a_day_without_times_is_a_whole_day_of_the_calendar(
    model: ModelServer, assistant: Desk
) -> None:
    """Proposed by the mail's words, shown and created as days; of a calendar part with DATE values asked about as days."""
    model.script(MEETS, event(start="2026-11-26", end="2026-11-26"))
    words = await assistant.receive(mail("Could we meet on Thursday 26 November 2026, the whole day?"))
    part = invitation(start=";VALUE=DATE:20261127", end="DTEND;VALUE=DATE:20261129")
    assert await shown_and_accepted(assistant, words) == ("2026-11-26", "2026-11-26")
    model.script(CATEGORY)
    message = await assistant.receive(part)
    card = await assistant.start(message)
    assert card is not None
    assert "Fri 27 Nov to Sat 28 Nov, all day" in card["description"].replace("\\", "")
    assert await assistant.answer(message, ACCEPT) is None
    found = [
        (e.all_day, e.start.astimezone(BERLIN), e.end.astimezone(BERLIN)) for e in await events(assistant)
    ]
    days = [datetime(2026, 11, day, tzinfo=BERLIN) for day in (26, 27, 29)]
    assert found == [(True, days[0], days[1]), (True, days[1], days[2])]
    await assistant.house.models.close()


async def shown_and_accepted(assistant: Desk, message: Message) -> tuple[str, str]:
    """The days on the card of a message's event, which is accepted."""
    card = await assistant.start(message)
    assert card is not None
    assert await assistant.answer(message, ACCEPT) is None
    args = card["action_request"]["args"]
    return args["start"], args["end"]
