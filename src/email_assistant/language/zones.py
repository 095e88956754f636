"""Time zones as people name them in mail: "ET", "JST", "UTC+9", "Tokyo time"."""

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from email_assistant.language.words import PLACES, WORDS

# Offsets in hours. A standard name such as EST means its offset, whatever the season; a short one such as ET
# means the clock on the wall there. Of ambiguous names the commonest use in business mail counts (IST: India).
_FIXED: dict[str, float] = {
    "UTC": 0, "GMT": 0, "WET": 0, "BST": 1, "WEST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2, "EEST": 3,
    "MSK": 3, "IST": 5.5, "SGT": 8, "HKT": 8, "AWST": 8, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12,
    "NZDT": 13, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip
_WALL = {
    "ET": "America/New_York",
    "CT": "America/Chicago",
    "MT": "America/Denver",
    "PT": "America/Los_Angeles",
}
with PLACES.section("zones") as section:
    _PLACES_OF = section.table("places")
_PLACES = {place: zone for zone, places in _PLACES_OF.items() for place in places.split("|")}
_PLACE = "|".join(sorted(map(re.escape, _PLACES), key=len, reverse=True))
_OFFSET = re.compile(r"[\s,]*\(?(?:UTC|GMT)\s?(?P<sign>[+\-−])\s?(?P<h>\d{1,2})(?::?(?P<m>\d{2}))?\b")
_IANA = re.compile(
    r"[\s,]*\(?(?P<zone>(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Za-z_/-]{2,30})\b\)?"
)
_NAME = re.compile(r"[\s,]*\(?(?P<name>[A-Z]{2,5})\b")
_PLACE_TIME = re.compile(
    rf"[\s,]*\(?(?:in\s)?(?P<place>{_PLACE})(?:er|ner|r|e[rs]?|se|ense)?(?:\s(?:standard|daylight|summer|local))?"
    rf"(?:\stime\b|\suhrzeit\b|\s?zeit\b|\stijd\b)"
    rf"|[\s,]*\(?(?:heure |hora |horário |ora )(?:de |di |d'|del? )?(?P<place2>{_PLACE})\b|[\s,]*\(?tijd in (?P<place4>{_PLACE})\b"
    rf"|[\s,]*\(?ortszeit\s(?P<place5>{_PLACE})\b|\s*\(?(?P<japan>日本時間)|\s*\((?P<place3>{_PLACE})\)",
    re.IGNORECASE,
)
with WORDS.section("zones") as section:
    _YOURS = section.pattern(r"[\s,]*\(?(?:{yours})\b")
    _MINE = section.pattern(r"[\s,]*\(?(?:{mine})\b")
    _UNKNOWN = section.pattern(r"[\s,]*\(?(?:{unknown})")
_LIVES = re.compile(
    rf"\b(?:I(?:'m| am)|we(?:'re| are)|ich bin|wir sind|ich sitze|ich wohne|je suis|nous sommes|(?:yo )?estoy|vivo|estamos"
    rf"|(?:io )?sono|siamo"
    rf"|ik ben|ik zit|wij zijn|we zitten|(?:eu )?estou|moro)\s(?:\w+\s){{0,3}}?(?:in|from|à|en|a|em|te)\s(?P<place>{_PLACE})\b",
    re.IGNORECASE,
)
_HERE = re.compile(
    rf"\b(?:in|à|en|em|te)\s(?:the |our |unserem |nuestra )?(?P<place>{_PLACE})\b", re.IGNORECASE
)
_OPEN = frozenset({"IST", "CST"})
"""Names that several parts of the world use, hours apart."""


def sender_zone(text: str) -> tzinfo | None:
    """The zone of the place that the writer says to be in: "I am in New York"."""
    found = _LIVES.search(text)
    return ZoneInfo(_PLACES[found["place"].lower()]) if found else None


def zone_in(text: str) -> tzinfo | None:
    """The zone of the first place that a sentence says something is in: "in our London office"; no clock is named by that."""
    found = _HERE.search(text)
    return ZoneInfo(_PLACES[found["place"].lower()]) if found else None


def zone_anywhere(text: str) -> tzinfo | None:
    """The zone of the one place by whose clock a sentence counts: "Tuesday at 9, that is New York time"; None for several."""
    found = {zone_at(text, match.start(), UTC) for match in _PLACE_TIME.finditer(text)}
    return found.pop() if len(found) == 1 else None


def is_theirs_at(text: str, position: int) -> bool:
    """Whether the writer's own clock is named right there: "my time"."""
    return _MINE.match(text, position) is not None


def is_unknown_at(text: str, position: int, own: tzinfo) -> bool:
    """Whether a clock is named right at this position that nobody can tell: "Springfield time", or "IST", which several places have."""
    name = _NAME.match(text, position)
    if name and name["name"] in _OPEN:
        return True
    pattern = _IANA if _IANA.match(text, position) else _UNKNOWN
    return pattern.match(text, position) is not None and zone_at(text, position, own) is None


def end_of_zone(text: str, position: int) -> int:
    """Where the words for a clock end that stand right at this position; the position without any."""
    for pattern in (_OFFSET, _IANA, _YOURS, _MINE, _PLACE_TIME):
        if found := pattern.match(text, position):
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
    if found := _PLACE_TIME.match(text, position):
        named = ("place", "place2", "place3", "place4", "place5")
        place = next((found[each] for each in named if found[each]), "japan").lower()
        return ZoneInfo(_PLACES[place])
    if found := _NAME.match(text, position):
        return _named(found["name"])
    return None


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
