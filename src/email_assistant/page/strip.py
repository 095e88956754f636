"""A day as a strip: where its hours are, what is busy, asked for, proposed, and waiting in other cards. In per cent of its width."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from email_assistant.calendars.day_text import instant_of
from email_assistant.page.words import clock_time, long_day

FROM, TO = 8, 18
"""Hours that are always shown."""
WORKING = (9, 17)
TOP, HEIGHT, BELOW, LOW = 26, 58, 90, 32
"""Pixels: where bars stand, and the lower row of what is asked for."""


@dataclass(frozen=True, slots=True)
class DayBar:
    """Something in the day."""

    look: str
    """busy, new, asked or wait."""
    x: float
    width: float
    top: int
    height: int
    title: str
    time: str
    told: str
    """For those who do not see it."""


@dataclass(frozen=True, slots=True)
class Strip:
    """The day."""

    heading: str
    aside: str
    hours: tuple[tuple[int, float], ...]
    off: tuple[tuple[float, float], ...]
    """Hours outside of work."""
    bars: tuple[DayBar, ...]
    first: int
    last: int


def strip(
    day: date,
    timezone: str,
    looked_up: datetime,
    bars: Iterable[tuple[str, Mapping[str, str]]],
) -> Strip:
    """The strip of `day`; each bar is its look and {"start", "end", "title"}, ISO 8601."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(timezone))
    placed, whole = list[tuple[str, str, float, float]](), list[str]()
    for look, told in bars:
        start, end = instant_of(told["start"], timezone), instant_of(told["end"], timezone)
        if start is None or end is None:
            continue
        if end - start >= timedelta(hours=23):
            whole.append(told["title"])
            continue
        begins, ends = (max(0.0, min(24.0, _hours(each, midnight))) for each in (start, end))
        if ends > begins:
            placed.append((look, told["title"], begins, ends))
    first = min([FROM, *(int(begins) for _, _, begins, _ in placed)])
    last = max([TO, *(-int(-ends // 1) for _, _, _, ends in placed)])

    def place(hour: float) -> float:
        return round((hour - first) * 100 / (last - first), 3)

    zone = timezone.rpartition("/")[2].replace("_", " ")
    aside = [f"looked up now, {clock_time(looked_up)}", f"{zone} time"]
    return Strip(
        heading=long_day(day),
        aside=" · ".join([*aside, *([f"all day: {', '.join(whole)}"] if whole else [])]),
        hours=tuple((hour, place(hour)) for hour in range(first, last)),
        off=((0.0, place(WORKING[0])), (place(WORKING[1]), 100 - place(WORKING[1]))),
        bars=tuple(_bar(look, title, b, e, place(b), place(e) - place(b)) for look, title, b, e in placed),
        first=first,
        last=last,
    )


def _bar(look: str, title: str, begins: float, ends: float, x: float, width: float) -> DayBar:
    times = f"{_clock(begins)}–{_clock(ends)}"
    asked = look == "asked"
    names = {"busy": "busy", "new": "proposed", "asked": "asked for", "wait": "waits in another card"}
    return DayBar(
        look, x, round(width, 3), BELOW if asked else TOP, LOW if asked else HEIGHT, title, times,
        f"{times} {names[look]}: {title}",
    )  # fmt: skip


def _hours(moment: datetime, midnight: datetime) -> float:
    wall = moment.replace(tzinfo=None) - midnight.replace(tzinfo=None)
    return wall.total_seconds() / 3600


def _clock(hour: float) -> str:
    return f"{int(hour):02}:{round(hour % 1 * 60):02}"
