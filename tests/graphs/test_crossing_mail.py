"""An invitation that is cancelled or moved while its card waits, with Google Calendar, which takes such mail over by itself or does not.

Over all graphs with a calendar file it is in tests/contract/workflow_crossing_contract.py.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from email_assistant.journal.calendar_mail import CalendarMail
from tests.contract.workflow_crossing_contract import BEFORE, CROSSING, MOMENTS, TEN, TIED, answered, crossed
from tests.graphs.test_calendar_mail import PUT_IN
from tests.servers.google_server import GoogleServer
from tests.support.calendar_mail import MINE, UID, invitation, known, plain
from tests.support.calendar_mail import TEN as FIRST
from tests.support.crossing import Reader
from tests.support.desk import Desk

GOOGLE = pytest.mark.parametrize("on_either_calendar", ["google"], indirect=True)


@GOOGLE
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("is_put_in", [False, True])
@pytest.mark.parametrize("method", CROSSING)
async def test_what_crosses_an_answer_is_read_first(
    on_either_calendar: Desk, google: GoogleServer, method: str, is_put_in: bool, moment: str
) -> None:
    """Nobody accepts what was called off or moved without having read it."""
    if is_put_in:
        google.add_event(MINE, PUT_IN)
    reader = Reader(on_either_calendar, "email_assistant")
    await crossed(reader, invitation(**CROSSING[method], date=TEN), moment)
    await reader.settle()
    if method == "CANCEL":
        # What was called off before anybody read its invitation is told as what is not in the calendar.
        assert reader.has_read("cancelled") or (
            moment in {BEFORE, TIED} and reader.has_read("writes about an event")
        )
        assert await answered(reader) == []
    else:
        assert reader.has_read("14:00 to 15:00")
        assert await answered(reader) == ["2"]


async def test_what_the_calendar_has_cancelled_by_itself_withdraws_the_card_that_waits(
    on_either_calendar: Desk,
) -> None:
    """The calendar says so already, and the card that waited is told of all the same."""
    reader = Reader(on_either_calendar, "email_assistant")
    await reader.desk.receive(invitation())
    await reader.look()
    await known(on_either_calendar, guests=())
    await on_either_calendar.house.calendar.cancel(UID)
    await reader.desk.receive(invitation(**CROSSING["CANCEL"], date=TEN))
    await reader.look()
    (card,) = (await reader.read()).values()
    withdrawn = "The invitation of Thu 26 Nov 10:00 to 11:00, which waits, is withdrawn."
    assert f"Ana has cancelled an event. {withdrawn}" in plain(card)


OCCURRENCE = {"recurrence_id": "2026-12-03T09:00:00+00:00"}
SAID = CalendarMail(
    "one", UID, "", "ana@example.com", "Ana", "request", 1, "2026-11-19T09:00:00+00:00", "Budget", "then"
)
NEWER = [
    ("a higher revision", {}, {"sequence": 2, "stamp": ""}, True),
    ("a lower revision", {"sequence": 3}, {"sequence": 2, "stamp": "2026-11-20T09:00:00+00:00"}, False),
    ("written later", {}, {"stamp": "2026-11-19T09:00:01+00:00"}, True),
    ("the same", {}, {}, False),
    ("cancelled in the same breath", {}, {"method": "cancel"}, True),
    ("the invitation after that", {"method": "cancel"}, {}, False),
    ("the whole series, of one occurrence", OCCURRENCE, {"sequence": 2}, True),
    ("one occurrence, of the series", {}, {"sequence": 2} | OCCURRENCE, False),
    ("that nobody vouches for, of what somebody does", {"vouched": 1}, {"sequence": 999}, False),
    ("vouched for, of what nobody vouches for", {}, {"sequence": 2, "vouched": 1}, True),
    ("put aside", {}, {"sequence": 2, "vouched": 1, "outcome": "dismissed"}, False),
    ("called off and put aside", {}, {"method": "cancel", "vouched": 1, "outcome": "dismissed"}, True),
    ("called off by nobody, and put aside", {}, {"method": "cancel", "outcome": "dismissed"}, False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("older", "newer", "follows"), [row[1:] for row in NEWER], ids=[row[0] for row in NEWER]
)
def test_of_two_mails_about_an_event_one_is_newer(older: Any, newer: Any, follows: bool) -> None:
    """By SEQUENCE, then DTSTAMP; a cancellation counts where both are one."""
    assert replace(SAID, **newer).follows(replace(SAID, **older)) is follows


@pytest.mark.parametrize("is_vouched", [True, False], ids=["vouched", "put aside"])
async def test_no_tombstone_stops_what_is_true(on_either_calendar: Desk, is_vouched: bool) -> None:
    """A mail in the organizer's name with a revision that nobody comes to is put aside; each true one after it has its card."""
    reader = Reader(on_either_calendar, "email_assistant")
    await reader.desk.receive(invitation(sequence=999, vouched="", number=1))
    await reader.look()
    thread_id, card = await reader.up_to("Invitation")
    await reader.answer(thread_id, card, "ignore")
    for number in (2, 3):
        vouched = "pass" if is_vouched else ""
        start = f":20261126T1{number}0000Z"
        await reader.desk.receive(invitation(sequence=number, start=start, number=number, vouched=vouched))
        await reader.look()
        _, card = await reader.up_to("Invitation")
        assert f"1{number + 1}:00 to" in plain(card)


async def test_a_series_is_accepted_without_what_was_called_off_since(on_either_calendar: Desk) -> None:
    """One occurrence is cancelled while the invitation waits: that is asked about, and the occurrence does not take place."""
    reader = Reader(on_either_calendar, "email_assistant")
    await reader.desk.receive(invitation("RRULE:FREQ=WEEKLY;COUNT=3"))
    await reader.look()
    thread_id, card = await reader.up_to("Invitation")
    off = invitation(
        "RECURRENCE-ID:20261203T090000Z", method="CANCEL", start=":20261203T090000Z", number=2, date=TEN
    )
    await reader.desk.receive(off)
    await reader.look()
    await reader.answer(thread_id, card, "accept")
    assert reader.has_read(
        "Ana has cancelled one occurrence of it since: “Budget”, Thu 3 Dec 10:00 to 11:00."
    )
    await reader.answer(*await reader.up_to("Invitation"), "accept")
    assert await answered(reader) == ["1"]
    week = timedelta(days=7)
    listed = await on_either_calendar.house.calendar.events(FIRST, FIRST + 4 * week)
    assert [each.start for each in listed if not each.cancelled] == [FIRST, FIRST + 2 * week]
