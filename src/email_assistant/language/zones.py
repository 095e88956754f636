"""Time zones as people name them in mail: "UTC+9", "JST", "ET", "Europe/Lisbon", "Tokyo time".

Places are the cities and regions of the time zone database, by their names there; a name that it has not is a clock that nobody can tell.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from email_assistant.language.words import COMMON, WORDS

with COMMON.section("zones") as section:
    _WALL = section.entries("wall")
    _FIXED = {
        name: float(hours) for hours, names in section.entries("offsets").items() for name in names.split()
    }
_AREAS = frozenset({"Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"})
_REGIONS = frozenset({"US/Eastern", "US/Central", "US/Mountain", "US/Pacific"})
_ALSO_WORDS = frozenset({"center", "easter", "north", "south", "west", "reunion", "stanley", "regina"})


def _place_names() -> dict[str, str]:
    """The zone of each place, by its name in lower case."""
    zones = (
        each for each in sorted(available_timezones()) if each.partition("/")[0] in _AREAS or each in _REGIONS
    )
    named = {zone.rpartition("/")[2].replace("_", " ").lower(): zone for zone in zones}
    return {name: zone for name, zone in named.items() if name not in _ALSO_WORDS}


_PLACES = _place_names()
_PLACE = r"(?-i:[A-Z])\w+(?:[ -](?-i:[A-Z])\w+){0,2}"
"""What may be a place; whether it is one, the database says."""
_OFFSET = re.compile(r"[\s,]*\(?(?:UTC|GMT)\s?(?P<sign>[+\-−])\s?(?P<h>\d{1,2})(?::?(?P<m>\d{2}))?\b")
_IANA = re.compile(rf"[\s,]*\(?(?P<zone>(?:{'|'.join(sorted(_AREAS))})/[A-Za-z_/-]{{2,30}})\b\)?")
_NAME = re.compile(rf"[\s,]*(?:{_PLACE}\stime\s)?\(?(?P<name>[A-Z]{{2,5}})\b")
_PLACE_TIME = re.compile(
    rf"[\s,]*\(?(?P<place>{_PLACE}?)(?:\s(?:standard|daylight|summer|local))?\s(?:time\b|zeit\b)"
    rf"|[\s,]*\(?(?:heure |hora )(?:de |d')(?P<place2>{_PLACE})|[\s,]*\(?ortszeit\s(?P<place4>{_PLACE})|\s*\((?P<place3>{_PLACE})\)",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"(?:(?<=[\dm])|\s)(?:Z\b|\s?\(?(?P<place>{_PLACE})\b)(?=\s*(?:$|[,;.?!)/&]|(?:and|or|on|for|work|would|is|be)\b))",
    re.IGNORECASE,
)
"""Right behind an hour: "noon Pacific", "9am London", "14:00Z"."""
with WORDS.section("zones") as section:
    _LIVES = section.pattern(rf"\b(?:{{lives}})\s(?:\w+\s){{0,3}}?(?:in|from|à|en|a)\s(?P<place>{_PLACE})")
    _YOURS = section.pattern(r"[\s,]*\(?(?:{yours})\b")
    _MINE = section.pattern(r"[\s,]*\(?(?:{mine})\b")
    _UNKNOWN = section.pattern(r"[\s,]*\(?(?:{unknown})")
_HERE = re.compile(rf"\b(?:in|à|en)\s(?:the |our |unserem |nuestra )?(?P<place>{_PLACE})", re.IGNORECASE)
_HOUSE = re.compile(
    rf"\b(?:in|at|im|à|en)\s(?:the |our |unserem |notre |nuestra )?(?P<place>{_PLACE})\s(?:office|studio|Büro)\b",
    re.IGNORECASE,
)
_OPEN = frozenset({"IST", "CST"})
"""Names that several parts of the world use, hours apart."""


def _place(match: re.Match[str] | None) -> tzinfo | None:
    """The zone of the place that a pattern found, of which the first words may be enough: "London Bridge" is in London."""
    named = next((text for text in match.groupdict().values() if text), "") if match else ""
    words = named.lower().split()
    tried = (" ".join(words[:size]) for size in range(len(words), 0, -1))
    return next((ZoneInfo(_PLACES[each]) for each in tried if each in _PLACES), None)


def sender_zone(text: str) -> tzinfo | None:
    """The zone of the place that the writer says to be in: "I am in New York"."""
    return _place(_LIVES.search(text))


def is_somewhere_unknown(text: str) -> bool:
    """Whether the writer says to be, or to have a house, at a place that the database has not: "I am in San Francisco"."""
    return any(_place(found) is None for pattern in (_LIVES, _HOUSE) for found in pattern.finditer(text))


def clock_of(written: datetime, at: datetime) -> tzinfo | None:
    """The clock at a later time of somebody who wrote with this offset; None where places that had it then differ by that time.

    Offset zero is UTC, which programs write wherever they are; "-0000" says nothing (RFC 5322 §3.3). Reads time zone data from disk.
    """
    if not (offset := written.utcoffset()):
        return None if offset is None else UTC
    there = [
        zone for zone in map(ZoneInfo, _PLACES.values()) if written.astimezone(zone).utcoffset() == offset
    ]
    later = {at.astimezone(zone).utcoffset() for zone in there}
    return timezone(later.pop() or timedelta()) if len(later) == 1 else None


def zone_in(text: str) -> tzinfo | None:
    """The zone of the first place that a sentence says something is in: "in our London office"; no clock is named by that."""
    return next(filter(None, map(_place, _HERE.finditer(text))), None)


def zone_anywhere(text: str) -> tzinfo | None:
    """The zone of the one place by whose clock a sentence counts: "Tuesday at 9, that is New York time"; None for several."""
    found = {zone for match in _PLACE_TIME.finditer(text) if (zone := _place(match))}
    return found.pop() if len(found) == 1 else None


def is_theirs_at(text: str, position: int) -> bool:
    """Whether the writer's own clock is named right there: "my time"."""
    return _MINE.match(text, position) is not None


def is_unknown_at(text: str, position: int, own: tzinfo) -> bool:
    """Whether a clock is named right at this position that nobody can tell: "Springfield time", or "IST", which several places have."""
    name, beside = _NAME.match(text, position), _BESIDE.match(text, position)
    if name and name["name"] in _OPEN:
        return True
    # "9am UK", "3 pm Springfield?"
    if beside and beside["place"] and (beside["place"].isupper() or text[:position].lower().endswith("m")):
        return zone_at(text, position, own) is None
    pattern = _IANA if _IANA.match(text, position) else _UNKNOWN
    return pattern.match(text, position) is not None and zone_at(text, position, own) is None


def end_of_zone(text: str, position: int) -> int:
    """Where the words for a clock end that stand right at this position; the position without any."""
    for pattern in (_OFFSET, _IANA, _YOURS, _MINE):
        if found := pattern.match(text, position):
            return found.end()
    for pattern in (_PLACE_TIME, _BESIDE):
        if (found := pattern.match(text, position)) and (_place(found) or found.group().strip() == "Z"):
            return found.end()
    name = _NAME.match(text, position)
    return name.end() if name and _named(name["name"]) else position


def zone_at(text: str, position: int, own: tzinfo) -> tzinfo | None:
    """The zone named right at this position of the text, or None; "your time" is the user's `own` zone.

    May read time zone data from disk the first time a place is named.
    """
    if found := _OFFSET.match(text, position):
        return _offset(found["sign"], int(found["h"]), int(found["m"] or 0))
    if found := _IANA.match(text, position):
        return _of_name(found["zone"])
    if _YOURS.match(text, position):
        return own
    if zone := _place(_PLACE_TIME.match(text, position)):
        return zone
    if (name := _NAME.match(text, position)) and (zone := _named(name["name"])):
        return zone
    beside = _BESIDE.match(text, position)
    return UTC if beside and beside.group().strip() == "Z" else _place(beside)


def _of_name(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _named(name: str) -> tzinfo | None:
    if name in _WALL:
        return ZoneInfo(_WALL[name])
    return _hours(_FIXED[name], name) if name in _FIXED else None


def _hours(hours: float, name: str) -> tzinfo:
    return timezone(timedelta(hours=hours), name) if hours else UTC


def _offset(sign: str, hours: int, minutes: int) -> tzinfo | None:
    """A zone at a fixed offset; None beyond UTC-12 and UTC+14, where no clocks are."""
    east = timedelta(hours=hours, minutes=minutes) * (1 if sign == "+" else -1)
    return timezone(east) if timedelta(hours=-12) <= east <= timedelta(hours=14) and minutes < 60 else None
