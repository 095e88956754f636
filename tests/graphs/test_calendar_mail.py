"""Calendar mail × what the calendar has of its event, a row each: the card, the calendar after it is accepted, and what was mailed.

The rules are in tests/unit/calendars/test_incoming.py; here they go through a graph, with a calendar file and with Google Calendar.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from email_assistant.calendars.event import Event, Partstat
from email_assistant.mail.address import Address
from email_assistant.mail.email_input import REOPENED, to_email_input
from email_assistant.mail.message import Conversation
from eval.workbench import config_for
from tests.servers.google_server import GoogleServer
from tests.support.calendar_mail import (
    ACCEPT,
    ANA,
    BO,
    HOUR,
    IGNORE,
    MINE,
    TEN,
    UID,
    invitation,
    known,
    plain,
    there,
    told_guests,
)  # fmt: skip
from tests.support.desk import Desk
from tests.support.surfaces import as_waiting, unlike

GOOGLE = pytest.mark.parametrize("on_either_calendar", ["google"], indirect=True)
State = Callable[[Desk], Awaitable[object]]
BERLIN = ZoneInfo("Europe/Berlin")
WEEK = timedelta(days=7)
SECOND = TEN + WEEK
WEEKLY = ("RRULE:FREQ=WEEKLY;COUNT=3",)
OCCURRENCE = "RECURRENCE-ID:20261203T090000Z"
MY_OWN = f"ORGANIZER:mailto:{MINE}"
DEFERRED = "20261119T100000Z"


async def unknown(assistant: Desk) -> None:
    """The calendar has nothing."""


async def accepted(assistant: Desk) -> None:
    """It is there, accepted."""
    await known(assistant)


async def elsewhere(assistant: Desk) -> None:
    """It is there, accepted, in another room."""
    await known(assistant, location="Room 6")


async def newer(assistant: Desk) -> None:
    """It is there in a newer revision, at eleven."""
    await known(assistant, sequence=2, start=TEN + HOUR, end=TEN + 2 * HOUR)


async def cancelled(assistant: Desk) -> None:
    """It was there, and has been called off."""
    await accepted(assistant)
    await assistant.house.calendar.cancel(UID)


async def series(assistant: Desk) -> None:
    """It is a series of three, accepted."""
    await known(assistant, recurrence=WEEKLY)


async def own(assistant: Desk) -> None:
    """It is a meeting of the user's own with Bo and Ana."""
    await known(assistant, organizer=Address(MINE), attendees=(BO, ANA), guests=())


def of_bo(method: str, partstat: str, **more: Any) -> bytes:
    """What Bo writes about the user's meeting."""
    guests = (f"ATTENDEE;PARTSTAT={partstat}:mailto:{BO.email}",)
    more = {"sender": BO.email, "vouched": "pass", **more}
    return invitation(method=method, organizer=MY_OWN, guests=guests, **more)


@dataclass(frozen=True)
class Row:
    """A message that comes while the calendar is in a state."""

    name: str
    message: bytes
    state: State
    title: str = ""
    """How the card's title begins; "" when nobody is asked."""
    says: str = ""
    """What the card's first sentence is."""
    after: str = ""
    """What `found` tells afterwards; "" when it is what it was before."""
    mails: tuple[str, ...] = ()
    """The METHOD of each mail that was sent."""
    on_google: str = ""
    """What `after` is there, which has no word for it that somebody was sent instead."""
    tells_guests: bool = False
    """Whether the guests of the user's own meeting are told, which Google does itself."""


INVITED, ANEW = "Ana invites you.", "Ana has changed an event; please answer anew."
OLD = "Ana sends an event as it was; your calendar has a newer version, and nothing was done."
OFF = "Ana has cancelled an event."
NOT_ASKED = "Ana sends an invitation that does not ask you."
NO_GUEST = "Sent by Ana; you are not among the guests."
PUBLISHED = "Ana sends an event; nobody asks for an answer."
STAYS_AWAY = f"{BO.email} does not come to “Budget”."
REMOVE = "Remove from calendar"
NOT_THERE = "writes about an event that is not in your calendar; there is nothing to do there."
REPLY = ("REPLY",)
DELEGATED = (f"ATTENDEE;PARTSTAT=DELEGATED:mailto:{MINE}", f"ATTENDEE;PARTSTAT=ACCEPTED:mailto:{BO.email}")
MOVED, DAY = ":20261126T130000Z", ";VALUE=DATE:20261126"
ROWS = [
    Row("invited", invitation(), unknown, "Invitation", INVITED, "26 10:00 #1 accepted", REPLY),
    Row("a whole day", invitation(start=DAY, duration="P1D"), unknown, "Invitation", INVITED, "26 00:00 #1 accepted", REPLY),
    Row("the same again", invitation(), accepted),
    Row("moved", invitation(sequence=2, start=MOVED), accepted, "Invitation", ANEW, "26 14:00 #2 accepted", REPLY),
    Row(
        "changed a little", invitation(stamp=DEFERRED), elsewhere, "Update in calendar",
        "Ana has changed an event; your answer stays.", "26 10:00 #1 accepted",
    ),
    Row("older", invitation(), newer, "Notify", OLD),
    Row("cancelled", invitation(method="CANCEL", sequence=2), accepted, REMOVE, OFF, "26 10:00 #1 accepted cancelled"),
    Row("cancelled and never there", invitation(method="CANCEL"), unknown, "Notify", NOT_THERE),
    Row("called again", invitation(sequence=2), cancelled, "Invitation", ANEW, "26 10:00 #2 accepted", REPLY),
    Row("published", invitation(method="PUBLISH", guests=()), unknown, "Add to calendar", PUBLISHED, "26 10:00 #1"),
    Row("delegated", invitation(guests=DELEGATED), unknown, "Add to calendar", NOT_ASKED, "26 10:00 #1 delegated", on_google="26 10:00 #1"),
    Row("for others", invitation(guests=DELEGATED[1:]), unknown, "Invitation", NO_GUEST, "26 10:00 #1 accepted", REPLY),
    Row("a series", invitation(*WEEKLY), unknown, "Invitation", INVITED, "26 10:00 #1 accepted weekly", REPLY),
    Row(
        "one occurrence moved", invitation(OCCURRENCE, sequence=2, start=":20261203T100000Z"), series, "Invitation", ANEW,
        "26 10:00 #1 accepted weekly; 03 11:00 #2 accepted", REPLY,
    ),
    Row(
        "one occurrence cancelled", invitation(OCCURRENCE, method="CANCEL", sequence=2), series, REMOVE, OFF,
        "26 10:00 #1 accepted weekly; 03 10:00 #1 accepted cancelled",
    ),
    Row("a guest accepts", of_bo("REPLY", "ACCEPTED"), own, after="26 10:00 #1 bo accepted"),
    Row("a guest does not come", of_bo("REPLY", "DECLINED"), own, "Notify", STAYS_AWAY, "26 10:00 #1 bo declined"),
    Row(
        "a guest accepts, for whom nobody vouches", of_bo("REPLY", "ACCEPTED", vouched=""), own, "Note in calendar",
        f"{BO.email} has answered an invitation of yours.", "26 10:00 #1 bo accepted",
    ),
    Row(
        "another time", of_bo("COUNTER", "TENTATIVE", start=MOVED), own, "Notify", f"{BO.email} proposes another time for “Budget”",
    ),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_what_a_calendar_mail_comes_to(on_either_calendar: Desk, row: Row) -> None:
    """One card or none, the same on each surface; one event, what was approved and no more: the same with both calendars."""
    assistant = on_either_calendar
    await row.state(assistant)
    before = await found(assistant)
    message = await assistant.receive(row.message)
    card = await assistant.start(message)
    assert (card["action_request"]["action"] if card else "").partition(":")[0] == row.title
    assert not card or row.says in plain(card).partition("\n")[0]
    assert not card or unlike(as_waiting(card)) == {}
    if row.title not in {"", "Notify"}:
        assert (await found(assistant), await assistant.sent()) == (before, [])
    if card:
        assert await assistant.answer(message, IGNORE if row.title == "Notify" else ACCEPT) is None
    by_google = assistant.house.calendar.writes_to_guests
    assert await found(assistant) == ((by_google and row.on_google) or row.after or before)
    told = {guest for guests in await told_guests(assistant) for guest in guests}
    assert told == ({BO.email, ANA.email} if row.tells_guests else set())
    assert await methods(assistant) == ([] if by_google and row.tells_guests else list(row.mails))


async def found(assistant: Desk) -> str:
    """What the calendar has of the event, and of its second occurrence where that says something of its own.

    Both are looked up; what the calendar lists has to be the same, with nothing beside it.
    """
    whole, second = await there(assistant), await there(assistant, SECOND)
    parts = [whole] if whole else []
    if second and (whole is None or told(second) != told(replace(whole, start=SECOND, recurrence=()))):
        parts.append(second)
    listed = [e for e in await assistant.house.calendar.events(TEN - WEEK, TEN + 4 * WEEK) if not e.cancelled]
    number = 0 if whole and whole.cancelled else sum(3 if each.recurrence else 1 for each in parts[:1])
    assert len({each.start for each in listed}) == len(listed) == number - sum(e.cancelled for e in parts[1:])
    return "; ".join(map(told, parts)) or "none"


async def methods(assistant: Desk) -> list[str]:
    """The METHOD of the calendar part of each sent mail."""
    parts = [part for mail in await assistant.sent() for part in mail.walk()]
    return [str(part.get_param("method")) for part in parts if part.get_content_type() == "text/calendar"]


def told(event: Event | None) -> str:
    """Day and hour, revision, the user's answer, Bo's to an own meeting, and the rest in a word."""
    if event is None:
        return "none"
    mine, theirs = event.partstat_of(MINE), event.partstat_of(BO.key)
    words = [f"{event.start.astimezone(BERLIN):%d %H:%M}", f"#{event.sequence}"]
    words += [mine.value] if mine is not Partstat.NEEDS_ACTION else []
    is_own = event.organizer is not None and event.organizer.key == MINE
    words += [f"bo {theirs.value}"] if is_own and theirs is not Partstat.NEEDS_ACTION else []
    words += ["weekly"] if event.recurrence else []
    return " ".join([*words, "cancelled"] if event.cancelled else words)


PUT_IN = {
    "id": "put0in0there",
    "iCalUID": UID,
    "summary": "Budget",
    "location": "Room 5",
    "start": {"dateTime": TEN.isoformat()},
    "end": {"dateTime": (TEN + HOUR).isoformat()},
    "organizer": {"email": ANA.email},
    "attendees": [{"email": MINE}, {"email": BO.email, "responseStatus": "accepted"}],
    "sequence": 1,
}
"""The event as Google puts it into the calendar when the mail arrives there."""


@pytest.fixture
def at_google(on_either_calendar: Desk, google: GoogleServer) -> GoogleServer:
    """The stand-in with the event in it."""
    google.add_event(MINE, PUT_IN)
    return google


@GOOGLE
async def test_what_google_has_put_in_is_answered_there(
    on_either_calendar: Desk, at_google: GoogleServer
) -> None:
    """No second event; the answer stands in Google's own, which writes to nobody, and goes to the organizer in one mail."""
    message = await on_either_calendar.receive(invitation())
    card = await on_either_calendar.start(message)
    assert card is not None
    args = {"answer": "tentative", "comment": ""}
    edit = [{"type": "edit", "args": {**card["action_request"], "args": args}}]
    assert await on_either_calendar.answer(message, edit) is None
    (event,) = at_google.events(MINE)
    assert (event["id"], event["sequence"]) == ("put0in0there", 1)
    assert [guest["responseStatus"] for guest in event["attendees"]] == ["tentative", "accepted"]
    assert (await methods(on_either_calendar), await told_guests(on_either_calendar)) == (["REPLY"], [])


@GOOGLE
async def test_what_was_answered_in_google_is_not_asked_again(
    on_either_calendar: Desk, google: GoogleServer
) -> None:
    """The mail is passed over, and shown when it is brought back; who answered there has told the organizer."""
    answered = {"email": MINE, "responseStatus": "tentative"}
    google.add_event(MINE, PUT_IN | {"attendees": [answered, PUT_IN["attendees"][1]]})
    message = await on_either_calendar.receive(invitation())
    assert await on_either_calendar.start(message) is None
    back = to_email_input(Conversation(message)) | {REOPENED: "ignored"}
    await on_either_calendar.graph.ainvoke({"email_input": back}, config_for(message))
    card = await on_either_calendar.card(message)
    assert card is not None
    assert card["action_request"]["action"].startswith("Notify: ")
    assert await on_either_calendar.sent() == []
    (event,) = google.events(MINE)
    assert event["attendees"][0]["responseStatus"] == "tentative"


@GOOGLE
async def test_what_google_has_changed_by_itself_is_passed_over(
    on_either_calendar: Desk, at_google: GoogleServer
) -> None:
    """An update and a cancellation that Google took over from the same mail: nobody is asked, nothing is written."""
    calendar = on_either_calendar.house.calendar
    await calendar.answer(UID, Partstat.ACCEPTED)
    at_google.forget()
    update = await on_either_calendar.receive(invitation(stamp=DEFERRED, number=2))
    assert await on_either_calendar.start(update) is None
    await calendar.cancel(UID)
    at_google.forget()
    gone = await on_either_calendar.receive(invitation(method="CANCEL", sequence=2, number=3))
    assert await on_either_calendar.start(gone) is None
    assert {each["key"].partition(" ")[0] for each in at_google.requests} == {"GET"}
