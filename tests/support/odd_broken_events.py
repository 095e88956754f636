"""Events of odd calendars that nobody can read."""

from collections.abc import Callable

from tests.support.odd_times import Entry, File, entry_of

_GOOD = "DTSTART:20260506T100000Z"
_STARTS = (
    "DTSTART:tomorrow", "DTSTART:", "DTSTART", "DTSTART:20260230", "DTSTART:20261306T100000Z", "DTSTART:20260106T246000Z",
    "DTSTART:2026-01-06T10:00:00Z", "DTSTART:100000", "DTSTART;VALUE=PERIOD:20260106T100000Z/PT1H", "DTSTART;VALUE=TEXT:20260106",
    "DTSTART;VALUE=DURATION:PT1H", "DTSTART:20260106|DTSTART:20260107", "DTSTART;;VALUE=DATE:20260106", "DTSTART:00010101T000000",
)  # fmt: skip
_ENDS = (
    "DTEND:later", "DTEND:100000", "DTEND;VALUE=DURATION:PT1H", "DURATION:PT1X", "DURATION:20260101", "DURATION:P999999999W",
    "DURATION:P9999999D",
)  # fmt: skip
_ZONES = (
    "Mars/Phobos", "America", "x" * 300, "zone.tab", "../etc/passwd", "Bad zone", "Customized Time Zone", "(UTC-09:00) Amsterdam", "/",
)  # fmt: skip
_EACH_MINUTE = ",".join(map(str, range(60)))
_RULES = f"""
FREQ=NEVER garbage FREQ=DAILY;INTERVAL=0 FREQ=DAILY;INTERVAL=-1 FREQ=DAILY;UNTIL=never FREQ=SECONDLY FREQ=MINUTELY BYDAY=MO
FREQ=SECONDLY;BYHOUR=3 FREQ=WEEKLY;FOO=1 FREQ=DAILY;COUNT=-5 FREQ=DAILY;BYHOUR=25 FREQ=DAILY;BYDAY=XX FREQ=DAILY,WEEKLY
FREQ=DAILY;COUNT=99999999999 FREQ=DAILY;BYMINUTE={_EACH_MINUTE};BYSECOND=0,20,40
""".split()


def bad_start(file: File, uid: str, title: str) -> Entry:
    """No start, or none that says when."""
    lines = file.rng.choice(["", *_STARTS]).split("|")
    return entry_of(uid, title, lines + file.rng.choice([[], ["DURATION:PT1H"]]), broken=True)


def bad_zone(file: File, uid: str, title: str) -> Entry:
    """A zone that nobody knows, in one of its times."""
    name = file.rng.choice(_ZONES)
    lines = [
        [f"DTSTART;TZID={name}:20260506T100000"],
        [_GOOD, f"DTEND;TZID={name}:20260506T110000"],
        [_GOOD, "RRULE:FREQ=DAILY;COUNT=9", f"EXDATE;TZID={name}:20260507T100000"],
        [_GOOD, f"RDATE;VALUE=PERIOD;TZID={name}:20260507T100000/PT1H"],
    ]
    return entry_of(uid, title, file.rng.choice(lines), broken=True)


def bad_end(file: File, uid: str, title: str) -> Entry:
    """An end, or a length, that is none."""
    return entry_of(uid, title, [_GOOD, file.rng.choice(_ENDS)], broken=True)


def bad_rule(file: File, uid: str, title: str) -> Entry:
    """A rule that says nothing, or that goes on for ever."""
    return entry_of(uid, title, [_GOOD, f"RRULE:{file.rng.choice(_RULES)}"], broken=True)


def for_ever(file: File, uid: str, title: str) -> Entry:
    """A rule that goes on since times that nobody remembers."""
    start, rule = file.rng.choice(
        [
            ("19000106T100000Z", "HOURLY"),
            ("00020106T100000Z", "HOURLY"),
            ("00020106", "DAILY"),
            ("00020106T100000", "DAILY"),
        ]
    )
    return entry_of(uid, title, [f"DTSTART:{start}", f"RRULE:FREQ={rule}"], broken=True)


def bad_dates(file: File, uid: str, title: str) -> Entry:
    """Dates that are none."""
    lines = [
        "EXDATE:sometimes",
        "RDATE:sometimes",
        "RDATE;VALUE=TIME:083000",
        "EXDATE;VALUE=PERIOD:20260507T100000Z/PT1H",
        "RDATE;VALUE=PERIOD:garbage",
    ]
    return entry_of(uid, title, [_GOOD, "RRULE:FREQ=DAILY;COUNT=9", file.rng.choice(lines)], broken=True)


def bad_occurrence(file: File, uid: str, title: str) -> Entry:
    """A series of which one occurrence cannot be read: of none of them is it known whether it holds."""
    other = file.rng.choice(
        [
            ["RECURRENCE-ID:20260513T100000Z", "DTSTART:soon"],
            ["RECURRENCE-ID:then", _GOOD],
            ["RECURRENCE-ID:100000", _GOOD],
        ]
    )
    return entry_of(uid, title, [_GOOD, "RRULE:FREQ=WEEKLY;COUNT=4"], other, broken=True)


BROKEN: list[Callable[[File, str, str], Entry]] = [
    bad_start, bad_start, bad_zone, bad_zone, bad_end, bad_rule, bad_rule, for_ever, bad_dates, bad_occurrence,
]  # fmt: skip
