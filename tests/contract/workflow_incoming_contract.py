"""Promises about calendar mail: who may change what the calendar has (docs/decisions.md, "Who may change an event")."""

from datetime import timedelta
from typing import Any

import pytest

from email_assistant.calendars.event import Event
from email_assistant.mail.address import Address
from tests.support.calendar_mail import ANA, BO, HOUR, MINE, TEN, UID
from tests.support.forged_calendar_mail import CLAIMS, EVE, EVIL, OF_ANA, OF_EVE, THIRD, TO_ME, part, vevent
from tests.support.workflows import ACCEPT, IGNORE, Bench

OF_ME, OF_BO = f"ORGANIZER:mailto:{MINE}", f"ATTENDEE;PARTSTAT=DECLINED:mailto:{BO.email}"
BY_EVE = f'ORGANIZER;SENT-BY="mailto:{EVIL}":mailto:{ANA.email}'
FORGED = {
    "published by a stranger": (ANA, part("PUBLISH", vevent(OF_EVE))),
    "without a method": (ANA, part("", vevent(OF_ANA))),
    "sent by a stranger": (ANA, part("REQUEST", vevent(BY_EVE))),
    "cancelled by a stranger": (ANA, part("CANCEL", vevent(OF_EVE))),
    "an event without organizer": (None, part("REQUEST", vevent(OF_EVE))),
    "the user as organizer": (Address(MINE), part("CANCEL", vevent(OF_ME))),
    "a stranger for a guest": (Address(MINE), part("REPLY", vevent(OF_ME, guests=(OF_BO,)))),
}


class IncomingContract:
    """No graph lets a calendar mail do what its sender may not."""

    @pytest.mark.parametrize("name", FORGED)
    async def test_who_may_change_an_event_is_who_the_calendar_says(self, bench: Bench, name: str) -> None:
        """The card, if there is one, says whose name is used, and cannot be accepted; nothing changes and nothing is mailed."""
        organizer, calendar = FORGED[name]
        people = (BO, Address(MINE)) if organizer else ()
        event = Event(
            UID, "Budget", TEN, TEN + HOUR, uid=UID, organizer=organizer, attendees=people, sequence=1
        )
        before = await bench.house.calendar.put(event)
        _, card = await unlabelled(bench, calendar)
        assert card is not None
        assert CLAIMS in card["action_request"]["action"]
        assert not card["config"]["allow_accept"]
        assert (await bench.house.calendar.find(UID), await bench.sent()) == (before, [])

    async def test_an_invitation_in_anothers_name_is_asked_about(self, bench: Bench) -> None:
        """Its title says so, the card tells to whom the answer would go, and one accept does nothing."""
        organizer = f"ORGANIZER:mailto:{THIRD}"
        message, card = await unlabelled(bench, part("REQUEST", vevent(organizer, guests=(TO_ME,))))
        assert card is not None
        assert f"Invitation: {CLAIMS} {THIRD}" in card["action_request"]["action"]
        told = card["description"].replace("\\", "").replace("`", "")
        assert f"Your answer would go to {THIRD}, not to the sender's domain evil.example." in told
        again = await bench.answer(message, ACCEPT)
        assert again is not None
        assert (await bench.house.calendar.find(UID), await bench.sent()) == (None, [])

    async def test_a_series_is_looked_up_whole_and_a_question_beside_it_is_told(self, bench: Bench) -> None:
        """Each occurrence that collides is on the card; what comes into the way of another one is asked about."""
        for number, title in ((1, "Dentist"), (3, "Board")):
            await self.occupied(bench, number, title)
        series = part("REQUEST", vevent(OF_ANA, "RRULE:FREQ=WEEKLY;COUNT=5", guests=(TO_ME,)))
        asked = "Here is the series.\n\nCould you bring the oak samples to the first one?"
        message, card = await unlabelled(bench, series, sender="Ana <ana@example.com>", text=asked)
        assert card is not None
        told = card["description"].replace("\\", "")
        assert (
            "Every Thursday until 24 December, 5 times; 2 collide: Thu 3 Dec (Dentist), Thu 17 Dec (Board)."
            in told
        )
        assert "is free in your calendar" not in told
        assert "They ask: “Could you bring the oak samples to the first one?”" in told
        await self.occupied(bench, 4, "Audit")
        again = await bench.answer(message, ACCEPT)
        assert again is not None
        assert again["description"].startswith("Your calendar has Audit at this time.")
        assert await bench.answer(message, ACCEPT) is None
        assert len(await bench.sent()) == 1

    async def test_what_an_invitation_asks_is_answered_with_it(self, bench: Bench) -> None:
        """On its one card: an accept without words is asked about once, and what the person says goes with the answer."""
        asked = "See you there.\n\nHow many people will you bring to the workshop?"
        invited = part("REQUEST", vevent(OF_ANA, guests=(TO_ME,)))
        message, card = await unlabelled(bench, invited, sender="Ana <ana@example.com>", text=asked)
        assert card is not None
        again = await bench.answer(message, ACCEPT)
        assert again is not None
        assert again["description"].startswith("They ask: “How many people will you bring to the workshop?”.")
        assert await bench.sent() == []
        said = await bench.answer(
            message, [{"type": "response", "args": "accept and say I will bring three"}]
        )
        assert said is not None
        assert await bench.answer(message, [{"type": "accept", "args": said["action_request"]}]) is None
        (sent,) = await bench.sent()
        assert "I will bring three" in bytes(sent).decode()
        assert await bench.card(message) is None

    async def occupied(self, bench: Bench, week: int, title: str) -> None:
        """Something else in the calendar, so many weeks after the first occurrence."""
        start = TEN + 2 * HOUR + timedelta(weeks=week)
        await bench.house.calendar.create(Event(title, title, start, start + HOUR))

    @pytest.mark.parametrize(
        ("partstat", "comment", "text", "told"),
        [
            (
                "ACCEPTED",
                "",
                "Is there parking near the workshop?",
                "They ask: “Is there parking near the workshop?”",
            ),
            ("DECLINED", "My train is on strike", "", "They say: My train is on strike"),
            ("ACCEPTED", "", "", ""),
        ],
    )
    async def test_what_a_guest_says_with_an_answer_is_on_a_card(
        self, bench: Bench, partstat: str, comment: str, text: str, told: str
    ) -> None:
        """The answer is noted without one, and a bare yes needs none."""
        mine = Event(
            UID, "Budget", TEN, TEN + HOUR, uid=UID, organizer=Address(MINE), attendees=(BO,), sequence=1
        )
        await bench.house.calendar.put(mine)
        guest = f"ATTENDEE;PARTSTAT={partstat}:mailto:{BO.email}"
        more = (f"COMMENT:{comment}",) if comment else ()
        reply = part("REPLY", vevent(OF_ME, *more, guests=(guest,)))
        _, card = await unlabelled(bench, reply, sender=BO.email, text=text)
        there = await bench.house.calendar.find(UID)
        assert there is not None
        assert there.partstat_of(BO.key).value == partstat.lower()
        assert (card is not None) == bool(told)
        assert told in (card["description"].replace("\\", "") if card else "")


async def unlabelled(
    bench: Bench, calendar: str, sender: str = EVE, text: str = "See the calendar."
) -> tuple[Any, dict[str, Any] | None]:
    """A mail with this calendar part, up to the card for it; one for its label comes first."""
    case = {"id": "forged", "from": sender, "subject": "Budget", "text": text, "auth": "pass"}
    message, card = await bench.bring(case | {"calendar": calendar})
    while card and card["action_request"]["action"].startswith("Label"):
        card = await bench.answer(message, IGNORE)
    return message, card
