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
LONGEST_PAUSE = 300.0
"""Between two looks that fail, in seconds; the pause doubles up to it."""

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
        pause, failures = min(START_SECONDS, self.seconds), 0
        while True:
            await self.sleep(pause)
            failure = await self.look()
            if failure and not failures:
                log.warning("look_failed", reason=failure)
            elif failures and not failure:
                log.info("look_works_again", failed=failures)
            failures = failures + 1 if failure else 0
            pause = min(self.seconds * 2**failures, max(self.seconds, LONGEST_PAUSE))

    async def look(self) -> str:
        """One look, unless somebody else looks; why it failed, "" when it did not."""
        try:
            async with looking(self.folder, wait=False) as is_alone:
                if is_alone:
                    await (await self.ingestion()).run(Look())
        except Exception as error:  # noqa: BLE001 - the next look tries again; the server must not end for this
            return reason_of(error)
        return ""
