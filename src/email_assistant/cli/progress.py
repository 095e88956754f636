"""How far and how fast the work is: rate, cost and time left on a bar or in lines; each card when it shows up, and what fails for long."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

import httpx
from langgraph_sdk.client import LangGraphClient
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from email_assistant.app import Container
from email_assistant.cli.console import count, err, out, say
from email_assistant.journal.failing import failing_since, with_mend
from email_assistant.journal.records import MailStatus
from email_assistant.review.waiting import waiting_cards

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
    return count(round(seconds), "second")


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


EVERY_SECONDS = 1.0
PATIENCE_SECONDS = 2.0
"""After so long the cause of a failure is told while the work goes on; a short look tells all at its end."""
MAX_CAUSES = 3
"""Told while the work goes on."""
IN_WORK = (MailStatus.claimed, MailStatus.processing)


@dataclass
class Live:
    """What has been told so far."""

    built: Container
    client: LangGraphClient
    began: datetime
    show: Callable[[Moment], None]
    quiet: bool = False
    """Whether nothing is printed, because JSON is."""
    with_cards: bool = False
    """Whether each card is printed when it shows up."""
    cards: set[str] = field(default_factory=set)
    """The run threads of those that were printed."""
    _pace: Pace = field(default_factory=Pace)
    _found: int = 0
    _settled: int = 0
    _causes: set[str] = field(default_factory=set)
    _started: float = field(default_factory=time.monotonic)

    def found(self, number: int) -> None:
        """So many more messages are to be settled."""
        self._found += number
        self._show()

    def settled(self, ids: Sequence[str]) -> None:
        """These messages are."""
        self._settled += len(ids)
        self._show()

    @property
    def left(self) -> str:
        """What a look that is broken off leaves, in a sentence."""
        return (
            f"{self._settled} of the {self._found} messages found so far are settled; the server finishes what has begun, if need be "
            "after its next start, and the next `ingest` takes up the rest"
        )

    async def tell(self) -> None:
        """Print what is new."""
        if self.quiet:
            return
        if time.monotonic() - self._started > PATIENCE_SECONDS:
            await self._tell_causes()
        if self.with_cards:
            await self._tell_cards()

    async def until_at_rest(self, seconds: float) -> None:
        """Go on telling until no run works on mail any more, at most so long."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            counts = await self.built.mail_log.count_by_status()
            await self.tell()
            if not any(counts.get(status) for status in IN_WORK):
                return
            await asyncio.sleep(EVERY_SECONDS)

    def _show(self) -> None:
        self.show(self._pace.at(self._settled, self._found))

    async def _tell_causes(self) -> None:
        failing = await failing_since(self.built.database, self.began)
        for cause in failing.causes:
            if cause.reason not in self._causes and len(self._causes) < MAX_CAUSES:
                say(f"Failing: {with_mend(cause.reason)}", "bold red")
            self._causes.add(cause.reason)

    async def _tell_cards(self) -> None:
        for card in await waiting_cards(self.client):
            if card.thread_id not in self.cards:
                if not self.cards:
                    say("\nFor your review:")
                say(f"  • {card.title}")
            self.cards.add(card.thread_id)


@asynccontextmanager
async def live_reports(live: Live) -> AsyncIterator[None]:
    """Tell what is new every second while the block lasts."""
    task = asyncio.create_task(_again_and_again(live))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _again_and_again(live: Live) -> None:
    while True:
        await asyncio.sleep(EVERY_SECONDS)
        with contextlib.suppress(
            httpx.HTTPError
        ):  # What the work itself needs of the server, it says itself.
            await live.tell()
