"""How fast the work goes: rate, cost so far and time left, on a bar or, without a terminal, in lines."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from email_assistant.cli.console import err, out

LINE_SECONDS = 10.0
"""Between two lines where there is no terminal to draw a bar on."""

SURE_SECONDS = 30.0
"""Measured for less, a rate is that of the start: a server that comes up, a model that is loaded."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Where the work stands."""

    settled: int
    total: int | None
    per_minute: float
    left: timedelta | None
    """How long the rest takes at this rate; None when that cannot be told."""
    cost_usd: Decimal | None

    def __str__(self) -> str:
        of = f" of {self.total:,}" if self.total is not None else ""
        cost = [] if self.cost_usd is None else [f"{self.cost_usd:.4f} US dollars"]
        left = [] if self.left is None else [f"{in_words(self.left)} left"]
        return ", ".join([f"{self.settled:,}{of} mails", f"{self.per_minute:,.0f} a minute", *cost, *left])


@dataclass
class Pace:
    """Measures from its first moment on; what was settled before that does not count for the rate."""

    now: Callable[[], float] = time.monotonic
    """Seconds."""
    _started: float = field(init=False)
    _base: int | None = None

    def __post_init__(self) -> None:
        self._started = self.now()

    def at(self, settled: int, total: int | None = None, cost_usd: Decimal | None = None) -> Moment:
        """The moment when so many of all are settled."""
        if self._base is None:
            self._base = 0 if total is None else settled
        minutes = (self.now() - self._started) / 60
        rate = (settled - self._base) / minutes if minutes > 0 else 0.0
        known = total is not None and rate > 0 and minutes * 60 >= SURE_SECONDS
        left = timedelta(minutes=(total - settled) / rate) if known and total is not None else None
        return Moment(settled, total, rate, left, cost_usd)


def in_words(duration: timedelta) -> str:
    """Rounded to what a person wants to know: `40 seconds`, `12 minutes`, `3 hours`, `4 days`."""
    seconds = max(0.0, duration.total_seconds())
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{round(seconds / size)} {name}s"
    number = round(seconds)
    return f"{number} second{'' if number == 1 else 's'}"


@contextmanager
def shown_pace(text: str, quiet: bool) -> Iterator[Callable[[Moment], None]]:
    """Show each moment on stderr: a bar on a terminal, else a line from time to time."""
    if quiet:
        yield lambda _: None
    elif err.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
        # What is printed meanwhile goes above the bar, but into a file where stdout is one.
        with Progress(*columns, console=err, transient=True, redirect_stdout=out.is_terminal) as progress:
            task = progress.add_task(text, total=None, told="")
            yield lambda m: progress.update(task, completed=m.settled, total=m.total, told=str(m))
    else:
        yield _lines(text)


def _lines(text: str) -> Callable[[Moment], None]:
    last = time.monotonic()

    def show(moment: Moment) -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            err.print(Text(f"{text}: {moment}"))

    return show
