"""A mail that asks when the user is free gets times to choose from, and nothing is put into the calendar."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from email_assistant.calendars.event import Event
from email_assistant.errors import ProviderError
from email_assistant.tools.sending import HOLDS
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
    "text",
    [
        "When are you free next week for a call?",
        "Could you send me a few times for a meeting next week?",
        "I would like a meeting next week. What times would suit you?",
        "Wann haben Sie nächste Woche Zeit für ein Gespräch?",
        "Quand seriez-vous disponible la semaine prochaine pour un appel ?",
        "¿Cuándo tiene tiempo la próxima semana para una llamada?",
        "Quando è disponibile la prossima settimana per una telefonata?",
        "Wanneer heeft u volgende week tijd voor een gesprek?",
        "Quando está disponível na próxima semana para uma chamada?",
    ],
)
async def test_three_free_times_on_three_days(tmp_path: Path, text: str) -> None:
    """In the working hours, none of them taken; the card says so, and finds nothing in them that stands nowhere."""
    assistant = desk(tmp_path)
    await assistant.house.calendar.create(Event("standup", "Standup", NINE, NINE + timedelta(hours=1)))
    card, times = await offered(assistant, text)
    assert times == [
        "Monday 23 November 2026, 10:00–10:30 (Europe/Berlin)",
        "Tuesday 24 November 2026, 09:00–09:30 (Europe/Berlin)",
        "Wednesday 25 November 2026, 09:00–09:30 (Europe/Berlin)",
    ]
    assert "Free in your calendar: Monday 23 November 2026, 10:00; Tuesday" in card["description"]
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
        f"{day} November 2026, 10:00–10:45 (Europe/Berlin)"
        for day in ("Tuesday 24", "Wednesday 25", "Thursday 26")
    ]


async def test_by_both_clocks_where_the_sender_is_elsewhere(tmp_path: Path) -> None:
    """Hours in which both work, told by both."""
    _, times = await offered(desk(tmp_path), "I am in New York. When are you free on Tuesday for a call?")
    assert times == [
        f"Tuesday 24 November 2026, {here} (Europe/Berlin), which is {there} (America/New_York)"
        for here, there in (("15:00–15:30", "09:00–09:30"),)
    ]


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


class TestHeld:
    """Offered times kept free, where the user wishes it."""

    @pytest.fixture
    def holding(self, tmp_path: Path) -> Desk:
        """An assistant that holds what it offers."""
        return desk(tmp_path, EMAIL_ASSISTANT_HOLD_OFFERED_TIMES="true")

    async def test_from_the_offer_to_the_meeting(self, holding: Desk) -> None:
        """Held when the reply is sent; taken for others, not for the conversation; let go when its meeting is made."""
        asks = await holding.receive(mail("When are you free next week for a call?", subject="Catch up"))
        card = await holding.start(asks)
        assert card is not None
        assert card["view"]["effects"] == [HOLDS]
        assert f"#### What else happens\n- {HOLDS}" in card["description"]
        assert await titles(holding) == []
        assert await holding.answer(asks, ACCEPT) is None
        assert await titles(holding) == ["Held: Catch up"] * 3
        other = mail(
            "When are you free next week for a call?",
            subject="Other",
            message_id="<o@example.com>",
            sender="bo@example.org",
        )
        _, times = await offered_to(holding, other)
        assert [each.split(", ")[1][:5] for each in times] == ["09:30"] * 3
        sent = (await holding.sent())[0]["message-id"]
        chosen = mail(
            "Tuesday 24 November at 9:00 suits me for the call, can we do that?", subject="Re: Catch up", message_id="<c@example.com>",
            reply_to_id=sent, minutes=30,
        )  # fmt: skip
        message = await holding.receive(chosen)
        card = await holding.start(message)
        assert card is not None
        assert card["action_request"]["args"]["start"] == "2026-11-24T09:00:00+01:00"
        assert "collides" not in card["description"]
        assert await titles(holding) == ["Held: Catch up"] * 3
        await holding.answer(message, ACCEPT)
        assert [each for each in await titles(holding) if each.startswith("Held")] == []
        assert len(await titles(holding)) == 1

    async def test_nothing_is_held_unless_it_is_sent(self, holding: Desk) -> None:
        """Nor by a reply that offers nothing."""
        asks = await holding.receive(mail("When are you free next week for a call?", subject="Catch up"))
        await holding.start(asks)
        assert await holding.answer(asks, [{"type": "ignore", "args": None}]) is None
        assert await titles(holding) == []

    async def test_a_calendar_that_does_not_take_them_is_told_and_the_mail_is_sent_once(
        self, holding: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What is out is out."""
        asks = await holding.receive(mail("When are you free next week for a call?", subject="Catch up"))
        await holding.start(asks)

        async def refuses(*_: Any) -> Any:
            raise ProviderError("the calendar is full.")

        monkeypatch.setattr(type(holding.house.calendar), "create", refuses)
        assert await holding.answer(asks, ACCEPT) is None
        assert len(await holding.sent()) == 1
        told = [str(each.content) for each in await holding.messages(asks) if each.type == "tool"]
        assert any("could not be held in the calendar: the calendar is full." in each for each in told)


async def titles(assistant: Desk) -> list[str]:
    """What takes time in the week after."""
    return [each.title for each in await assistant.house.calendar.events(NINE, NINE + 7 * DAY) if each.busy]
