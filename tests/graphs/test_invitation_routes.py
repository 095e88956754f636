"""Invitations that do not name the user's own address: through a list, forwarded, to an alias; what goes out is read by other parsers."""

import email.policy
from dataclasses import dataclass, replace
from email import message_from_bytes
from pathlib import Path
from typing import Any

import icalendar
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.app.graphs import graph_of
from email_assistant.calendars.event import Partstat
from email_assistant.workflow_registry import NAMES
from tests.support.calendar_mail import (
    ACCEPT,
    MINE,
    TEN,
    invitation,
    known,
    plain,
    there,
    until_invitation,
)
from tests.support.desk import Desk, desk

ALIAS, TEAM = "r.vale@vale.example", "team@vale.example"
TO_TEAM = (f"ATTENDEE;CUTYPE=GROUP;RSVP=TRUE:mailto:{TEAM}",)
TO_BO = ("ATTENDEE;PARTSTAT=ACCEPTED:mailto:bo@example.com",)
TO_ALIAS = (f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{ALIAS}", *TO_BO)
LIST = {"List-Id": "Team <team.vale.example>", "List-Post": f"<mailto:{TEAM}>"}
THROUGH_LIST = invitation(guests=TO_TEAM, to=TEAM, headers=LIST)
FORWARDED = invitation(guests=TO_BO, sender="Mara Lind <mara@lind.example>", text="Robin, is this for you?")


@dataclass(frozen=True)
class Answer:
    """What went out, as Python's email package and icalendar read it."""

    to: str
    sender: str
    method: str
    attendees: list[str]
    partstats: list[str]
    organizer: str
    body: str


async def answers(assistant: Desk) -> list[Answer]:
    """Every mail that was sent."""
    found = []
    for sent in await assistant.sent():
        whole = message_from_bytes(bytes(sent), policy=email.policy.default)
        body = whole.get_body(("plain",))
        (part,) = [each for each in whole.walk() if each.get_content_type() == "text/calendar"]
        calendar: Any = icalendar.Calendar.from_ical(part.get_content())
        (event,) = calendar.walk("VEVENT")
        people = event["ATTENDEE"] if isinstance(event["ATTENDEE"], list) else [event["ATTENDEE"]]
        assert body is not None
        assert str(calendar["METHOD"]) == part.get_param("method")
        found.append(
            Answer(
                str(whole["to"]), str(whole["from"]), str(calendar["METHOD"]), [str(each) for each in people],
                [each.params["PARTSTAT"] for each in people], str(event["ORGANIZER"]), body.get_content(),
            )
        )  # fmt: skip
    return found


@pytest.fixture
def assistant(tmp_path: Path) -> Desk:
    """An assistant without a model, whose user has two addresses."""
    return desk(tmp_path, EMAIL_ASSISTANT_ALIASES=ALIAS)


def edit(card: dict[str, Any], answer: str, comment: str = "") -> list[dict[str, Any]]:
    """Another answer than the card's."""
    args = {"answer": answer, "comment": comment}
    return [{"type": "edit", "args": {**card["action_request"], "args": args}}]


@pytest.mark.parametrize("graph", NAMES)
@pytest.mark.parametrize(
    ("raw", "says", "me"),
    [
        (THROUGH_LIST, "Invited through team@vale.example by Ana.", MINE),
        (FORWARDED, "Forwarded by Mara Lind, who invites nobody: you are not among the guests.", MINE),
        (invitation(guests=TO_ALIAS, to=ALIAS), "Ana invites you.", ALIAS),
    ],
    ids=["through a list", "forwarded", "to an alias"],
)
async def test_an_invitation_by_another_way_is_answered(
    assistant: Desk, graph: str, raw: bytes, says: str, me: str
) -> None:
    """One card says how it came and who is answered; on approval the event is there, and the organizer alone gets mail."""
    made = graph_of(assistant.house, graph, checkpointer=InMemorySaver(), store=assistant.store)
    worker = replace(assistant, graph=made)
    message, card = await until_invitation(worker, raw)
    assert card["action_request"]["action"] == "Invitation: Budget"
    assert plain(card).startswith(says)
    assert card["view"]["effects"][0].startswith("ana@example.com gets your answer by mail")
    assert (await there(worker), await worker.sent()) == (None, [])
    assert await worker.answer(message, ACCEPT) is None
    event = await there(worker)
    assert event is not None
    assert event.organizer is not None
    assert (event.start, event.partstat_of(me), event.organizer.email) == (
        TEN,
        Partstat.ACCEPTED,
        "ana@example.com",
    )
    (reply,) = await answers(worker)
    assert "ana@example.com" in reply.to
    assert "mara" not in reply.to
    assert (reply.method, reply.organizer) == ("REPLY", "mailto:ana@example.com")
    assert (reply.attendees, reply.partstats) == ([f"mailto:{me}"], ["ACCEPTED"])
    assert reply.sender == f"Robin Vale <{me}>"


async def test_who_is_not_invited_declines_without_a_mail(assistant: Desk) -> None:
    """The card says so beforehand, and nothing enters the calendar; with words to say they go to the organizer."""
    message, card = await until_invitation(assistant, FORWARDED)
    told = "ana@example.com gets your answer by mail; if you decline without words, nobody does."
    assert card["view"]["effects"] == [told]
    assert await assistant.answer(message, edit(card, "declined")) is None
    assert (await assistant.sent(), await there(assistant)) == ([], None)


@pytest.mark.parametrize("start", [":20261126T090000Z", ":20261126T130000Z"])
async def test_what_a_stranger_forwards_acts_on_no_event_that_is_there(assistant: Desk, start: str) -> None:
    """Under the UID of an event in the calendar it is only told of."""
    before = await known(assistant)
    forged = invitation(guests=TO_BO, sender="Eve <eve@evil.example>", sequence=5, start=start)
    message = await assistant.receive(forged)
    card = await assistant.start(message)
    assert card is not None
    assert card["action_request"]["action"].startswith("Notify")
    assert "claims to be from ana@example.com" in plain(card)
    event = await there(assistant)
    assert event is not None
    assert (event.start, event.sequence, await assistant.sent()) == (before.start, before.sequence, [])


async def test_a_forward_whose_sender_is_in_doubt_is_accepted_twice(assistant: Desk) -> None:
    """What a check has failed forwards nothing: it claims to be from somebody, and the warning stands."""
    raw = invitation(guests=TO_BO, sender="Mara Lind <mara@lind.example>", vouched="fail")
    message, card = await until_invitation(assistant, raw)
    assert (
        card["action_request"]["action"]
        == "Invitation: claims to be from ana@example.com: Budget (sender in doubt)"
    )
    assert card["view"]["doubts"]
    assert await assistant.answer(message, ACCEPT) is not None
    assert await assistant.sent() == []
