"""The calendar contract on Google Calendar, over the npm emulator of Google behind our own shell.

Client-supplied ids, the 409 for a second one and video calls are our shell's doing, so those tests are no independent
evidence on Google.
"""

import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from email_assistant.adapters.google.calendar import GoogleCalendar
from email_assistant.calendars.event import Guest, Partstat
from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from tests.contract.calendar_contract import HOUR, MEETING, CalendarContract, invited
from tests.servers.google_server import GoogleServer
from tests.support.written_calendars import DAY, INSERT, Maker, told


@dataclass
class Account:
    """A new account at the emulator, that no other test uses."""

    email: str
    token: str


@pytest.fixture
def account(google: GoogleServer) -> Account:
    """An account with an empty calendar."""
    email = f"{uuid.uuid4().hex}@example.com"
    return Account(email, google.account(email, name="Robin Example"))


@pytest.fixture
def build(tmp_path: Path) -> Maker:
    """Makes a calendar at a base URL."""
    return Maker(tmp_path)


@pytest.fixture
def calendar(google: GoogleServer, account: Account, build: Maker) -> GoogleCalendar:
    """The calendar of that account."""
    return build(google.url, account.token, account.email)


@pytest.fixture
def me(account: Account) -> str:
    """The owner's address."""
    return account.email


class TestGoogleCalendar(CalendarContract):
    """The contract."""


class TestAtTheEmulator:
    """Particular to Google, as far as the emulator goes."""

    async def test_guests_are_invited_by_mail(self, google: GoogleServer, calendar: GoogleCalendar) -> None:
        """The guests go with the event, and Google is asked to write to all of them."""
        google.forget()
        await calendar.create(MEETING)
        (sent,) = [r for r in google.requests if r["key"] == INSERT and r["body"]]
        assert dict(parse_qsl(sent["query"].lstrip("?")))["sendUpdates"] == "all"
        assert sent["body"]["attendees"] == [
            {"email": "ana@example.com", "displayName": "Ana Petrova"},
            {"email": "bo@example.org"},
        ]

    async def test_a_video_call_is_made_when_asked_for(
        self, google: GoogleServer, calendar: GoogleCalendar
    ) -> None:
        """An event that wants a video call asks Google for one and comes back with its link."""
        google.forget()
        created = await calendar.create(replace(MEETING, conference=True))
        (sent,) = [r for r in google.requests if r["key"] == INSERT and r["body"]]
        assert "conferenceDataVersion=1" in sent["query"]
        assert sent["body"]["conferenceData"]["createRequest"]["requestId"] == MEETING.id
        assert created.conference
        assert created.conference_link.startswith("https://")

    @pytest.mark.parametrize("event_id", ["with-dash", "ü" * 40])
    async def test_any_id_is_found_again(self, calendar: GoogleCalendar, event_id: str) -> None:
        """Ids that Google does not take are kept under a derived one and found under the original."""
        created = await calendar.create(replace(MEETING, id=event_id))
        again = await calendar.create(replace(MEETING, id=event_id, title="Another"))
        found = await calendar.get(event_id)
        assert found is not None
        assert (created.id, again.id, found.id) == (event_id, event_id, event_id)
        assert (again.title, found.title) == (MEETING.title, MEETING.title)

    async def test_an_answer_that_was_lost_makes_no_second_event(
        self, google: GoogleServer, calendar: GoogleCalendar
    ) -> None:
        """When the connection breaks after Google has created the event, the repeat finds it there."""
        google.faults({"match": INSERT, "drop": True, "after": True, "times": 1})
        created = await calendar.create(MEETING)
        assert created.id == MEETING.id
        assert len(await calendar.events(*DAY)) == 1
        google.faults()

    @pytest.mark.parametrize("recurrence_id", [None, MEETING.start])
    async def test_an_import_whose_answer_was_lost_makes_no_second_event(
        self,
        google: GoogleServer,
        account: Account,
        calendar: GoogleCalendar,
        recurrence_id: datetime | None,
    ) -> None:
        """Of an event and of one occurrence; what is answered and changed after that is this one."""
        theirs = replace(invited(account.email), recurrence_id=recurrence_id)
        google.faults({"match": "POST .*/import", "drop": True, "after": True, "times": 1})
        await calendar.put(theirs)
        google.faults({"match": "PATCH ", "drop": True, "after": True, "times": 1})
        await calendar.answer(theirs.uid, Partstat.ACCEPTED, recurrence_id)
        google.faults()
        (event,) = google.events(account.email)
        assert [each["responseStatus"] for each in event["attendees"] if each.get("self")] == ["accepted"]

    async def test_a_change_whose_answer_was_lost_is_told_to_the_guests_once(
        self, google: GoogleServer, calendar: GoogleCalendar
    ) -> None:
        """What Google has carried out is not asked for again: it writes to the guests each time."""
        own = await calendar.create(MEETING)
        moved = replace(own, start=own.start + HOUR, end=own.end + HOUR, sequence=1)
        google.forget()
        google.faults({"match": "PATCH ", "drop": True, "after": True, "times": 1})
        assert (await calendar.put(moved)).start == moved.start
        google.faults()
        assert sum("sendUpdates=all" in each["query"] for each in google.requests) == 1

    async def test_who_is_written_to_of_what(
        self, google: GoogleServer, calendar: GoogleCalendar, me: str
    ) -> None:
        """Guests hear of a change of one's own meeting, and of nothing else: Google writes no answer and no other's change."""
        own = await calendar.create(MEETING)
        google.forget()
        await calendar.put(own.answered("ana@example.com", Partstat.ACCEPTED))
        await calendar.put(replace(own, location="Room 6", sequence=1))
        await calendar.cancel(own.uid)
        theirs = invited(me)
        await calendar.put(theirs)
        await calendar.put(replace(theirs, location="Room 6", sequence=3))
        await calendar.answer(theirs.uid, Partstat.ACCEPTED)
        await calendar.cancel(theirs.uid)
        asked = [r for r in google.requests if r["key"].split()[0] in {"PATCH", "DELETE"}]
        told = [dict(parse_qsl(r["query"].lstrip("?"))).get("sendUpdates") for r in asked]
        assert told == ["none", "all", "all", "none", "none", "none"]

    async def test_the_answer_to_what_google_has_put_in_is_given_there(
        self, google: GoogleServer, account: Account, calendar: GoogleCalendar
    ) -> None:
        """An invitation that Google added by itself is answered in its own event: no second one, and nobody else's answer changes."""
        guests = [{"email": account.email}, {"email": "bo@example.org", "responseStatus": "tentative"}]
        google.add_event(
            account.email,
            told("theirs", attendees=guests, organizer={"email": "ana@example.com"}, iCalUID="a@b.example"),
        )
        answered = await calendar.answer("a@b.example", Partstat.ACCEPTED)
        (event,) = await calendar.events(*DAY)
        assert event.id == answered.id == "theirs"
        assert event.guests == tuple(
            sorted(
                (Guest(account.email, Partstat.ACCEPTED), Guest("bo@example.org", Partstat.TENTATIVE)),
                key=lambda guest: guest.key,
            )
        )


@pytest.fixture
def alias(account: Account) -> str:
    """Another address of the owner's, of which Google does not know."""
    return f"alias-{account.email}"


@pytest.fixture
def knowing(calendar: GoogleCalendar, account: Account, alias: str) -> GoogleCalendar:
    """The calendar of that account, told of the other address."""
    return GoogleCalendar(calendar._api, account.email, "Europe/Berlin", frozenset({alias}))


async def test_whoever_is_invited_by_another_address_answers_as_that_guest(
    knowing: GoogleCalendar, alias: str
) -> None:
    """Google does not know the address for the owner's; the settings do, and others' answers stay."""
    event = invited(alias).answered("bo@example.org", Partstat.TENTATIVE)
    await knowing.put(event)
    told = await knowing.answer(event.uid, Partstat.ACCEPTED)
    assert (told.partstat_of(alias), told.partstat_of("bo@example.org")) == (
        Partstat.ACCEPTED,
        Partstat.TENTATIVE,
    )


async def test_a_meeting_whose_guests_google_would_not_tell_is_not_changed(
    knowing: GoogleCalendar, alias: str
) -> None:
    """One's own under another address: who answers it is noted; a move is refused, because nobody would hear of it."""
    own = await knowing.put(replace(invited("ana@example.com"), organizer=Address(alias)))
    noted = await knowing.put(own.answered("bo@example.org", Partstat.ACCEPTED))
    assert noted.partstat_of("bo@example.org") is Partstat.ACCEPTED
    with pytest.raises(InputError, match="writes to no guests"):
        await knowing.put(replace(own, start=own.start + HOUR, end=own.end + HOUR, sequence=3))
    found = await knowing.find(own.uid)
    assert found is not None
    assert found.start == own.start
