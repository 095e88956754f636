"""What odd calendars are made of: events of which it is known what they mean, in times and zones by any name."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Sydney",
    "Asia/Tokyo",
    "Europe/London",
)
WINDOWS = {
    "Europe/Berlin": (
        "W. Europe Standard Time",
        "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna",
    ),
    "America/New_York": ("Eastern Standard Time", "(UTC-05:00) Eastern Time (US & Canada)"),
    "Asia/Kolkata": ("India Standard Time", "(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi"),
    "Australia/Sydney": ("AUS Eastern Standard Time", "(UTC+10:00) Canberra, Melbourne, Sydney"),
    "Asia/Tokyo": ("Tokyo Standard Time", "(UTC+09:00) Osaka, Sapporo, Tokyo"),
    "Europe/London": ("GMT Standard Time", "(UTC+00:00) Dublin, Edinburgh, Lisbon, London"),
}
CLOCK_CHANGES = (
    date(2026, 3, 29),
    date(2026, 10, 25),
    date(2027, 3, 14),
    date(2027, 11, 7),
    date(2026, 4, 5),
)
TITLES = (
    "Stand-up",
    "Grüße aus Köln",
    "🎉 Feier 🎂",
    "打ち合わせ",
    "a, b; c \\\\ d",
    "Привет",
    "x" * 200,
    "e\u0301te\u0301",
)


Part = tuple[str, list[datetime]] | str
"""A property with times, or a line."""


@dataclass
class Entry:
    """What one UID is about: the lines of its VEVENTs as they are written and as they are meant."""

    uid: str
    title: str
    written: list[list[str]]
    meant: list[list[str]] | None
    """None when it is broken: nobody knows its hours."""


def entry_of(
    uid: str, title: str, *events: list[str], meant: list[list[str]] | None = None, broken: bool = False
) -> Entry:
    """An entry that means what it says, unless something else is meant or it is broken."""
    named = [[f"UID:{uid}", f"SUMMARY:{title}", *lines] for lines in events]
    plain = named if meant is None else [[f"UID:{uid}", f"SUMMARY:{title}", *lines] for lines in meant]
    return Entry(uid, title, named, None if broken else plain)


@dataclass
class File:
    """A file in the making."""

    rng: Random
    zones: dict[str, str] = field(default_factory=dict)
    """Zones that the file defines under names of its own, and what they are."""

    def zone(self) -> tuple[str, str]:
        """A zone by some name: the parameter as it is written, and as it is meant."""
        name = self.rng.choice(ZONES)
        windows, shown = WINDOWS[name]
        own = f"Office of {name.rpartition('/')[2]}"
        written = self.rng.choice(
            [name, name, name, windows, f'"{shown}"', shown, f"/example.org/2005/{name}", own]
        )
        if written == own:
            self.zones[own] = name
        return f";TZID={written}", f";TZID={name}"


def day_of(rng: Random) -> date:
    if rng.random() < 0.25:
        return rng.choice(CLOCK_CHANGES) + timedelta(days=rng.choice([-1, 0, 0, 1]))
    return date(2025, 12, 25) + timedelta(days=rng.randrange(740))


def moment_of(rng: Random) -> datetime:
    hour = rng.choice([0, 1, 2, 2, 3, 9, 10, 14, 22, 23])
    day = day_of(rng)
    return datetime(
        day.year, day.month, day.day, hour, rng.choice([0, 0, 15, 30, 59]), rng.choice([0, 0, 0, 1])
    )


def local(moment: datetime) -> str:
    return f"{moment:%Y%m%dT%H%M%S}"


@dataclass(frozen=True)
class Times:
    """How times of one event are written: after each name a parameter, and behind each value a suffix."""

    start: datetime
    written: str
    meant: str
    suffix: str = ""
    days: bool = False

    def line(self, name: str, *moments: datetime) -> tuple[str, str]:
        """A property with these times, as it is written and as it is meant."""
        values = ",".join(f"{m:%Y%m%d}" if self.days else local(m) + self.suffix for m in moments)
        return f"{name}{self.written}:{values}", f"{name}{self.meant}:{values}"

    def both(self, *parts: Part) -> tuple[list[str], list[str]]:
        """Lines as they are written and as they are meant."""
        pairs = [(part, part) if isinstance(part, str) else self.line(part[0], *part[1]) for part in parts]
        return [written for written, _ in pairs], [meant for _, meant in pairs]


def times_of(file: File, *, days: bool | None = None) -> Times:
    rng = file.rng
    kind = (
        "day"
        if days
        else rng.choice(
            ["zone", "zone", "zone", "utc", "floating", "day"] if days is None else ["zone", "zone", "utc"]
        )
    )
    start = moment_of(rng)
    if kind == "zone":
        return Times(start, *file.zone())
    if kind == "day":
        return Times(start.replace(hour=0, minute=0, second=0), ";VALUE=DATE", ";VALUE=DATE", days=True)
    return Times(start, "", "", suffix="Z" if kind == "utc" else "")


def length_of(rng: Random, times: Times) -> list[Part]:
    if times.days:
        days = rng.choice([1, 1, 2, 5, 30])
        return rng.choice(
            [[], [("DTEND", [times.start + timedelta(days=days)])], [f"DURATION:P{days}D"], ["DURATION:P1W"]]
        )
    minutes = rng.choice([0, 15, 60, 90, 480, 1440, 3000])
    return rng.choice(
        [
            [],
            [("DTEND", [times.start + timedelta(minutes=minutes)])],
            [f"DURATION:PT{minutes}M"],
            ["DURATION:P1D"],
            ["DURATION:P1DT2H"],
        ]
    )


def rule_of(rng: Random, times: Times) -> str:
    """A rule that is followed; few occurrences where it is dense."""
    frequency = rng.choice(
        ["HOURLY", "DAILY", "DAILY", "WEEKLY", "WEEKLY", "WEEKLY", "MONTHLY", "MONTHLY", "YEARLY", "YEARLY"]
    )
    if times.days and frequency == "HOURLY":
        frequency = "DAILY"
    parts = [f"FREQ={frequency}"]
    if rng.random() < 0.5:
        parts.append(f"INTERVAL={rng.choice([1, 2, 3, 5])}")
    parts += [part for part in rng.choice(_NARROWED[frequency].split()).split(";") if part != "-"]
    parts += _until(rng, times, dense=frequency in {"HOURLY", "DAILY"})
    if rng.random() < 0.2:
        parts.append(f"WKST={rng.choice(['SU', 'MO', 'WE'])}")
    if rng.random() < 0.3:
        parts[1:] = rng.sample(parts[1:], len(parts) - 1)
    rule = ";".join(parts)
    return f"RRULE:{rule.lower() if rng.random() < 0.05 and 'UNTIL' not in rule else rule}"


_NARROWED = {
    "HOURLY": "- - BYHOUR=9,10,11 BYMINUTE=0,30 BYDAY=MO,WE",
    "DAILY": "- - BYDAY=MO,TU,WE,TH,FR BYMONTH=3,10 BYHOUR=8,20 BYMONTHDAY=1,15,-1 BYHOUR=9;BYMINUTE=0,20,40;BYSETPOS=-1",
    "WEEKLY": "- - BYDAY=MO BYDAY=TU,TH BYDAY=SU,SA BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 BYMONTH=10,11;BYDAY=FR",
    "MONTHLY": "- - BYMONTHDAY=31 BYMONTHDAY=-1 BYMONTHDAY=1,15 BYDAY=2TU BYDAY=-1FR BYDAY=1MO,3MO BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 "
    "BYDAY=SA,SU;BYSETPOS=1,-1 BYDAY=FR;BYMONTHDAY=13 BYMONTH=2;BYMONTHDAY=29",
    "YEARLY": "- - BYMONTH=3;BYDAY=-1SU BYMONTH=11;BYDAY=4TH BYYEARDAY=1,100,-1 BYWEEKNO=20;BYDAY=MO BYMONTH=2;BYMONTHDAY=29 "
    "BYDAY=20MO BYMONTH=10;BYDAY=SU;BYSETPOS=-1 BYMONTH=6,7,8;BYDAY=SA",
}
"""What rules of a frequency are narrowed down by; "-" is nothing."""


def _until(rng: Random, times: Times, *, dense: bool) -> list[str]:
    kind = rng.choice(["count", "until"] if dense else ["count", "until", "never", "never"])
    if kind == "count":
        return [f"COUNT={rng.choice([1, 2, 5, 10, 20])}"]
    if kind == "never":
        return []
    last = times.start + timedelta(days=rng.choice([3, 10, 20]) if dense else rng.choice([10, 100, 400]))
    if times.days:
        return [f"UNTIL={last:%Y%m%d}"]
    return [f"UNTIL={local(last)}Z" if times.suffix or times.written else f"UNTIL={local(last)}"]
