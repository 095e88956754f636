"""Events of odd calendars that can be read."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tests.support.odd_times import (
    CLOCK_CHANGES,
    Entry,
    File,
    Part,
    entry_of,
    length_of,
    local,
    moment_of,
    rule_of,
    times_of,
)


def single(file: File, uid: str, title: str) -> Entry:
    """One event."""
    times = times_of(file)
    written, meant = times.both(("DTSTART", [times.start]), *length_of(file.rng, times))
    return entry_of(uid, title, written, meant=[meant])


def series(file: File, uid: str, title: str) -> Entry:
    """A rule, now and then with dates beside and without some."""
    rng, times = file.rng, times_of(file)
    parts: list[Part] = [
        ("DTSTART", [times.start]),
        *length_of(rng, times),
        rule_of(rng, times),
    ]
    if rng.random() < 0.3:
        parts.append(("EXDATE", [times.start + timedelta(days=7 * n) for n in rng.sample(range(1, 9), 2)]))
    if rng.random() < 0.1:
        parts.append(("EXDATE", [times.start]))
    if rng.random() < 0.3:
        parts.append(("RDATE", [times.start + timedelta(days=n) for n in rng.sample(range(1, 99), 2)]))
    written, meant = times.both(*parts)
    return entry_of(uid, title, written, meant=[meant])


def old_series(file: File, uid: str, title: str) -> Entry:
    """Something that has gone on for long."""
    rng = file.rng
    written, meant = file.zone()
    rest = f":{rng.choice([1970, 1999, 2007])}0105T090000", f"RRULE:FREQ={rng.choice(['WEEKLY', 'MONTHLY'])}"
    lines = [[f"DTSTART{zone}{rest[0]}", "DURATION:PT1H", rest[1]] for zone in (written, meant)]
    return entry_of(uid, title, lines[0], meant=[lines[1]])


def dates(file: File, uid: str, title: str) -> Entry:
    """Dates and no rule."""
    times = times_of(file)
    days = [times.start + timedelta(days=n) for n in file.rng.sample(range(-20, 300), 4)]
    written, meant = times.both(
        ("DTSTART", [times.start]), *length_of(file.rng, times), ("RDATE", days[:2]), ("RDATE", days[2:])
    )
    return entry_of(uid, title, written, meant=[meant])


def periods(file: File, uid: str, title: str) -> Entry:
    """Dates that have lengths of their own."""
    start = moment_of(file.rng)
    later = start + timedelta(days=3)
    period = f"RDATE;VALUE=PERIOD:{local(later)}Z/PT3H,{local(later + timedelta(days=1))}Z/{local(later + timedelta(days=1, hours=5))}Z"
    return entry_of(uid, title, [f"DTSTART:{local(start)}Z", "DURATION:PT1H", period])


def moved(file: File, uid: str, title: str) -> Entry:
    """A series with occurrences that were moved or cancelled."""
    rng, times = file.rng, times_of(file)
    weeks = rng.sample(range(8), 2)
    first, second = (times.start + timedelta(weeks=n) for n in weeks)
    by = (
        timedelta(days=rng.choice([-3, -1, 1, 2, 30]))
        if times.days
        else timedelta(hours=rng.choice([-30, -2, 1, 5, 400]))
    )
    count = rng.choice(["", ";COUNT=10"])
    parts = [
        times.both(
            ("DTSTART", [times.start]),
            *length_of(rng, times),
            f"RRULE:FREQ=WEEKLY{count}",
            *rng.choice([[], ["SEQUENCE:2"]]),
        ),
        times.both(
            ("RECURRENCE-ID", [first]), ("DTSTART", [first + by]), *length_of(rng, times), "SEQUENCE:3"
        ),
        times.both(
            ("RECURRENCE-ID", [second]),
            ("DTSTART", [second]),
            *length_of(rng, times),
            "STATUS:CANCELLED",
            "SEQUENCE:3",
        ),
    ]
    return entry_of(uid, title, *(written for written, _ in parts), meant=[meant for _, meant in parts])


def moved_from_then_on(file: File, uid: str, title: str) -> Entry:
    """A series of which all from one occurrence on were moved."""
    times = times_of(file, days=False)
    then = times.start + timedelta(weeks=3)
    parts = [
        times.both(("DTSTART", [times.start]), "DURATION:PT1H", "RRULE:FREQ=WEEKLY;COUNT=10"),
        times.both(
            ("RECURRENCE-ID;RANGE=THISANDFUTURE", [then]),
            ("DTSTART", [then + timedelta(hours=2)]),
            "DURATION:PT30M",
        ),
    ]
    return entry_of(uid, title, *(written for written, _ in parts), meant=[meant for _, meant in parts])


def one_of_a_series(file: File, uid: str, title: str) -> Entry:
    """An occurrence whose series is not there, as one who is invited to it alone has it."""
    times = times_of(file)
    written, meant = times.both(
        ("RECURRENCE-ID", [times.start]), ("DTSTART", [times.start]), *length_of(file.rng, times)
    )
    return entry_of(uid, title, written, meant=[meant])


def revised(file: File, uid: str, title: str) -> Entry:
    """An event of which an older revision was left in the file."""
    times = times_of(file)
    old = times.both(("DTSTART", [times.start]), *length_of(file.rng, times), "SEQUENCE:1")
    new = times.both(
        ("DTSTART", [times.start + timedelta(days=1)]), *length_of(file.rng, times), "SEQUENCE:2"
    )
    return entry_of(uid, title, old[0], new[0], meant=[old[1], new[1]])


def around_a_clock_change(file: File, uid: str, title: str) -> Entry:
    """Each day, or each night, where clocks change: at hours that come twice or not at all."""
    rng = file.rng
    written, meant = file.zone()
    start = datetime.combine(
        rng.choice(CLOCK_CHANGES) - timedelta(days=rng.choice([0, 1, 2])), moment_of(rng).time()
    )
    length = rng.choice(
        ["DURATION:PT8H", "DURATION:P1D", "DURATION:PT30M", f"DTEND{{}}:{local(start + timedelta(hours=8))}"]
    )
    rule = rng.choice(["RRULE:FREQ=DAILY;COUNT=5", "RRULE:FREQ=HOURLY;INTERVAL=6;COUNT=12", "SEQUENCE:0"])
    lines = [[f"DTSTART{zone}:{local(start)}", length.format(zone), rule] for zone in (written, meant)]
    return entry_of(uid, title, lines[0], meant=[lines[1]])


def backwards(file: File, uid: str, title: str) -> Entry:
    """It ends before it starts."""
    times = times_of(file)
    written, meant = times.both(
        ("DTSTART", [times.start]),
        ("DTEND", [times.start - timedelta(days=2)]),
        *file.rng.choice([[], ["RRULE:FREQ=WEEKLY;COUNT=3"]]),
    )
    return entry_of(uid, title, written, meant=[meant])


def of_two_kinds(file: File, uid: str, title: str) -> Entry:
    """A day and a time."""
    start = moment_of(file.rng)
    day, next_day, time = (
        f";VALUE=DATE:{start:%Y%m%d}",
        f";VALUE=DATE:{start + timedelta(days=2):%Y%m%d}",
        local(start + timedelta(days=1)),
    )
    zone = file.rng.choice(["", ";TZID=America/New_York"])
    lines = file.rng.choice(
        [
            [f"DTSTART{day}", f"DTEND{zone}:{time}"],
            [f"DTSTART{zone}:{time}", f"DTEND{next_day}"],
            [f"DTSTART{day}", "DURATION:PT5H"],
        ]
    )
    return entry_of(uid, title, [*lines, *file.rng.choice([[], ["RRULE:FREQ=WEEKLY;COUNT=4"]])])


def very_long(file: File, uid: str, title: str) -> Entry:
    """A thousand years, or one that has begun long ago."""
    start, end = file.rng.choice(
        [("20260501T100000Z", "30260501T100000Z"), ("10260501T100000Z", "20270101T000000Z")]
    )
    return entry_of(uid, title, [f"DTSTART:{start}", f"DTEND:{end}"])


def far_away(file: File, uid: str, title: str) -> Entry:
    """At another end of time."""
    start = file.rng.choice(["00020101T000000Z", "99981231T000000Z", "19691231T235959Z", "20380119T031408Z"])
    return entry_of(
        uid,
        title,
        [f"DTSTART:{start}", "DURATION:PT1H", *file.rng.choice([[], ["RRULE:FREQ=YEARLY;COUNT=20"]])],
    )


def without_uid(file: File, uid: str, title: str) -> Entry:
    """Nobody gave it a UID."""
    entry = file.rng.choice([single, series])(file, uid, title)
    assert entry.meant is not None
    return Entry("", title, [lines[1:] for lines in entry.written], entry.meant)


_NONSENSE = (
    "GEO:north", "a line of nonsense", "DTSTAMP:just now", "SEQUENCE:many", "SEQUENCE:1|SEQUENCE:2", "CREATED:then", "ATTENDEE:",
    "ORGANIZER;CN=x:", "PRIORITY:high", 'X-ODD;P="a;b:c":d', "ATTACH;ENCODING=BASE64;VALUE=BINARY:%%%", "URL:", "CLASS",
    "CATEGORIES:a,\\,b",
)  # fmt: skip


def with_nonsense_beside(file: File, uid: str, title: str) -> Entry:
    """What does not concern its time is broken."""
    times = times_of(file)
    alarm = [
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        file.rng.choice(["TRIGGER:-PT15M", "TRIGGER:early", "nonsense"]),
        "END:VALARM",
    ]
    written, meant = times.both(
        ("DTSTART", [times.start]),
        *length_of(file.rng, times),
        *file.rng.choice([[], [rule_of(file.rng, times)]]),
    )
    chosen = [line for each in file.rng.sample(_NONSENSE, 3) for line in each.split("|")]
    return entry_of(uid, title, [*written, *chosen, *alarm], meant=[meant])


READABLE: list[Callable[[File, str, str], Entry]] = [
    *[single] * 3, *[series] * 5, old_series, dates, periods, moved, moved, moved_from_then_on, one_of_a_series, revised,
    *[around_a_clock_change] * 2, backwards, of_two_kinds, very_long, far_away, without_uid, with_nonsense_beside,
]  # fmt: skip
"""What is chosen from, by how often."""
