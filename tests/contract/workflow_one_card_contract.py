"""One card a mail: who has accepted an invitation, or a meeting, has answered; a letter comes only for what else the mail asks."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from email_assistant.mail.message import Message
from email_assistant.models.runner import Models
from email_assistant.models.settings import ModelSettings
from tests.support.calendar_mail import ANA
from tests.support.forged_calendar_mail import TO_ME, part, vevent
from tests.support.meetings import MEETS, meeting_mail
from tests.support.workflows import IGNORE, SENDS, Bench, Workflow, echoed, respond

LABELS = "Label as "
URGENT = " It is due today, please answer immediately: it is about 4,000 euro."
MORE = "Which oil do you use?"
BOSS = "The Boss <boss@board.example>"
"""Of a domain from which every mail is important to the organizer."""


async def unlabelled(bench: Bench, case: dict[str, Any]) -> tuple[Message, dict[str, Any] | None]:
    """The mail up to the first card that is not about its label."""
    message, card = await bench.bring(case)
    while card and card["action_request"]["action"].startswith(LABELS):
        card = await bench.answer(message, echoed(card))
    return message, card


class OneInvitationContract:
    """Of every graph."""

    async def test_an_accepted_invitation_is_the_last_card_of_its_mail(self, bench: Bench) -> None:
        """The organizer gets the calendar's answer, and no letter beside it."""
        calendar = part("REQUEST", vevent(f"ORGANIZER:mailto:{ANA.email}", guests=(TO_ME,)))
        case = {"id": "one", "from": f"Ana <{ANA.email}>", "subject": "Budget", "text": "Does it suit you?", "auth": "pass"}  # fmt: skip
        message, card = await unlabelled(bench, case | {"calendar": calendar})
        assert card is not None
        assert card["action_request"]["action"].startswith("Invitation: ")
        assert await bench.answer(message, echoed(card)) is None
        assert len(await bench.sent()) == 1
        assert await bench.drafts() == []

    async def test_an_invitation_to_what_is_over_is_a_notice(self, bench: Bench) -> None:
        """No meeting is made of it, and none of what its text says."""
        calendar = part("REQUEST", vevent(f"ORGANIZER:mailto:{ANA.email}", guests=(TO_ME,)))
        text = "Could we meet on Monday 16 November at 09:00, City Hall, room 214?"
        case = {"id": "one", "from": f"Ana <{ANA.email}>", "subject": "Budget", "text": text, "auth": "pass"}
        message, card = await unlabelled(bench, case | {"calendar": calendar.replace("20261126", "20261116")})
        assert card is not None
        assert card["action_request"]["action"] == "Notify: Gotcha is over"
        assert "This was Mon 16 Nov 12:00 to 14:00; you did not answer." in card["description"]
        assert await bench.answer(message, IGNORE) is None
        assert (await bench.sent(), await bench.drafts()) == ([], [])


class OneMeetingContract:
    """Of the graphs that create meetings."""

    @pytest.fixture
    async def secretary(self, workflow: Workflow, tmp_path: Path) -> AsyncIterator[Bench]:
        """An assistant by rules, to whom mail of the board is important."""
        offline = Models(ModelSettings(fast="offline", strong="offline"))
        made = await workflow.open(tmp_path, offline, EMAIL_ASSISTANT_VIPS="board.example")
        yield made
        await made.close()

    async def test_an_accepted_meeting_is_the_last_card_of_its_mail(self, secretary: Bench) -> None:
        """Its guest has the invitation alone; the mail is read, and nothing waits."""
        message, card = await to_urgent_meeting(secretary)
        assert await secretary.answer(message, echoed(card)) is None
        assert len(await secretary.sent()) == 1
        assert await secretary.drafts() == []
        values = await secretary.values(message)
        assert values["settled"]
        if secretary.workflow.graph == "email_assistant":
            assert values["outcome"] == "scheduled"
            assert await secretary.house.mailbox.is_read(message.id)

    async def test_what_else_the_mail_asks_is_answered_alone(self, secretary: Bench) -> None:
        """The letter has that question and its gap, and not a word about the time."""
        message, card = await to_urgent_meeting(secretary, MORE)
        letter = await secretary.answer(message, echoed(card))
        assert letter is not None
        assert letter["action_request"]["action"].startswith(SENDS)
        body = letter["action_request"]["args"]["body"]
        assert (body.count("[confirm:"), MORE in body) == (1, True)
        assert not any(word in body for word in ("Thursday", "10:00", "meet"))

    async def test_of_a_meeting_that_is_not_wanted_nothing_is_sent(self, secretary: Bench) -> None:
        """The work on its mail ends."""
        message, _ = await to_urgent_meeting(secretary)
        assert await secretary.answer(message, IGNORE) is None
        assert await secretary.sent() == []

    async def test_a_meeting_that_was_sent_back_with_words_is_proposed_again(self, secretary: Bench) -> None:
        """And is the last card when it is accepted then."""
        message, _ = await to_urgent_meeting(secretary)
        again = await secretary.answer(message, respond("Make it an hour."))
        assert again is not None
        assert again["action_request"]["action"].startswith(MEETS)
        assert await secretary.answer(message, echoed(again)) is None
        assert len(await secretary.sent()) == 1


async def to_urgent_meeting(bench: Bench, more: str = "") -> tuple[Message, dict[str, Any]]:
    """A mail that every graph takes for important, up to the card of its meeting."""
    case = meeting_mail("one") | {"from": BOSS}
    text = case["text"].replace("\n\nBest", f"{URGENT} {more}\n\nBest")
    message, card = await unlabelled(bench, case | {"text": text})
    assert card is not None
    assert card["action_request"]["action"].startswith(MEETS)
    return message, card
