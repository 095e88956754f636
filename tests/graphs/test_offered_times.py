"""A mail that asks when the user is free gets times to choose from, and nothing is put into the calendar."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Message
from eval.mails import USER
from eval.workbench import built
from tests.graphs.test_assistant import edit
from tests.support.desk import Desk, desk, mail

ACCEPT = [{"type": "accept", "args": None}]
DAY = timedelta(days=1)
NINE = datetime(2026, 11, 23, 8, tzinfo=UTC)
"""Nine o'clock in Berlin, on the Monday after the mails."""


async def offered(assistant: Desk, text: str) -> tuple[dict[str, Any], list[str]]:
    """The reply's card, and the times it offers."""
    return await offered_to(assistant, mail(text, subject="Catch up"))


async def offered_to(assistant: Desk, raw: bytes) -> tuple[dict[str, Any], list[str]]:
    """The same of a mail."""
    card = await assistant.start(await assistant.receive(raw))
    assert card is not None
    assert card["action_request"]["action"].startswith("Send reply")
    body = card["action_request"]["args"]["body"]
    return card, [line[2:] for line in body.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("When are you free next week for a call?", "Monday 23 November, 10:00–10:30"),
        ("Could you send me a few times for a meeting next week?", "Monday 23 November, 10:00–10:30"),
        ("I would like a meeting next week. What times would suit you?", "Monday 23 November, 10:00–10:30"),
        ("Wann haben Sie nächste Woche Zeit für ein Gespräch?", "Montag, 23. November, 10:00–10:30 Uhr"),
        (
            "Quand seriez-vous disponible la semaine prochaine pour un appel ?",
            "lundi 23 novembre, 10:00–10:30",
        ),
        ("¿Cuándo tiene tiempo la próxima semana para una llamada?", "lunes, 23 de noviembre, 10:00–10:30"),
        (
            "Quando è disponibile la prossima settimana per una telefonata?",
            "lunedì 23 novembre, ore 10:00–10:30",
        ),
        ("Wanneer heeft u volgende week tijd voor een gesprek?", "maandag 23 november, 10:00–10:30 uur"),
        (
            "Quando está disponível na próxima semana para uma chamada?",
            "segunda-feira, 23 de novembro, 10:00–10:30",
        ),
    ],
)
async def test_three_free_times_on_three_days(tmp_path: Path, text: str, first: str) -> None:
    """In the working hours, none of them taken, in the letter's language; the card reads them, and finds nothing that stands nowhere."""
    assistant = desk(tmp_path)
    await assistant.house.calendar.create(Event("standup", "Standup", NINE, NINE + timedelta(hours=1)))
    card, times = await offered(assistant, text)
    assert times[0] == f"{first} (Europe/Berlin)"
    assert [re.findall(r"[\d:]+–[\d:]+", each) for each in times] == [
        ["10:00–10:30"],
        ["13:00–13:30"],
        ["09:00–09:30"],
    ]
    assert ["23" in times[0], "25" in times[1], "27" in times[2]] == [True] * 3
    assert "Free in your calendar: Mon 23 Nov, 10:00; Wed" in card["description"]
    assert "stands nowhere" not in card["description"]
    assert [each.title for each in await assistant.house.calendar.events(NINE, NINE + 7 * DAY)] == ["Standup"]


async def test_by_what_the_user_has_set_and_said(tmp_path: Path) -> None:
    """Working hours are a setting; how long, and not before when, may be in the profile."""
    assistant = desk(tmp_path, EMAIL_ASSISTANT_WORKING_HOURS="Tue-Thu 08:00-16:00")
    await assistant.house.profiles.write(
        "cal_preferences",
        "Never before ten. Meetings are 45 minutes long.",
        origin="edit",
        store=assistant.store,
    )
    _, times = await offered(assistant, "When are you free next week for a call?")
    assert times == [
        f"{day} November, {hours} (Europe/Berlin)"
        for day, hours in (
            ("Tuesday 24", "10:00–10:45"),
            ("Wednesday 25", "13:00–13:45"),
            ("Thursday 26", "10:00–10:45"),
        )
    ]


async def test_by_both_clocks_where_the_sender_is_elsewhere(tmp_path: Path) -> None:
    """Hours in which both work, told by both."""
    _, times = await offered(desk(tmp_path), "I am in New York. When are you free on Tuesday for a call?")
    assert times == ["Tuesday 24 November, 15:00–15:30 (Europe/Berlin), 09:00–09:30 (America/New_York)"]


async def test_where_no_time_suits_both_clocks_the_card_says_so(tmp_path: Path) -> None:
    """With the hours there; whatever is offered all the same is told by both clocks."""
    card, times = await offered(
        desk(tmp_path), "I am in Los Angeles. When are you free on Tuesday for a call?"
    )
    assert times[0] == "Tuesday 24 November, 09:00–09:30 (Europe/Berlin), 00:00–00:30 (America/Los_Angeles)"
    assert (
        "None of these times is within working hours on both sides: Tue 24 Nov, 09:00 is 00:00"
        in card["description"]
    )


async def test_nothing_is_offered_where_nobody_knows_what_is_free(tmp_path: Path) -> None:
    """A full week, or a calendar that cannot be read: the reply leaves that to the user."""
    assistant = desk(tmp_path)
    await assistant.house.calendar.create(Event("fair", "Fair", NINE - DAY, NINE + 7 * DAY))
    card, times = await offered(assistant, "When are you free next week for a call?")
    assert times == []
    assert "[confirm: a time that suits you]" in card["action_request"]["args"]["body"]


async def test_times_that_are_offered_by_the_sender_are_answered_as_before(tmp_path: Path) -> None:
    """Whoever names a time is not asked to choose one."""
    assistant = desk(tmp_path)
    text = "When are you free? Thursday 26 November at 10:00 would suit me for a call."
    card = await assistant.start(await assistant.receive(mail(text, subject="Catch up")))
    assert card is not None
    assert card["action_request"]["action"].startswith("Schedule meeting")


async def test_a_taken_time_is_to_come_by_the_clock_that_mail_is_read_by(tmp_path: Path) -> None:
    """Whatever the day is on which the samples are shown."""
    assistant = desk(tmp_path, EMAIL_ASSISTANT_NOW="2020-11-20T08:00:00+00:00")
    letter = "We could have a call on:\n- Tuesday 24 November 2020, 10:00\n- Thursday 26 November 2020, 10:00"
    ana, day = "Ana <ana@example.com>", "2020-11-19T0{}:00:00+00:00"
    asks = {"from": ana, "date": day.format(7), "text": "When are you free next week for a call?"}
    offers = {"from": USER, "to": ana, "date": day.format(8), "text": letter}
    takes = {"from": ana, "date": day.format(9), "text": "The first one, please. What does the shelf cost?"}
    message, card = await assistant.bring({"id": "o", "subject": "Call", "thread": [asks, offers], **takes})
    assert card is not None
    assert card["action_request"]["args"]["start"] == "2020-11-24T10:00:00+01:00"
    card = await assistant.answer(message, ACCEPT)
    assert card is not None
    assert card["action_request"]["action"].startswith("Send reply")
    assert "that is over" not in card["description"]


class TestTaken:
    """Times that were offered, and the answer that takes one."""

    @pytest.fixture
    def offering(self, tmp_path: Path) -> Desk:
        """An assistant that offers times."""
        return desk(tmp_path)

    async def test_which_one_is_asked_and_the_answer_is_read_as_the_mails(self, offering: Desk) -> None:
        """Nothing is guessed of three times and a mere yes; the user's own word for one becomes its meeting."""
        asks = await offering.receive(mail("When are you free next week for a call?", subject="Catch up"))
        await offering.start(asks)
        await offering.answer(asks, ACCEPT)
        message, card = await answered(offering, "That works for me!")
        assert card is not None
        assert card["action_request"]["action"].startswith("Question: ")
        question = card["action_request"]["args"]["question"]
        assert (
            "does not say for certain which one it takes: Monday 23 November 2026, 09:00 or Wed" in question
        )
        card = await offering.answer(message, [{"type": "response", "args": "the last one"}])
        assert card is not None
        assert card["action_request"]["args"]["start"] == "2026-11-27T09:00:00+01:00"

    async def test_what_the_user_has_offered_is_as_the_user_wants_it(self, offering: Desk) -> None:
        """An edit's own times are what is taken, whatever the profile says otherwise; the card tells that."""
        await offering.house.profiles.write(
            "cal_preferences", "- Never after 5 pm.", origin="edit", store=offering.store
        )
        asks = await offering.receive(mail("When are you free next week for a call?", subject="Catch up"))
        card = await offering.start(asks)
        assert card is not None
        body = (
            "Hi Ana,\n\nWednesday 25 November at 18:00 for an hour, or Thursday 26 November at 9:00?\n\nRobin"
        )
        card = await offering.answer(asks, edit(card, body=body))
        if card:  # The edit's own times are told once.
            await offering.answer(asks, edit(card, body=body))
        message, card = await answered(offering, "Wednesday works.")
        assert card is not None
        assert card["action_request"]["args"]["start"] == "2026-11-25T18:00:00+01:00"
        assert "This is not as you want it: no meetings that end after 17:00." in card["description"]
        await offering.answer(message, ACCEPT)
        assert await titles(offering) == ["Catch up"]

    async def test_in_every_graph_that_makes_meetings(self, offering: Desk) -> None:
        """The organizer's card is the same meeting, and lets the others go."""
        asks = await offering.receive(mail("When are you free next week for a call?", subject="Catch up"))
        await offering.start(asks)
        await offering.answer(asks, ACCEPT)
        offering.graph = built(offering.house, "inbox_organizer")(
            checkpointer=InMemorySaver(), store=offering.store
        )
        message, card = await answered(offering, "Passt, lieber der zweite.")
        while card and not card["action_request"]["action"].startswith("Schedule"):
            card = await offering.answer(message, ACCEPT)
        assert card is not None
        assert card["action_request"]["args"]["start"] == "2026-11-25T13:00:00+01:00"
        assert card["action_request"]["args"]["attendees"] == "ana@example.com"
        assert "It takes a time that you offered." in card["description"]
        await offering.answer(message, ACCEPT)
        assert await titles(offering) == ["Catch up"]

    async def test_one_that_is_taken_meanwhile_is_told_with_the_rest(self, offering: Desk) -> None:
        """The card proposes another of them, and says why."""
        asks = await offering.receive(mail("When are you free next week for a call?", subject="Catch up"))
        await offering.start(asks)
        await offering.answer(asks, ACCEPT)
        second = NINE + 2 * DAY + timedelta(hours=4)
        await offering.house.calendar.create(Event("dentist", "Dentist", second, second + timedelta(hours=1)))
        _, card = await answered(offering, "The second one, please.")
        assert card is not None
        assert card["action_request"]["args"]["start"] == "2026-11-23T09:00:00+01:00"
        told = card["description"].replace("\\", "")
        assert "wants “Catch up”: Wed 25 Nov, 13:00, when you have “Dentist”" in told
        assert "The mail names another time: Wed 25 Nov, 13:00." in told
        assert "Fri 27 Nov 09:00–09:30" in told


async def titles(assistant: Desk) -> list[str]:
    """What takes time in the week after."""
    return [each.title for each in await assistant.house.calendar.events(NINE, NINE + 7 * DAY) if each.busy]


async def answered(
    assistant: Desk, text: str, sender: str = "Ana Petrova <ana@example.com>"
) -> tuple[Message, dict[str, Any] | None]:
    """Ana's answer to the offer, and the card that it comes to."""
    sent = (await assistant.sent())[0]["message-id"]
    raw = mail(
        text,
        sender=sender,
        subject="Re: Catch up",
        message_id="<c@example.com>",
        reply_to_id=sent,
        minutes=30,
    )
    message = await assistant.receive(raw)
    return message, await assistant.start(message)
