"""A lock for each key, among everything that runs in this process."""

import asyncio
import threading
from collections.abc import AsyncIterator, Hashable
from concurrent.futures import Future
from contextlib import asynccontextmanager


class KeyedLock:
    """One holder a key at a time; holders may be tasks of different event loops in different threads.

    Waiting costs no thread, and a key that nobody holds costs no memory. A task that asks for a key it
    holds waits for ever.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: dict[Hashable, Future[None]] = {}

    @asynccontextmanager
    async def hold(self, key: Hashable) -> AsyncIterator[None]:
        """Wait until nobody holds the key, then hold it for the length of the block."""
        mine: Future[None] = Future()
        # A running future cannot be cancelled, so a waiter that is cancelled does not take the others along.
        mine.set_running_or_notify_cancel()
        while (other := self._take(key, mine)) is not None:
            await asyncio.wrap_future(other)
        try:
            yield
        finally:
            with self._guard:
                del self._held[key]
            mine.set_result(None)

    def _take(self, key: Hashable, mine: Future[None]) -> Future[None] | None:
        """Take the key, or return what its holder will set on release."""
        with self._guard:
            other = self._held.get(key)
            if other is None:
                self._held[key] = mine
            return other
