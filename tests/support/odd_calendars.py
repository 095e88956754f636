"""Calendar files as the world writes them, made by chance from a seed: odd, and in part broken.

Each is made twice: as its bytes, and as the plain calendar that is meant by what can be read of it. The plain one names
zones by their IANA names, is folded by nobody and holds no broken event, so that the library can be asked about it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from random import Random

import icalendar

from tests.support.odd_broken_events import BROKEN
from tests.support.odd_events import READABLE
from tests.support.odd_times import TITLES, Entry, File

OWNER = "Europe/Berlin"
"""The zone of the calendar's owner, in which days and floating times are read."""
YEARS = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))
"""The period that is asked for."""


@dataclass
class OddCalendar:
    """One file."""

    raw: bytes
    plain: str
    """What is meant by what can be read of it."""
    entries: list[Entry]

    @property
    def broken(self) -> list[str]:
        """The titles of the events whose hours nobody knows, ordered by their first word."""
        return sorted((e.title for e in self.entries if e.meant is None), key=lambda title: title.split()[0])


def odd_calendars(count: int, seed: int = 0) -> Iterator[OddCalendar]:
    """That many files; the same for the same seed, whatever the count."""
    for number in range(count):
        yield _odd_calendar(Random(f"{seed}-{number}"), number)


def damaged_calendars(count: int, seed: int = 0) -> Iterator[bytes]:
    """Such files with a few bytes lost, and others in their place."""
    for number, odd in enumerate(odd_calendars(count, seed)):
        rng, raw = Random(f"damage {seed}-{number}"), bytearray(odd.raw)
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = rng.randrange(len(raw))
            raw[at : at + rng.choice([0, 0, 1, 3, 8])] = rng.choice(_DAMAGE)
        yield bytes(raw)


_DAMAGE = (
    b"", b":", b";", b"=", b'"', b",", b"\\", b"\0", b"\xff", b"\r", b"^n", b" ", b"TZID", b";TZID=", b";VALUE=DATE", b";VALUE=PERIOD",
    b"99999999", b"-", b"P", b"T", b"Z", b"/", b"BYDAY=", b"UNTIL=", b";COUNT=", b"0", b"1e9", b"\xe2\x80\xa8",
)  # fmt: skip


def _odd_calendar(rng: Random, number: int) -> OddCalendar:
    file = File(rng)
    recipes = [*rng.choices(READABLE, k=rng.randint(1, 6)), *rng.choices(BROKEN, k=rng.choice([0, 1, 1, 2]))]
    entries = []
    for index, recipe in enumerate(recipes):
        title = f"{number}.{index} {recipe.__name__} {rng.choice(TITLES)}"
        entries.append(recipe(file, f"{number}-{index}@example.com", title))
    events = [lines for entry in entries for lines in entry.written]
    if rng.random() < 0.3:
        rng.shuffle(events)
    head = ["VERSION:2.0", "PRODID:-//elsewhere//EN", *rng.choice(HEADS)]
    plain_head = [
        line.replace("W. Europe Standard Time", "Europe/Berlin") for line in head if "Gregorian" not in line
    ]
    blocks = [*(_vevent(lines) for lines in events), *_beside(rng)]
    zones = [_vtimezone(own, name) for own, name in file.zones.items()]
    ordered = [*zones, *blocks] if rng.random() < 0.7 else [*blocks, *zones]
    written = ["BEGIN:VCALENDAR", *head, *(line for block in ordered for line in block), "END:VCALENDAR"]
    meant = [line for entry in entries for lines in entry.meant or () for line in _vevent(lines)]
    plain = "\r\n".join(["BEGIN:VCALENDAR", *plain_head, *meant, "END:VCALENDAR", ""])
    return OddCalendar(_as_bytes(rng, written), plain, entries)


HEADS = (
    [], [], [], [], ["METHOD:PUBLISH"], ["CALSCALE:Gregorian"], ["X-WR-CALNAME:Übersicht", "X-WR-TIMEZONE:Europe/Berlin"],
    ["X-WR-TIMEZONE:W. Europe Standard Time"],
)  # fmt: skip


def _vevent(lines: list[str]) -> list[str]:
    return ["BEGIN:VEVENT", *lines, "END:VEVENT"]


def _vtimezone(own: str, name: str) -> list[str]:
    zone = icalendar.Timezone.from_tzid(name, last_date=date(2030, 1, 1))
    zone["TZID"] = icalendar.vText(own)
    return zone.to_ical().decode().replace("\r\n ", "").splitlines()


def _beside(rng: Random) -> Iterator[list[str]]:
    """What else stands in calendars."""
    if rng.random() < 0.2:
        yield ["BEGIN:VTODO", "UID:todo", f"DUE:{rng.choice(['20260301', 'some day'])}", "END:VTODO"]
    if rng.random() < 0.1:
        yield ["BEGIN:X-FOREIGN", "X-WHAT:ever", "END:X-FOREIGN"]
    if rng.random() < 0.1:
        yield [*_BAD_ZONE]
    if rng.random() < 0.1:
        yield ["a line of nonsense"]


_BAD_ZONE = (
    "BEGIN:VTIMEZONE", "TZID:Bad zone", "BEGIN:STANDARD", "DTSTART:once", "TZOFFSETFROM:+5744", "TZOFFSETTO:+5744",
    "END:STANDARD", "END:VTIMEZONE",
)  # fmt: skip


def _as_bytes(rng: Random, lines: list[str]) -> bytes:
    width = rng.choice([75, 75, 75, 20, 10_000])
    end = rng.choice([b"\r\n", b"\r\n", b"\n"])
    blank = rng.choice([b" ", b" ", b"\t"])
    written = []
    for line in lines:
        data = line.encode()
        # A fold may stand between the bytes of one character (RFC 5545 §3.1).
        pieces = [data[at : at + width] for at in range(0, len(data), width)]
        if line.startswith(("BEGIN", "END:")):
            pieces = [data + rng.choice([b"", b"", b"", b"", b" "])]
        written.append((end + blank).join(pieces))
    raw = end.join(written) + end * rng.choice([1, 1, 0, 3])
    return (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + raw
