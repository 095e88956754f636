"""How the Google calendar takes what Google answers: which calendars count, edges, errors, ids that are taken.

The answers are written down by the tests in the form of Google's reference; the npm emulator has none of these.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pytest_httpserver import HTTPServer

from email_assistant.adapters.google.calendar import GoogleCalendar
from email_assistant.calendars.free_time import busy_intervals
from email_assistant.errors import AccessError, InputError, ProviderError, TransientError
from tests.contract.calendar_contract import BERLIN, MEETING
from tests.support.written_calendars import (
    DAY,
    FREE_BUSY,
    INSERT,
    LIST,
    ME,
    Maker,
    WrittenCalendars,
    calendar_entry,
    events_of,
    free_busy,
    refusal,
    told,
)


@pytest.fixture
def build(tmp_path: Path) -> Maker:
    """Makes a calendar at a base URL."""
    return Maker(tmp_path)


@pytest.fixture
def written(httpserver: HTTPServer) -> WrittenCalendars:
    """A Google with one empty calendar, until the test writes more."""
    google = WrittenCalendars(httpserver)
    google.calendars(calendar_entry())
    google.holds(ME)
    return google


@pytest.fixture
def here(written: WrittenCalendars, build: Maker) -> GoogleCalendar:
    """The calendar at the Google that the test writes."""
    return build(written.url)


class TestWhichCalendars:
    """Whose events count."""

    async def test_all_that_are_switched_on(self, written: WrittenCalendars, here: GoogleCalendar) -> None:
        """Selected calendars are read; hidden, deleted and unselected ones are not asked at all."""
        written.calendars(
            calendar_entry(),
            calendar_entry("team@example.com", accessRole="reader"),
            calendar_entry("shared@example.com", accessRole="writerWithoutPrivateAccess"),
            calendar_entry("off@example.com", selected=False),
            calendar_entry("hidden@example.com", hidden=True),
            calendar_entry("gone@example.com", deleted=True),
        )
        written.holds(ME, told("mine0"))
        written.holds("team@example.com", told("team0", "12:00", "13:00"))
        written.holds("shared@example.com", told("share", "13:00", "14:00"))
        assert [e.title for e in await here.events(*DAY)] == ["mine0", "team0", "share"]
        assert sum("/events" in key for key in written.keys) == 3

    async def test_the_primary_calendar_counts_even_unselected(
        self, written: WrittenCalendars, here: GoogleCalendar
    ) -> None:
        """The own calendar is read when it is switched off in the list, and when the list leaves it out."""
        written.calendars(calendar_entry(selected=False))
        written.holds(ME, told("mine0"))
        assert len(await here.events(*DAY)) == 1
        written.calendars()
        written.holds("primary", told("mine1"))
        assert [e.id for e in await here.events(*DAY)] == ["mine1"]

    @pytest.mark.parametrize("also", [(), (calendar_entry("team@example.com"),)])
    async def test_a_calendar_that_vanishes_is_an_error(
        self, written: WrittenCalendars, here: GoogleCalendar, also: tuple[dict[str, Any], ...]
    ) -> None:
        """A calendar that was listed and is not there any more is never taken for an empty one."""
        written.calendars(calendar_entry(), *also)
        written.on(events_of("team@example.com" if also else ME), refusal(404, "notFound"))
        with pytest.raises(TransientError, match="vanished"):
            await here.events(*DAY)

    async def test_one_event_in_two_calendars_counts_once_as_the_owner_has_it(
        self, written: WrittenCalendars, here: GoogleCalendar
    ) -> None:
        """A meeting that a colleague accepted and the user declined is in both calendars; it leaves the user free."""
        declined = [{"email": ME, "self": True, "responseStatus": "declined"}]
        written.calendars(calendar_entry("team@example.com", accessRole="reader"), calendar_entry())
        written.holds("team@example.com", told("evt01"), told("evt02", "12:00", "13:00"))
        written.holds(ME, told("evt01", attendees=declined))
        assert [(e.id, e.busy) for e in await here.events(*DAY)] == [("evt01", False), ("evt02", True)]

    @pytest.mark.parametrize("where", [LIST, events_of(ME)])
    async def test_a_list_without_end_is_an_error(
        self, written: WrittenCalendars, here: GoogleCalendar, where: str
    ) -> None:
        """A server that always names a next page does not keep the program busy for ever."""
        items = [calendar_entry()] if where == LIST else [told()]
        written.on(where, (200, {"items": items, "nextPageToken": "again"}))
        with pytest.raises(ProviderError, match="does not end"):
            await here.events(*DAY)


class TestTheEdges:
    """What is in [start, end)."""

    async def test_days_are_those_of_the_owner(self, written: WrittenCalendars, build: Maker) -> None:
        """A whole day of a calendar elsewhere is the owner's day, and Google is asked widely enough to find it."""
        auckland = calendar_entry("nz@example.com", timeZone="Pacific/Auckland")
        written.calendars(calendar_entry(), auckland)
        written.holds("nz@example.com", told(start={"date": "2026-11-26"}, end={"date": "2026-11-27"}))
        zone = ZoneInfo("Pacific/Honolulu")
        period = (datetime(2026, 11, 26, 23, tzinfo=zone), datetime(2026, 11, 26, 23, 30, tzinfo=zone))
        (day,) = await build(written.url, zone="Pacific/Honolulu").events(*period)
        assert (day.all_day, day.start, day.end) == (
            True, datetime(2026, 11, 26, tzinfo=zone), datetime(2026, 11, 27, tzinfo=zone),
        )  # fmt: skip
        asked = next(a for a in written.asked if a.key == events_of("nz@example.com"))
        # In Auckland the day is over 21 hours before it is in Honolulu.
        assert asked.query["timeMin"] < "2026-11-26T11:00:00Z" < asked.query["timeMax"]

    @pytest.mark.parametrize(
        ("start", "end"),
        [(datetime(2026, 11, 26), DAY[1]), (DAY[1], DAY[0]), (datetime.min.replace(tzinfo=UTC), DAY[1])],
    )
    async def test_wrong_periods_are_refused(
        self, written: WrittenCalendars, here: GoogleCalendar, start: datetime, end: datetime
    ) -> None:
        """Naive times, an end before the start, and times out of range are the caller's fault."""
        with pytest.raises(InputError):
            await here.events(start, end)
        assert written.asked == []


def entry_busy_only(name: str) -> dict[str, Any]:
    """A calendar of which only the busy times are shown."""
    return calendar_entry(name, accessRole="freeBusyReader")


BUSY = {"start": "2026-11-26T08:00:00Z", "end": "2026-11-26T09:00:00Z"}


class TestFreeBusy:
    """Calendars that only tell when they are busy."""

    @pytest.fixture(autouse=True)
    def shared(self, written: WrittenCalendars) -> None:
        """Beside the own calendar there is Ana's."""
        written.calendars(calendar_entry(), entry_busy_only("ana@x.example.com"))

    async def test_busy_times_are_events(self, written: WrittenCalendars, here: GoogleCalendar) -> None:
        """A busy time is an event titled "busy"; the calendar's events are not asked for."""
        written.on(FREE_BUSY, free_busy(ana__x={"busy": [BUSY]}))
        (event,) = await here.events(*DAY)
        assert (event.title, event.busy, event.start) == (
            "busy",
            True,
            datetime(2026, 11, 26, 9, tzinfo=BERLIN),
        )
        assert written.keys == [LIST, events_of(ME), FREE_BUSY]
        assert written.asked[-1].body["items"] == [{"id": "ana@x.example.com"}]

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            (
                free_busy(ana__x={"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}),
                TransientError,
            ),
            (free_busy(ana__x={"errors": [{}], "busy": []}), ProviderError),
            (free_busy(ana__x={}), ProviderError),
            (free_busy(ana__x={"busy": [{"start": BUSY["end"], "end": BUSY["start"]}]}), ProviderError),
            ((200, {"calendars": {}}), ProviderError),
            ((200, []), ProviderError),
        ],
    )
    async def test_what_is_not_told_is_not_free(
        self, written: WrittenCalendars, here: GoogleCalendar, answer: Any, kind: type[Exception]
    ) -> None:
        """An error for one calendar, or an answer that cannot be read or leaves it out, raises."""
        written.on(FREE_BUSY, answer)
        with pytest.raises(ProviderError) as caught:
            await here.events(*DAY)
        assert type(caught.value) is kind

    @pytest.mark.parametrize("role", ["somethingNew", None])
    async def test_access_that_is_not_known_to_suffice_asks_for_busy_times(
        self, written: WrittenCalendars, here: GoogleCalendar, role: str | None
    ) -> None:
        """Any role that may not read events is asked for busy times, and not left out."""
        written.calendars(calendar_entry(), calendar_entry("ana@x.example.com", accessRole=role))
        written.on(FREE_BUSY, free_busy(ana__x={"busy": [BUSY]}))
        assert len(await here.events(*DAY)) == 1

    async def test_many_calendars_and_long_periods_are_asked_in_pieces(
        self, written: WrittenCalendars, here: GoogleCalendar
    ) -> None:
        """A query names 50 calendars at most and spans 31 days at most; a time in two pieces counts once."""
        names = [f"c{number}@x" for number in range(60)]
        written.calendars(calendar_entry(), *[entry_busy_only(f"{name}.example.com") for name in names])
        all_busy = {name.replace("@", "__"): {"busy": [BUSY]} for name in names}
        written.on(FREE_BUSY, free_busy(**all_busy))
        start = datetime(2026, 11, 1, tzinfo=UTC)
        assert len(await here.events(start, start + timedelta(days=40))) == 60
        bodies = [asked.body for asked in written.asked if asked.key == FREE_BUSY]
        assert [len(body["items"]) for body in bodies] == [50, 50, 10, 10]
        for before, after in zip(bodies[::2], bodies[1::2], strict=True):
            assert before["timeMax"] == after["timeMin"]
        assert bodies[0]["timeMin"] == "2026-11-01T00:00:00Z"
        assert bodies[1]["timeMax"] >= "2026-12-11T00:00:00Z"


class TestErrors:
    """An error is an error, whatever it is, and never free time."""

    @pytest.mark.parametrize("where", [LIST, events_of(ME), FREE_BUSY])
    @pytest.mark.parametrize(
        ("refused", "error", "words"),
        [
            (refusal(503, "backendError"), TransientError, "503"),
            (refusal(403, "insufficientPermissions", "Insufficient\nPermission"), AccessError, "gmail auth"),
        ],
    )
    async def test_a_failure_that_stays_is_one_line(
        self,
        written: WrittenCalendars,
        here: GoogleCalendar,
        where: str,
        refused: Any,
        error: type[Exception],
        words: str,
    ) -> None:
        """Whichever list it is of; a missing permission says what to do."""
        written.calendars(calendar_entry(), entry_busy_only("ana@x.example.com"))
        written.on(where, refused)
        with pytest.raises(error, match=words) as caught:
            await here.events(*DAY)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        "wrong",
        [told(start=None), told(start={"dateTime": "tomorrow"}),
        told(start={"dateTime": "0001-01-01T00:00:00+14:00"})],
    )  # fmt: skip
    async def test_one_bad_event_stops_nothing(
        self, written: WrittenCalendars, here: GoogleCalendar, wrong: Any
    ) -> None:
        """An event without readable times is named, takes no time, and all else is read as ever."""
        written.on(events_of(ME), (200, {"items": [told("evt99"), wrong]}))
        bad, good = await here.events(*DAY)
        assert (bad.id, bool(bad.unread), bad.busy, good.id) == ("evt01", True, False, "evt99")

    @pytest.mark.parametrize("where", [LIST, events_of(ME)])
    @pytest.mark.parametrize("body", [{}, {"items": None}, {"items": [1]}, {"items": [told(id="")]}])
    async def test_a_list_that_cannot_be_read_is_an_error(
        self, written: WrittenCalendars, here: GoogleCalendar, where: str, body: Any
    ) -> None:
        """What is no list of Google's is not an empty one, and what cannot even be named is not left out."""
        written.on(where, (200, body))
        with pytest.raises(ProviderError):
            await here.events(*DAY)

    async def test_deleted_events_are_no_events(
        self, written: WrittenCalendars, here: GoogleCalendar
    ) -> None:
        """A deleted event of which only the id is left is skipped; one that still has its times is not busy."""
        written.holds(ME, {"id": "gone0", "status": "cancelled"}, told(status="cancelled"))
        events = await here.events(*DAY)
        assert [(e.id, e.busy) for e in events] == [("evt01", False)]
        assert busy_intervals(events) == []


GET_MEETING = f"GET /calendar/v3/calendars/primary/events/{MEETING.id}"


class TestIdsThatAreTaken:
    """Google says 409 when it has an event of that id."""

    async def test_a_deleted_event_is_not_pretended(
        self, written: WrittenCalendars, here: GoogleCalendar
    ) -> None:
        """Google keeps deleted ids for ever: nothing was created, and one line says so."""
        written.on(INSERT, refusal(409, "duplicate"))
        written.on(GET_MEETING, (200, {"id": MEETING.id, "status": "cancelled"}))
        with pytest.raises(ProviderError, match="deleted") as caught:
            await here.create(MEETING)
        assert "\n" not in str(caught.value)
        assert not isinstance(caught.value, TransientError)
        assert await here.get(MEETING.id) is None

    async def test_looking_an_event_up_may_fail(
        self, written: WrittenCalendars, here: GoogleCalendar
    ) -> None:
        """A failure is not "no such event": else the meeting would be created again."""
        written.on(GET_MEETING, refusal(500, "backendError"))
        with pytest.raises(TransientError):
            await here.get(MEETING.id)
