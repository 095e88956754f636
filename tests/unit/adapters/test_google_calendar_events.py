"""Events in Google's form: what is written, and how what Google tells is taken."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.adapters.google.calendar_events import (
    Zones,
    google_id,
    read_event,
)
from email_assistant.adapters.google.calendar_writing import write_event
from email_assistant.calendars.event import Event
from email_assistant.errors import ProviderError
from email_assistant.mail.address import Address

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = Zones(BERLIN, ZoneInfo("America/New_York"))
EVENT = Event(
    id="0123456789abcdef",
    title="Review",
    start=datetime(2026, 11, 26, 10, tzinfo=BERLIN),
    end=datetime(2026, 11, 26, 11, tzinfo=BERLIN),
    timezone="Europe/Berlin",
)
TOLD: dict[str, Any] = {
    "id": "evt01",
    "start": {"dateTime": "2026-11-26T10:00:00+01:00", "timeZone": "Europe/Berlin"},
    "end": {"dateTime": "2026-11-26T11:00:00+01:00"},
}


class TestIds:
    """Which id an event has at Google."""

    @given(st.text(max_size=300))
    def test_any_text_has_an_id_that_google_takes(self, event_id: str) -> None:
        """The id has Google's letters and length, and is the same every time."""
        made = google_id(event_id)
        assert set(made) <= set("abcdefghijklmnopqrstuv0123456789")
        assert 5 <= len(made) <= 1024
        assert google_id(event_id) == made == google_id(made)

    @pytest.mark.parametrize("event_id", ["abcd", "wxyzw", "ABCDEF", "abcde\n", "٣٣٣٣٣", "", "\ud800"])
    def test_what_google_refuses_is_not_sent(self, event_id: str) -> None:
        """Too short, other letters, a line end, other scripts' digits: each has a derived id."""
        assert len(google_id(event_id)) == 64


class TestBusy:
    """Which events take time."""

    @pytest.mark.parametrize(
        ("more", "busy"),
        [
            ({}, True),
            ({"transparency": "transparent"}, False),
            ({"status": "cancelled"}, False),
            ({"eventType": "workingLocation"}, False),
            ({"eventType": "focusTime"}, True),
            ({"eventType": "ofTheFuture"}, True),
            ({"attendees": [{"self": True, "responseStatus": "declined"}]}, False),
            ({"attendees": [{"self": True, "responseStatus": "needsAction"}]}, True),
            ({"attendees": [{"email": "ana@example.com", "responseStatus": "declined"}]}, True),
            ({"attendees": [None, 3, {"self": True, "responseStatus": "declined"}]}, False),
        ],
    )
    def test_what_takes_time(self, more: dict[str, Any], busy: bool) -> None:
        """Free, cancelled, declined, a birthday, a place of work: the time stays free; else it is taken."""
        assert read_event(TOLD | more, ZONES).busy is busy


class TestReading:
    """What Google tells."""

    def test_everything_that_is_told(self) -> None:
        """Title, place, description and guests are taken over; rooms are guests too."""
        event = read_event(
            TOLD
            | {
                "summary": "Plan",
                "location": "Room 5",
                "description": "Bring\ntea",
                "attendees": [
                    {"email": "Ana@EXAMPLE.com", "displayName": "Ana\nPetrova"},
                    {"email": "bo@example.org", "displayName": "bo@example.org"},
                    {"displayName": "nobody"},
                    {"email": "not an address"},
                ],
            },
            ZONES,
        )
        assert (event.title, event.location, event.description) == ("Plan", "Room 5", "Bring\ntea")
        assert event.attendees == (Address("Ana@example.com", "Ana Petrova"), Address("bo@example.org"))

    @pytest.mark.parametrize(
        ("start", "name"),
        [
            ({"dateTime": "2026-11-26T10:00:00+01:00"}, "America/New_York"),
            ({"dateTime": "2026-11-26T10:00:00+01:00", "timeZone": "Asia/Tokyo"}, "Asia/Tokyo"),
            ({"dateTime": "2026-11-26T10:00:00+01:00", "timeZone": "../../etc/passwd"}, "America/New_York"),
        ],
    )
    def test_the_zone_is_the_events_else_the_calendars(self, start: dict[str, Any], name: str) -> None:
        """What is no IANA zone is not passed on."""
        assert read_event(TOLD | {"start": start}, ZONES).timezone == name

    def test_a_day_begins_when_the_day_before_has_ended(self) -> None:
        """Where the clocks go forward at midnight, the day begins at one o'clock."""
        cairo = ZoneInfo("Africa/Cairo")
        told = TOLD | {"start": {"date": "2026-04-24"}, "end": {"date": "2026-04-25"}}
        event = read_event(told, Zones(cairo, cairo))
        assert event.start.isoformat() == "2026-04-24T01:00:00+03:00"
        assert write_event(event, owner="", zone=cairo)["start"] == {"date": "2026-04-24"}

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["id", "start", "end", "date", "dateTime", "timeZone", "attendees", "conferenceData"]
                    ),
                    inner,
                    max_size=6,
                )
            ),
            max_leaves=12,
        )
    )
    def test_nothing_but_a_provider_error_comes_of_nonsense(self, told: Any) -> None:
        """Whatever JSON arrives, it is an event with aware times or a provider's error."""
        event = None
        with suppress(ProviderError):
            event = read_event(told, ZONES)
        if event is not None:
            assert event.start.utcoffset() is not None
            assert event.end.utcoffset() is not None

    @pytest.mark.parametrize("edge", ["start", "end"])
    def test_an_error_is_one_line_that_names_the_event(self, edge: str) -> None:
        """Line breaks in an id cannot forge lines of a log."""
        with pytest.raises(ProviderError, match=f"'{edge}'.*evt") as caught:
            read_event(TOLD | {"id": "evt\nforged", edge: None}, ZONES)
        assert "\n" not in str(caught.value)


class TestVideoCalls:
    """Links that Google made, and links that others wrote."""

    @pytest.mark.parametrize(
        ("more", "link"),
        [
            ({"hangoutLink": "https://meet.example/abc"}, "https://meet.example/abc"),
            ({"conferenceData": {"entryPoints": [
                {"entryPointType": "phone", "uri": "tel:+1"},
                {"entryPointType": "video", "uri": "https://call.example/1"}]}}, "https://call.example/1"),
            ({"hangoutLink": "javascript:alert(1)"}, ""),
            ({}, ""),
        ],
    )  # fmt: skip
    def test_the_link_is_one_that_is_safe(self, more: dict[str, Any], link: str) -> None:
        """Only https links are taken, Google's own field first."""
        event = read_event(TOLD | more, ZONES)
        assert (event.conference_link, event.conference) == (link, bool(link))


class TestWriting:
    """What Google is sent."""

    def test_a_meeting(self) -> None:
        """Times go with their offset and zone, empty texts not at all."""
        assert write_event(EVENT, owner="robin@example.com", zone=BERLIN) == {
            "id": EVENT.id,
            "summary": "Review",
            "start": {"dateTime": "2026-11-26T10:00:00+01:00", "timeZone": "Europe/Berlin"},
            "end": {"dateTime": "2026-11-26T11:00:00+01:00", "timeZone": "Europe/Berlin"},
            "attendees": [],
        }

    @given(st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)), st.sampled_from(
        ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Casablanca", "UTC", "Pacific/Apia"]))  # fmt: skip
    def test_times_come_back_exactly(self, wall: datetime, zone: str) -> None:
        """Whatever the zone and season, an event is read back at the instants it was written with."""
        start = wall.replace(microsecond=0, tzinfo=UTC)
        event = replace(EVENT, start=start, end=start + timedelta(hours=1), timezone=zone)
        back = read_event(write_event(event, owner="", zone=BERLIN), ZONES)
        assert (back.start, back.end, back.timezone) == (event.start, event.end, zone)
