"""How far the work is, on a bar; each card when it shows up, and what fails for long."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime

import httpx
from langgraph_sdk.client import LangGraphClient
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from email_assistant.app.accounts import AccountDeps
from email_assistant.cli.console import err, out, say
from email_assistant.journal.attention import failing_since, with_mend
from email_assistant.journal.records import MailStatus
from email_assistant.review.waiting import run_cards

EVERY_SECONDS = 1.0
PATIENCE_SECONDS = 2.0
"""After so long the cause of a failure is told while the work goes on; a short look tells all at its end."""
MAX_CAUSES = 3
"""Told while the work goes on."""
IN_WORK = (MailStatus.claimed, MailStatus.processing)


Show = Callable[..., object]
"""Shows that so many mails are settled, and of how many where that is known."""


@contextmanager
def shown_progress(text: str, quiet: bool) -> Iterator[Show]:
    """Show on stderr how far the work is, on a terminal: a bar with the time left."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    is_off = quiet or not err.is_terminal
    # What is printed meanwhile goes above the bar, but into a file where stdout is one.
    with Progress(
        *columns, console=err, transient=True, redirect_stdout=out.is_terminal, disable=is_off
    ) as progress:
        task = progress.add_task(text, total=None)
        yield lambda settled, total=None: progress.update(task, completed=settled, total=total)


@dataclass
class Live:
    """What has been told so far."""

    deps: AccountDeps
    client: LangGraphClient
    began: datetime
    show: Show
    quiet: bool = False
    """Whether nothing is printed, because JSON is."""
    with_cards: bool = False
    """Whether each card is printed when it shows up."""
    cards: set[str] = field(default_factory=set)
    """The run threads of those that were printed."""
    _found: int = 0
    _settled: int = 0
    _causes: set[str] = field(default_factory=set)
    _started: float = field(default_factory=time.monotonic)

    def found(self, number: int) -> None:
        """So many more messages are to be settled."""
        self._found += number
        self.show(self._settled, self._found)

    def settled(self, ids: Sequence[str]) -> None:
        """These messages are."""
        self._settled += len(ids)
        self.show(self._settled, self._found)

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
            await self._print_causes()
        if self.with_cards:
            await self._print_cards()

    async def until_at_rest(self, seconds: float) -> None:
        """Go on telling until no run works on mail any more, at most so long."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            counts = await self.deps.mail_log.count_by_status()
            await self.tell()
            if not any(counts.get(status) for status in IN_WORK):
                return
            await asyncio.sleep(EVERY_SECONDS)

    async def _print_causes(self) -> None:
        failing = await failing_since(self.deps.database, self.began)
        for cause in failing.causes:
            if cause.reason not in self._causes and len(self._causes) < MAX_CAUSES:
                say(f"Failing: {with_mend(cause.reason)}", "bold red")
            self._causes.add(cause.reason)

    async def _print_cards(self) -> None:
        for card in await run_cards(self.client):
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
        # What the work itself needs of the server, it says itself.
        with contextlib.suppress(httpx.HTTPError):
            await live.tell()
