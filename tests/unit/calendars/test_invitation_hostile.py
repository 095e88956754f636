"""Calendar parts that mean harm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.calendars.proposal import MAX_ATTENDEES, MAX_DESCRIPTION, MAX_TITLE
from email_assistant.mail.mime import MAX_CALENDAR
from tests.unit.calendars.test_invitation import TIMES, calendar, read


def observance(rule: str, *, start: str = "19700101T000000") -> str:
    """Part of a time zone that follows this rule."""
    offsets = "TZOFFSETFROM:+0500\nTZOFFSETTO:+0300"
    return f"BEGIN:STANDARD\nDTSTART:{start}\n{offsets}\nRRULE:{rule}\nEND:STANDARD"


def zone_of(*observances: str) -> tuple[str, ...]:
    """A time zone called "Mine"."""
    return ("BEGIN:VTIMEZONE", "TZID:Mine", *observances, "END:VTIMEZONE")


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYYEARDAY=" + ",".join(str(n % 366 + 1) for n in range(5_000)),
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;UNTIL=never",
        "FREQ=FORTNIGHTLY",
    ],
)
def test_rules_beyond_reading_leave_the_first_time(rule: str) -> None:
    """The event is read with its first time; that it repeats is told, the rule is not followed."""
    found = read(calendar(*TIMES, f"RRULE:{rule}"))
    assert found.notes[0] == "How it repeats could not be read; only the first time is shown."
    assert found.event is not None
    assert found.event.start.isoformat() == "2026-12-01T14:00:00+01:00"


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=WEEKLY;INTERVAL=9999",
        "FREQ=DAILY",
    ],
)
@pytest.mark.parametrize("start", ["19000102T100000Z", "20200102T100000Z", "20260102T100000Z"])
def test_rules_that_are_followed_end(rule: str, start: str) -> None:
    """Rules that never come true, and very old ones, take bounded time."""
    assert read(calendar(f"DTSTART:{start}", "DURATION:PT1H", f"RRULE:{rule}")).notes


def test_many_series_are_not_all_followed() -> None:
    """A part full of expensive series takes no longer than a few of them."""
    one = "BEGIN:VEVENT\nUID:{}\nDTSTART:19000102T100000Z\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\nEND:VEVENT\n"
    text = "BEGIN:VCALENDAR\n" + "".join(one.format(n) for n in range(2_000)) + "END:VCALENDAR\n"
    assert "holds more events than are read" in read(text).notes[0]


@pytest.mark.parametrize(
    "zone",
    [
        zone_of(observance("FREQ=SECONDLY")),
        zone_of(observance("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")),
        zone_of(*[observance("FREQ=YEARLY;BYMONTH=3;BYDAY=1SU", start="00010101T000000")] * 1_000),
    ],
)
def test_zones_that_bomb_are_unknown_zones(zone: tuple[str, ...]) -> None:
    """A zone that cannot be worked out in good time leaves its times untold."""
    found = read(calendar("DTSTART;TZID=Mine:20261201T140000", before=zone))
    assert found.event is None
    assert found.notes[-1].startswith("The calendar part could not be read: ")


def test_ten_thousand_guests_become_two_hundred() -> None:
    """The number is told, the first are kept."""
    guests = [f"ATTENDEE:mailto:a{n}@x.example" for n in range(10_000)]
    found = read(calendar(*TIMES, *guests))
    assert found.notes == (f"It names 10000 guests; the first {MAX_ATTENDEES} are kept.",)
    assert found.event is not None
    assert len(found.event.attendees) == MAX_ATTENDEES


def test_nesting_is_no_recursion() -> None:
    """Ten thousand components inside one another are walked, and what is deep inside is not believed."""
    for name in ("VEVENT", "VCALENDAR", "X-ANY"):
        inner = "\n".join([f"BEGIN:{name}"] * 10_000 + [f"END:{name}"] * 10_000)
        assert read(f"BEGIN:VCALENDAR\n{inner}\nEND:VCALENDAR\n").event is None


def test_texts_of_any_length_are_cut() -> None:
    """Title, description and names of parameters may be as long as the part."""
    huge = MAX_CALENDAR - 1_000
    event = read(calendar(*TIMES, "SUMMARY:" + "x" * huge)).event
    assert event is not None
    assert len(event.title) <= MAX_TITLE
    for text in ("y" * huge, "<div>" * (huge // 5), "\\n" * (huge // 2), "\n ".join("z" * (huge // 3))):
        event = read(calendar(*TIMES, f"DESCRIPTION:{text}")).event
        assert event is not None
        assert len(event.description) <= MAX_DESCRIPTION
    assert read(calendar(*TIMES, "ATTENDEE;CN=" + 'x";' * (huge // 3) + ":mailto:a@example.com")).event
    assert read(calendar(*TIMES, "ATTENDEE" + ";X=1" * (huge // 4) + ":mailto:a@example.com")).event


@pytest.mark.parametrize(
    "start",
    ["00010101T000000Z", "99991231T235959Z", ";VALUE=DATE:99991231", "20261301T000000Z", "soon"],
)
def test_times_out_of_range_are_no_times(start: str) -> None:
    """The first and last days of the calendar, and what is no time, are told instead of raised."""
    found = read(calendar(f"DTSTART{start}" if start[:1] == ";" else f"DTSTART:{start}", "DURATION:P1D"))
    assert found.event is None
    assert found.notes[0].startswith("The calendar part could not be read: ")


def test_a_second_calendar_cannot_lend_its_method() -> None:
    """Only the first calendar of a part is read: a cancellation behind a request is not mixed with it."""
    found = read(calendar(*TIMES, method="CANCEL") + calendar(*TIMES, uid="u2"))
    assert (found.method, found.uid) == ("cancel", "u1")
    assert "a second calendar" in found.notes[0]


def test_a_calendar_that_was_cut_off_is_not_read() -> None:
    """Half of an invitation may be half of the truth."""
    whole = calendar(*TIMES)
    for end in range(20, len(whole) - len("VCALENDAR\n") - 1, 7):
        assert read(whole[:end]).event is None


def test_line_ends_of_other_standards_make_no_lines() -> None:
    """A value cannot smuggle in a property behind a separator that is none in this format."""
    found = read(calendar(*TIMES, "DESCRIPTION:a\u2028ATTENDEE:mailto:x@evil.example\x0bSUMMARY:no"))
    assert found.event is not None
    assert (found.event.attendees, found.event.title) == ((), "Ring fitting")


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["BEGIN:VEVENT", "END:VEVENT", "BEGIN:VTIMEZONE", "END:VTIMEZONE", "BEGIN:STANDARD", "END:STANDARD",
             "BEGIN:VCALENDAR", "END:VCALENDAR", "UID:u1", "DTSTART:20261201T130000Z", "DTSTART;TZID=Mine:20261201T130000",
             "DTEND;VALUE=DATE:20261202", "DURATION:PT1H", "DURATION:-P1D", "DURATION:P99999999D", "RRULE:FREQ=DAILY",
             "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3", "RDATE;VALUE=PERIOD:20261201T130000Z/PT1H", "EXDATE:20261201T130000Z",
             "RDATE;VALUE=DATE:20261205", "RECURRENCE-ID:20261201T130000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261202T130000Z",
             "SEQUENCE:x", "SEQUENCE:99999999999999999999", "STATUS:CANCELLED", "TZID:Mine", "TZOFFSETFROM:+0100",
             "TZOFFSETTO:+9999", "DTSTART:19700101T000000", "METHOD:REQUEST", "ATTENDEE:mailto:a@example.com",
             "SUMMARY;LANGUAGE=:x", " folded", "DTSTART;TZID=../../etc/passwd:20261201T130000", "ORGANIZER:MAILTO:",
             "CONFERENCE:https://[::1", "X-ANY;;;:", "EXRULE:FREQ=SECONDLY"]
        ),
        st.text(max_size=30),
    ),
    max_size=25,
)  # fmt: skip


@given(LINES, st.booleans())
def test_no_calendar_raises(lines: list[str], is_whole: bool) -> None:
    """Whatever stands in a part, there is an invitation, and its proposal makes sense."""
    found = read(calendar(*lines) if is_whole else "\n".join(lines))
    assert all(note.endswith(".") and "\n" not in note and len(note) < 400 for note in found.notes)
    if found.event:
        assert found.event.start < found.event.end
        assert found.event.start.utcoffset() is not None
