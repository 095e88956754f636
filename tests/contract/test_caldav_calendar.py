"""The calendar contract over CalDAV, and what is particular to calendars on a server."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from email_assistant.adapters.caldav import calendar as caldav
from email_assistant.adapters.caldav.calendar import CaldavCalendar
from email_assistant.calendars.event import Partstat
from email_assistant.clock import FixedClock
from email_assistant.errors import AccessError, ConfigError, ProviderError, TransientError
from email_assistant.mail.address import Address
from email_assistant.mail_accounts import CalendarServer
from tests.contract.calendar_contract import MEETING, CalendarContract
from tests.support.calendar_servers import ME, Between, CaldavServer, between, radicale, xandikos
from tests.support.mail_tls import Authority

CLOCK = FixedClock(datetime(2026, 11, 20, 12, tzinfo=UTC))
NOVEMBER = (datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC))


TRANSPARENT = {
    "radicale": (
        b"<C:schedule-calendar-transp />",
        b"<C:schedule-calendar-transp><C:transparent /></C:schedule-calendar-transp>",
    ),
    "xandikos": (b":opaque />", b":transparent />"),
}
"""What the servers say of a calendar, and what those say that keep this property."""


def of(server: CaldavServer, url: str = "", own: str = ME) -> CaldavCalendar:
    """The user's calendar, at the server or at one address of it; its owner lives in Berlin."""
    calendar = server.account(url).calendar
    assert calendar is not None
    return CaldavCalendar(calendar, ME, lambda: server.password, "Europe/Berlin", CLOCK, frozenset({own}))


@pytest.fixture(scope="module", params=["radicale", pytest.param("xandikos", marks=pytest.mark.whole)])
def running(request: pytest.FixtureRequest) -> Iterator[CaldavServer]:
    """One server of each kind for all."""
    with radicale() if request.param == "radicale" else xandikos() as server:
        yield server


@pytest.fixture
def server(running: CaldavServer) -> CaldavServer:
    """With no calendar."""
    return running.fresh()


@pytest.fixture
def path(server: CaldavServer) -> str:
    """Of the one calendar that there is."""
    return server.make("work")


@pytest.fixture
def calendar(server: CaldavServer, path: str) -> CaldavCalendar:
    """Found from the server's address."""
    return of(server)


@pytest.fixture
def me() -> str:
    """The owner's address."""
    return ME


class TestCaldavCalendar(CalendarContract):
    """The contract."""


def event(uid: str, start: str, *lines: str) -> bytes:
    """One of an hour, as another program writes it."""
    said = (
        "BEGIN:VEVENT",
        f"UID:{uid}",
        "DTSTAMP:20261101T080000Z",
        f"DTSTART:{start}",
        "DURATION:PT1H",
        *lines,
        "END:VEVENT",
    )
    text = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//other//EN", *said, "END:VCALENDAR", "")
    return "\r\n".join(text).encode()


class TestWhichCalendars:
    """Where meetings are made, and whose events take time."""

    async def test_of_several_one_has_to_be_named(self, server: CaldavServer) -> None:
        """Nothing is guessed: the error names each with its address, and the one that is named is written into."""
        work, home = server.make("work"), server.make("home")
        with pytest.raises(ConfigError, match=f"work: {server.base}{work}"):
            await of(server).create(MEETING)
        await of(server, home).create(MEETING)
        assert (len(server.texts(work)), len(server.texts(home))) == (0, 1)

    async def test_events_of_the_others_take_time(self, server: CaldavServer) -> None:
        """But for one for tasks; what is in the own one, too, counts once, as it is there."""
        own, other = server.make("own"), server.make("other")
        server.make(
            "tasks",
            more='<C:supported-calendar-component-set><C:comp name="VTODO"/></C:supported-calendar-component-set>',
        )
        for path in (own, other):
            server.put(path, "both.ics", event("both", "20261126T080000Z"))
        server.put(other, "beside.ics", event("beside", "20261126T100000Z"))
        found = await of(server, own).events(*NOVEMBER)
        assert [(each.uid, each.busy) for each in found] == [
            ("both", True),
            ("beside", True),
        ]

    async def test_a_calendar_that_is_marked_as_free(
        self, passing: tuple[CaldavServer, Between], path: str
    ) -> None:
        """What is in it is told of, and takes no time."""
        through, proxy = passing
        kept = "<C:schedule-calendar-transp/>" if through.kind == "radicale" else ""
        other = through.make("other", more=kept)
        through.put(other, "one.ics", event("one", "20261126T080000Z"))
        proxy.instead = TRANSPARENT[through.kind]
        assert [each.busy for each in await of(through, path).events(*NOVEMBER)] == [False]

    async def test_what_another_program_does_is_seen(
        self, calendar: CaldavCalendar, server: CaldavServer, path: str
    ) -> None:
        """An event that is made, moved and deleted there; also one whose place on the server has a name of its own."""
        assert await calendar.events(*NOVEMBER) == []
        seen = []
        for start in ("20261126T080000Z", "20261127T080000Z"):
            server.put(path, "a b&c.ics", event("theirs", start))
            seen += [each.start.day for each in await calendar.events(*NOVEMBER)]
        (href,) = server.texts(path)
        server.ask("DELETE", href).raise_for_status()
        assert (seen, await calendar.events(*NOVEMBER)) == ([26, 27], [])

    async def test_calendars_come_and_go(
        self, server: CaldavServer, path: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One that was deleted stops nothing, one that was made counts; without the own one there is an error, and no free time."""
        monkeypatch.setattr(caldav, "_LOOK_SECONDS", -1)
        calendar = of(server, path)
        seen = [len(await calendar.events(*NOVEMBER))]
        other = server.make("other")
        server.put(other, "one.ics", event("one", "20261126T080000Z"))
        seen.append(len(await calendar.events(*NOVEMBER)))
        monkeypatch.setattr(caldav, "_LOOK_SECONDS", 300)
        server.ask("DELETE", other).raise_for_status()
        seen.append(len(await calendar.events(*NOVEMBER)))
        assert seen == [0, 1, 0]
        server.ask("DELETE", path).raise_for_status()
        looks = (
            lambda: calendar.events(*NOVEMBER),
            lambda: calendar.find("one"),
            lambda: calendar.create(MEETING),
        )
        for look in looks:
            with pytest.raises(AccessError, match="not where it was"):
                await look()

    async def test_meetings_go_into_no_other_calendar(self, server: CaldavServer, path: str) -> None:
        """When theirs is gone, one that happens to be the only one by now takes none of them."""
        calendar = of(server)
        await calendar.events(*NOVEMBER)
        server.ask("DELETE", path).raise_for_status()
        another = server.make("another")
        with pytest.raises(AccessError, match="not where it was"):
            await calendar.create(MEETING)
        assert server.texts(another) == {}

    async def test_a_calendar_that_is_made_anew_is_read_anew(
        self, calendar: CaldavCalendar, server: CaldavServer, path: str
    ) -> None:
        """What the server had told as the state stands for nothing any more."""
        server.put(path, "old.ics", event("old", "20261126T080000Z"))
        await calendar.events(*NOVEMBER)
        server.ask("DELETE", path).raise_for_status()
        server.make("work")
        server.put(path, "new.ics", event("new", "20261127T080000Z"))
        assert [each.uid for each in await calendar.events(*NOVEMBER)] == ["new"]


class TestWriting:
    """Beside other programs."""

    async def test_an_event_that_another_program_makes_first(
        self, passing: tuple[CaldavServer, Between], path: str
    ) -> None:
        """Between the look and the writing: there is one of it, and what is told is what is there."""
        through, proxy = passing
        theirs = event(MEETING.id, "20261126T080000Z", "SUMMARY:Theirs")
        proxy.before = lambda: through.put(path, f"{MEETING.id}.ics", theirs)
        assert (await of(through).create(MEETING)).title == "Theirs"
        assert len(through.texts(path)) == 1

    async def test_answers_at_once_all_stay(
        self, calendar: CaldavCalendar, server: CaldavServer, path: str
    ) -> None:
        """Five that answer one event at once: each answer is there, and what none of them knows."""
        guests = [f"guest{n}@example.com" for n in range(5)]
        server.put(
            path,
            "party.ics",
            event(
                "party", "20261126T080000Z", "X-COLOUR:red", *(f"ATTENDEE:mailto:{each}" for each in guests)
            ),
        )

        async def answer(own: str) -> None:
            theirs = of(server, own=own)
            for _ in range(20):  # Some servers answer that they cannot now; it is repeated, as ever.
                with suppress(TransientError):
                    await theirs.answer("party", Partstat.ACCEPTED)
                    break

        await asyncio.gather(*map(answer, guests))
        found = await calendar.find("party")
        assert found is not None
        assert {(each.key, each.partstat) for each in found.guests} == {
            (each, Partstat.ACCEPTED) for each in guests
        }
        ((_, text),) = server.texts(path).items()
        assert b"X-COLOUR:red" in text

    async def test_no_guest_is_written_to_by_the_server(
        self, calendar: CaldavCalendar, server: CaldavServer, path: str
    ) -> None:
        """One that would is told not to; one that does not is told nothing."""
        await calendar.create(replace(MEETING, organizer=Address(ME)))
        ((_, text),) = server.texts(path).items()
        people = text.replace(b"\r\n ", b"").count(b"SCHEDULE-AGENT=CLIENT")
        assert people == (3 if server.kind == "xandikos" else 0)


@pytest.fixture
def passing(server: CaldavServer, path: str) -> Iterator[tuple[CaldavServer, Between]]:
    """The server with its calendar, behind the proxy."""
    with between(server) as both:
        yield both


class TestOnTheWay:
    """What can go wrong between."""

    @pytest.mark.parametrize("lost", ["PUT", "REPORT"])
    async def test_an_answer_that_is_lost(
        self, passing: tuple[CaldavServer, Between], path: str, lost: str
    ) -> None:
        """It is told as passing, and a repeat finds the one event that there is."""
        through, proxy = passing
        calendar = of(through)
        await calendar.events(*NOVEMBER)
        proxy.lost = lost
        with pytest.raises(TransientError):
            await calendar.create(MEETING)
        again = await calendar.create(replace(MEETING, title="Something else"))
        assert again.title == (MEETING.title if lost == "PUT" else "Something else")
        assert len(through.texts(path)) == 1

    async def test_a_server_that_cannot_tell_what_has_changed(
        self, passing: tuple[CaldavServer, Between], path: str
    ) -> None:
        """Its events are told apart by their tags: what is made, changed and deleted is seen."""
        through, proxy = passing
        proxy.refused = frozenset({"sync-collection"})
        calendar = of(through)
        seen = []
        for start in ("20261126T080000Z", "20261127T080000Z"):
            through.put(path, "theirs.ics", event("theirs", start))
            seen += [each.start.day for each in await calendar.events(*NOVEMBER)]
        through.ask("DELETE", f"{path}theirs.ics").raise_for_status()
        assert (seen, await calendar.events(*NOVEMBER)) == ([26, 27], [])

    @pytest.mark.parametrize(
        "instead", [(b"DTSTART:20261126", b"DTSTART:2026x126"), (b"X-BAD:yes", b"BEGIN:VEVENT")]
    )
    async def test_an_event_that_cannot_be_read_is_named(
        self, passing: tuple[CaldavServer, Between], path: str, instead: tuple[bytes, bytes]
    ) -> None:
        """Whatever the period, and it stops nothing."""
        through, proxy = passing
        through.put(path, "bad.ics", event("bad", "20261126T080000Z", "X-BAD:yes"))
        proxy.instead = instead
        bad, *more = await of(through).events(
            datetime(2030, 1, 1, tzinfo=UTC), datetime(2030, 1, 2, tzinfo=UTC)
        )
        assert (bool(bad.unread), bad.busy, more) == (True, False, [])
        assert [each.title for each in [await of(through).create(MEETING)]] == [MEETING.title]


async def test_a_wrong_password_is_told() -> None:
    """In a line that names server and login; with the right one the same calendar works from then on."""
    words = ["wrong", "right", "right"]
    with radicale({"robin": "right"}) as server:
        replace(server, password="right").make("work")
        asked = server.account().calendar
        assert asked is not None
        calendar = CaldavCalendar(asked, ME, lambda: words.pop(0), "Europe/Berlin", CLOCK)
        with pytest.raises(AccessError, match=r"127\.0\.0\.1 does not let robin in"):
            await calendar.events(*NOVEMBER)
        assert await calendar.events(*NOVEMBER) == []


@pytest.mark.parametrize("target", ["http://dav.example.com/", "https://evil.example/", "//evil.example/"])
async def test_the_password_goes_to_nobody_else(httpserver: HTTPServer, target: str) -> None:
    """Neither in clear nor to another's domain, wherever the server sends to."""
    httpserver.expect_request("/").respond_with_response(Response(status=301, headers={"Location": target}))
    server = CaldavServer("none", httpserver.url_for("").rstrip("/"), "/", "robin")
    with pytest.raises(AccessError, match="not trusted with the password"):
        await of(server).events(*NOVEMBER)


@pytest.mark.parametrize("page", ["<html/>", "<!DOCTYPE html><multistatus xmlns='DAV:'/>", "what", ""])
async def test_what_does_not_speak_of_calendars(httpserver: HTTPServer, page: str) -> None:
    """A web page in its place is an error of one line, and no free time."""
    httpserver.expect_request(re.compile(".*")).respond_with_data(page, status=207)
    server = CaldavServer("none", httpserver.url_for("").rstrip("/"), "/", "robin")
    with pytest.raises(ProviderError, match="does not answer as calendars do"):
        await of(server).events(*NOVEMBER)


async def test_a_certificate_that_nobody_vouches_for(tmp_path: Path) -> None:
    """Stops the look before the password is given, in a line that says what mends it."""
    authority = Authority(tmp_path)
    with HTTPServer(ssl_context=authority.certified().context) as page:
        page.expect_request(re.compile(".*")).respond_with_data("<html/>", status=207)
        for ca_file, error, line in (
            ("", AccessError, "set ca_file"),
            (str(authority.file), ProviderError, "as calendars do"),
        ):
            server = CalendarServer(url=page.url_for("/"), ca_file=ca_file)
            calendar = CaldavCalendar(server, ME, lambda: "secret", "Europe/Berlin", CLOCK)
            with pytest.raises(error, match=line):
                await calendar.events(*NOVEMBER)
            assert bool(page.log) == bool(ca_file)
