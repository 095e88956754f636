"""Promises about calendar mail: who may change what the calendar has (docs/adr/0050)."""

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


async def unlabelled(bench: Bench, calendar: str) -> tuple[Any, dict[str, Any] | None]:
    """A mail with this calendar part, up to the card for it; one for its label comes first."""
    case = {"id": "forged", "from": EVE, "subject": "Budget", "text": "See the calendar.", "auth": "pass"}
    message, card = await bench.bring(case | {"calendar": calendar})
    while card and card["action_request"]["action"].startswith("Label"):
        card = await bench.answer(message, IGNORE)
    return message, card
