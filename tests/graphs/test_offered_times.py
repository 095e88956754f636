"""A mail that asks when the user is free, and the answer that takes one of the times that the user has offered."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.calendars.event import Event
from email_assistant.mail.message import Message
from email_assistant.meetings.looked_up import looked_up
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from email_assistant.review.waiting import WaitingCard
from eval.workbench import Graph, built
from tests.graphs.test_assistant import edit
from tests.support.desk import Desk, desk, mail
from tests.support.scripted import Script, calls
from tests.support.workflows import WORKFLOWS, edited

ACCEPT = [{"type": "accept", "args": None}]
DAY = timedelta(days=1)
NINE = datetime(2026, 11, 23, 8, tzinfo=UTC)
"""Nine o'clock in Berlin, on the Monday after the mails."""
OFFER = "Hi Ana,\n\nMonday 23 November at 9:00, Wednesday 25 November at 13:00, or Friday 27 November at 9:00?\n\nRobin"


async def test_when_somebody_asks_for_times_the_card_tells_what_is_free(tmp_path: Path) -> None:
    """By the working hours; the letter has a gap for them, and nothing is put into the calendar."""
    assistant = desk(tmp_path, EMAIL_ASSISTANT_WORKING_HOURS="Tue-Thu 08:00-16:00")
    raw = mail("Robin, when are you free on Tuesday for a call?", subject="Catch up")
    card = await assistant.start(await assistant.receive(raw))
    assert card is not None
    assert card["action_request"]["action"].startswith("Send reply")
    assert "[confirm: a time that suits you]" in card["action_request"]["args"]["body"]
    assert "Calendar: Tue 24 Nov: free all day" in card["description"]
    assert await assistant.house.calendar.events(NINE, NINE + 7 * DAY) == []


class TestFreeHours:
    """What fills the gap for a time by one key."""

    async def test_all_of_them_go_out_and_the_one_that_is_taken_becomes_the_meeting(
        self, tmp_path: Path
    ) -> None:
        """In the letter's language; what it offers is read as any offer of the user's."""
        assistant = desk(tmp_path)
        raw = mail(
            "Guten Tag Robin, wann hätten Sie nächste Woche Zeit für einen Termin?", subject="Catch up"
        )
        asks = await assistant.receive(raw)
        card = await assistant.start(asks)
        assert card is not None
        *single, every = card["view"]["gaps"][0]["offers"]
        assert [each["text"].partition(" (")[0] for each in single] == [
            "Montag, 23. November, 09:00–09:30 Uhr",
            "Mittwoch, 25. November, 13:00–13:30 Uhr",
            "Freitag, 27. November, 09:00–09:30 Uhr",
        ]
        assert every["text"].splitlines() == [each["text"] for each in single]
        assert all(f"{each['text']} · {each['why']}" in card["description"] for each in single)
        body = card["action_request"]["args"]["body"].replace(card["view"]["gaps"][0]["text"], every["text"])
        assert await assistant.answer(asks, edit(card, body=body)) is None
        _, card = await answered(assistant, "Mittwoch passt mir gut.")
        assert card is not None
        assert card["action_request"]["args"]["start"] == "2026-11-25T13:00:00+01:00"

    @pytest.mark.parametrize(("minutes", "first"), [("30", "09:30"), ("0", "09:00"), ("45", "10:00")])
    async def test_there_is_a_way_to_and_from_what_is_elsewhere(
        self, tmp_path: Path, minutes: str, first: str
    ) -> None:
        """A call on the telephone has none."""
        assistant = desk(tmp_path, EMAIL_ASSISTANT_BUFFER_MINUTES=minutes)
        hour = timedelta(hours=1)
        await assistant.house.calendar.create(
            Event("a", "Visit", NINE + DAY - hour, NINE + DAY, location="Hafen 3")
        )
        call = Event("b", "Call", NINE + DAY + 2 * hour, NINE + DAY + 8 * hour, location="Phone")
        await assistant.house.calendar.create(call)
        card = await assistant.start(
            await assistant.receive(mail("Robin, when are you free on Tuesday for a call?"))
        )
        assert card is not None
        assert card["view"]["gaps"][0]["offers"][0]["text"].startswith(f"Tuesday 24 November, {first}")

    async def test_the_users_page_stands_beside_them(self, tmp_path: Path) -> None:
        """Last, and where nothing is free alone."""
        link = "https://cal.example/robin"
        assistant = desk(tmp_path, EMAIL_ASSISTANT_SCHEDULING_LINK=link)
        await assistant.house.calendar.create(Event("a", "Fair", NINE, NINE + 5 * DAY))
        card = await assistant.start(
            await assistant.receive(mail("Robin, when are you free on Tuesday for a call?"))
        )
        assert card is not None
        assert [each["text"] for each in card["view"]["gaps"][0]["offers"]] == [link]

    async def test_what_was_taken_since_is_offered_no_more(self, tmp_path: Path) -> None:
        """Where a person looks at it; and one that has been put into the letter is asked about once more."""
        assistant = desk(tmp_path)
        asks = await assistant.receive(mail("Robin, when are you free on Tuesday for a call?"))
        card = await assistant.start(asks)
        assert card is not None
        offers = card["view"]["gaps"][0]["offers"]
        body = card["action_request"]["args"]["body"].replace(
            card["view"]["gaps"][0]["text"], offers[0]["text"]
        )
        await assistant.house.calendar.create(
            Event("a", "Dentist", NINE + DAY, NINE + DAY + timedelta(hours=1))
        )
        waiting = WaitingCard("t", "email_assistant", "", {}, {}, "", card["view"])
        (drawn,) = await looked_up([waiting], assistant.house.calendar, NINE - 3 * DAY)
        left = drawn.facts.gaps[0]["offers"]
        assert [(each["text"], each["why"]) for each in left] == [
            (each["text"], "free") for each in offers[1:3]
        ]
        assert drawn.digest == waiting.digest
        card = await assistant.answer(asks, edit(card, body=body))
        assert card is not None
        assert "Your calendar has Dentist at this time." in card["description"]


@pytest.mark.parametrize("graph", ["email_assistant", "inbox_organizer", "reply_pipeline"])
async def test_every_graph_whose_letters_have_a_gap_for_a_time_offers_hours(
    tmp_path: Path, graph: Graph
) -> None:
    """A shop's letters have none: it knows nobody's calendar."""
    bench = await WORKFLOWS[graph].open(tmp_path, Models(ModelSettings("offline", "offline")))
    asks = {
        "id": "when",
        "subject": "A call",
        "text": "Hello,\n\nwhen are you free next week for a call?\n\nThanks",
    }
    message, card = await bench.to_reply({**bench.workflow.case, **asks})
    (gap,) = card["view"]["gaps"]
    assert len(gap["offers"]) == 4
    body = card["action_request"]["args"]["body"].replace(gap["text"], gap["offers"][0]["text"])
    await bench.answer(message, edited(card, body=body))
    (letter,) = await bench.letters()
    assert gap["offers"][0]["text"] in str(letter.get_payload(decode=True), "utf-8")
    await bench.close()


async def test_a_letter_tells_what_the_time_touches_that_it_names(tmp_path: Path) -> None:
    """A way to it that is too short, too."""
    body = "Hi Ana,\n\nTuesday 24 November at 9:00 suits me.\n\nRobin"
    assistant = desk(tmp_path, Script(turns=[calls(("send_email", {"body": body}), ("Done", {}))]))
    visit = Event(
        "v", "Visit", NINE + DAY - timedelta(hours=1), NINE + DAY - timedelta(minutes=15), location="Hafen 3"
    )
    await assistant.house.calendar.create(visit)
    card = await assistant.start(
        await assistant.receive(mail("Robin, when are you free on Tuesday for a call?"))
    )
    assert card is not None
    told = "Free in your calendar: Tue 24 Nov, 09:00, 15 minutes after “Visit” (Hafen 3)."
    assert told in card["view"]["reasons"]


class TestTaken:
    """Times that were offered, and the answer that takes one."""

    @pytest.fixture
    def offering(self, tmp_path: Path) -> Desk:
        """An assistant with the offline rules."""
        return desk(tmp_path)

    async def test_which_one_is_asked_and_the_answer_is_read_as_the_mails(self, offering: Desk) -> None:
        """Nothing is guessed of three times and a mere yes; the user's own word for one becomes its meeting."""
        await offers(offering, OFFER)
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
        body = "Wednesday 25 November at 18:00 for an hour, or Thursday 26 November at 9:00?"
        await offers(offering, f"Hi Ana,\n\n{body}\n\nRobin")
        message, card = await answered(offering, "Wednesday works.")
        assert card is not None
        assert card["action_request"]["args"]["start"] == "2026-11-25T18:00:00+01:00"
        assert "This is not as you want it: no meetings that end after 17:00." in card["description"]
        await offering.answer(message, ACCEPT)
        assert await titles(offering) == ["Catch up"]

    async def test_in_every_graph_that_makes_meetings(self, offering: Desk) -> None:
        """The organizer's card is the same meeting, and lets the others go."""
        await offers(offering, OFFER)
        offering.graph = built(offering.house, "inbox_organizer")(
            checkpointer=InMemorySaver(), store=offering.store
        )
        message, card = await answered(offering, "Passt, lieber der zweite.")
        while card and not card["action_request"]["action"].startswith("Schedule"):
            card = await offering.answer(message, ACCEPT)
        assert card is not None
        assert card["action_request"]["args"]["start"] == "2026-11-25T13:00:00+01:00"
        assert card["action_request"]["args"]["attendees"] == "ana@example.com"
        await offering.answer(message, ACCEPT)
        assert await titles(offering) == ["Catch up"]


async def offers(assistant: Desk, letter: str) -> None:
    """Ana asks when the user is free; the answer is the user's own letter."""
    asks = await assistant.receive(mail("Robin, when are you free next week for a call?", subject="Catch up"))
    card = await assistant.start(asks)
    for _ in range(2):  # What the letter says that stands nowhere is told once.
        card = await assistant.answer(asks, edit(card, body=letter)) if card else None
    assert card is None


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
