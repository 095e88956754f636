"""Hearing of new mail at once (IDLE, RFC 2177). A hint alone: some servers say nothing, or late, so that everybody looks, too."""

import asyncio
import time
from threading import Event

from email_assistant.adapters.imap.connection import Commands, Connection
from email_assistant.errors import ProviderError

_FIRST_SECONDS, _ANEW_SECONDS = 1.0, 540.0
"""Routers forget a connection on which nothing is said for longer."""
_TRIES = 2
"""A connection that was lost meanwhile is opened anew, once a wait."""
_GRACE_SECONDS = 5.0
"""A server may take longer by so much to end a wait."""
_NEWS = frozenset({b"EXISTS", b"EXPUNGE", b"VANISHED"})


class Idle:
    """A connection of its own that does nothing else."""

    def __init__(self, connection: Connection) -> None:
        """Opens nothing."""
        self._connection = connection
        self._is_told = True

    async def wait(self, folder: str, seconds: float) -> None:
        """Return when something has come into the folder or has left it, at the latest after so long; never raises."""
        stop, ends = Event(), time.monotonic() + seconds

        def hear(commands: Commands) -> bool:
            self._is_told = commands.has("IDLE")
            if not self._is_told:
                return False
            commands.select(folder)
            # What came before it listened is told at the end alone, or read together with the beginning.
            return any(
                commands.idle(_NEWS, min(ends - time.monotonic(), each), stop)
                for each in (_FIRST_SECONDS, _ANEW_SECONDS)
            )

        try:
            for _ in range(_TRIES):
                try:
                    while self._is_told and (left := ends - time.monotonic()) > 0:
                        if await asyncio.wait_for(self._connection.run(hear), left + _GRACE_SECONDS):
                            return
                except (ProviderError, TimeoutError):  # It may still listen, or has stopped speaking.
                    self._connection.close()
        finally:
            stop.set()
        await asyncio.sleep(max(0, ends - time.monotonic()))

    def close(self) -> None:
        """End the connection."""
        self._connection.close()
