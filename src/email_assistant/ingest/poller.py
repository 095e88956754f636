"""The server's own looks for mail, one at a time among the processes of a data folder."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from email_assistant.ingest.ingestion import Ingestion, reason_of
from email_assistant.ingest.look import Look, looking

START_SECONDS = 2.0
"""From the server's start to its first look."""
MOST_MISSED = 5
"""The pause after a look that fails doubles, up to so many of the usual ones."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Poller:
    """Looks for mail again and again."""

    ingestion: Callable[[], Awaitable[Ingestion]]
    folder: Path
    """The data folder."""
    seconds: float
    """From one look to the next; 0: never."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def run(self) -> None:
        """Look until cancelled. A mailbox that fails is told of once, and asked again after growing pauses."""
        if not self.seconds:
            return
        pause, was_failing = min(START_SECONDS, self.seconds), False
        while True:
            await self.sleep(pause)
            failure = await self.look()
            if failure and not was_failing:
                log.warning("look_failed", reason=failure)
            elif was_failing and not failure:
                log.info("look_works_again")
            was_failing = bool(failure)
            doubled = min(2 * max(pause, self.seconds), MOST_MISSED * self.seconds)
            pause = doubled if failure else self.seconds

    async def look(self) -> str:
        """One look, unless somebody else looks; why it failed, "" when it did not."""
        try:
            async with looking(self.folder, wait=False) as is_alone:
                if is_alone:
                    await (await self.ingestion()).run(Look())
        except Exception as error:  # noqa: BLE001 - the next look tries again; the server must not end for this
            return reason_of(error)
        return ""
