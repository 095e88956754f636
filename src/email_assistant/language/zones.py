"""Time zones as people name them in mail: "ET", "JST", "UTC+9", "Tokyo time"."""

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

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
_PLACES = {
    "eastern": "America/New_York", "central": "America/Chicago", "mountain": "America/Denver",
    "pacific": "America/Los_Angeles", "new york": "America/New_York", "boston": "America/New_York",
    "toronto": "America/Toronto", "chicago": "America/Chicago", "los angeles": "America/Los_Angeles",
    "san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "são paulo": "America/Sao_Paulo",
    "london": "Europe/London", "uk": "Europe/London", "dublin": "Europe/Dublin", "lisbon": "Europe/Lisbon",
    "paris": "Europe/Paris", "madrid": "Europe/Madrid", "berlin": "Europe/Berlin", "german": "Europe/Berlin",
    "vienna": "Europe/Vienna", "zurich": "Europe/Zurich", "rome": "Europe/Rome", "oslo": "Europe/Oslo",
    "stockholm": "Europe/Stockholm", "helsinki": "Europe/Helsinki", "athens": "Europe/Athens",
    "istanbul": "Europe/Istanbul", "dubai": "Asia/Dubai", "mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata",
    "singapore": "Asia/Singapore", "hong kong": "Asia/Hong_Kong", "shanghai": "Asia/Shanghai",
    "beijing": "Asia/Shanghai", "tokyo": "Asia/Tokyo", "kyoto": "Asia/Tokyo", "osaka": "Asia/Tokyo",
    "japan": "Asia/Tokyo", "seoul": "Asia/Seoul", "sydney": "Australia/Sydney", "melbourne": "Australia/Melbourne",
}  # fmt: skip
_PLACE = "|".join(sorted(map(re.escape, _PLACES), key=len, reverse=True))
_OFFSET = re.compile(r"\s*\(?(?:UTC|GMT)\s?(?P<sign>[+\-−])\s?(?P<h>\d{1,2})(?::?(?P<m>\d{2}))?\b")
_NAME = re.compile(r"\s*\(?(?P<name>[A-Z]{2,4})\b")
_PLACE_TIME = re.compile(
    rf"\s*\(?(?P<place>{_PLACE})(?:\s(?:standard|daylight|summer|local))?(?:\stime\b|\suhrzeit\b)"
    rf"|\s*\(?(?:heure de|hora de|heure d'|ortszeit)\s?(?P<place2>{_PLACE})\b|\s*\(?(?P<japan>日本時間)",
    re.IGNORECASE,
)
_YOURS = re.compile(
    r"\s*\(?(?:your time|ihrer zeit|deiner zeit|votre heure|(?:de )?su hora)\b", re.IGNORECASE
)


def zone_at(text: str, position: int, own: tzinfo) -> tzinfo | None:
    """The zone named right at this position of the text, or None; "your time" is the user's `own` zone.

    May read time zone data from disk the first time a place is named.
    """
    if found := _OFFSET.match(text, position):
        return _offset(found["sign"], int(found["h"]), int(found["m"] or 0))
    if _YOURS.match(text, position):
        return own
    if found := _PLACE_TIME.match(text, position):
        place = (found["place"] or found["place2"] or "japan").lower()
        return ZoneInfo(_PLACES[place])
    if found := _NAME.match(text, position):
        return _named(found["name"])
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
