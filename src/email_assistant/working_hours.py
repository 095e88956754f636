"""The hours in which the user has meetings, as long as nobody says otherwise."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Self

from email_assistant.errors import InputError

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_WRITTEN = re.compile(
    r"(?:(?P<days>[a-z ,-]*[a-z])\s+)?(?P<start>\d{1,2}:\d{2})\s*[-–]\s*(?P<end>\d{1,2}:\d{2})", re.I
)
_FORM = "must be days and hours, like Mon-Fri 09:00-17:00"


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """Days of the week, and the clock times between which they count, in the user's zone."""

    days: frozenset[int] = frozenset(range(5))
    """Like `date.weekday`: Monday is 0."""
    start: time = time(9)
    end: time = time(17)
    way: timedelta = timedelta(0)
    """Kept free before and after an event that has a place of its own."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "Mon-Fri 09:00-17:00", "Mon-Wed, Sat 8:30-12:00", or hours alone, then of Monday to Friday. Raises `InputError`."""
        match = _WRITTEN.fullmatch(text.strip())
        if match is None:
            raise InputError(_FORM)
        try:
            start, end = (time.fromisoformat(match[name].zfill(5)) for name in ("start", "end"))
        except ValueError:
            raise InputError(_FORM) from None
        if end <= start:
            raise InputError(f"{_FORM}: the end is not after the start")
        return cls(_days(match["days"]) if match["days"] else frozenset(range(5)), start, end)

    def __str__(self) -> str:
        """As `parse` reads it; days that follow each other as a range."""
        runs: list[list[int]] = []
        for day in sorted(self.days):
            if runs and runs[-1][-1] == day - 1:
                runs[-1].append(day)
            else:
                runs.append([day])
        days = (_DAYS[run[0]] if len(run) == 1 else f"{_DAYS[run[0]]}-{_DAYS[run[-1]]}" for run in runs)
        return f"{', '.join(days)} {self.start:%H:%M}-{self.end:%H:%M}"

    def hold(self, start: datetime, end: datetime) -> bool:
        """Whether [start, end), by a clock of the user's zone, lies in the hours of one working day."""
        on_one_day = start.date() == end.date() and start.weekday() in self.days
        return on_one_day and self.start <= start.time() and end.time() <= self.end


def _days(text: str) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = (each.strip().title()[:3] for each in part.partition("-"))
        if first not in _DAYS or (dash and last not in _DAYS):
            raise InputError(_FORM)
        begin, end = _DAYS.index(first), _DAYS.index(last or first)
        # From Saturday to Wednesday is a week around, as in Israel and Egypt.
        found.update((begin + number) % 7 for number in range((end - begin) % 7 + 1))
    return frozenset(found)


USUAL = WorkingHours()
