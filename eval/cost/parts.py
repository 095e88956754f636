"""Where the time outside the model goes: the awaited calls of the journal, the mailbox, the checkpoints and the store, by the clock."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.memory import InMemoryStore

from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.journal.database import Database
from email_assistant.journal.one_go import joined

AWAITED = (
    ("checkpoints", AsyncSqliteSaver, ("aput", "aput_writes", "aget_tuple")),
    ("mailbox", MaildirMailbox, ("_run",)),
    ("store", InMemoryStore, ("abatch",)),
)


@dataclass
class Parts:
    """Seconds by part. Parts that run side by side are both counted, so that their sum may exceed the whole."""

    seconds: dict[str, float] = field(
        default_factory=lambda: {"journal": 0.0} | {name: 0.0 for name, _, _ in AWAITED}
    )

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count what happens within; the classes are as they were afterwards."""
        patches = [
            patch.object(Database, name, self._opened(getattr(Database, name))) for name in ("begin", "read")
        ]
        patches += [
            patch.object(Database, name, self._awaited("journal", getattr(Database, name)))
            for name in ("in_one_write", "in_one_read")
        ]
        for part, kind, names in AWAITED:
            patches += [patch.object(kind, name, self._awaited(part, getattr(kind, name))) for name in names]
        for each in patches:
            each.start()
        try:
            yield
        finally:
            for each in patches:
                each.stop()

    def _awaited(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        async def timed(*args: Any, **kwargs: Any) -> Any:
            if joined(args[0]):  # Its time is in the transaction's.
                return await function(*args, **kwargs)
            started = time.perf_counter()
            try:
                return await function(*args, **kwargs)
            finally:
                self.seconds[part] += time.perf_counter() - started

        return timed

    def _opened(self, function: Callable[..., Any]) -> Callable[..., AbstractAsyncContextManager[Any]]:
        @asynccontextmanager
        async def timed(database: Database) -> AsyncIterator[Any]:
            if joined(database):
                async with function(database) as connection:
                    yield connection
                return
            started = time.perf_counter()
            try:
                async with function(database) as connection:
                    yield connection
            finally:
                self.seconds["journal"] += time.perf_counter() - started

        return timed
