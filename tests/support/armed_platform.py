"""The platform as langgraph.json names it, with points at which the server dies when a test has said so (`arming.py`)."""

import asyncio
import functools
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from langgraph_runtime_inmem import _persistence

from email_assistant.checkpoints.savers import SqliteSaver
from email_assistant.server.app import (
    app,
    auth,
    claims_desk,
    email_assistant,
    inbox_organizer,
    ingest,
    order_desk,
    reply_pipeline,
)
from tests.support.arming import KILL_AT, SAVED

__all__ = [
    "app",
    "auth",
    "claims_desk",
    "email_assistant",
    "inbox_organizer",
    "ingest",
    "order_desk",
    "reply_pipeline",
]

BEFORE, AFTER = "before", "after"
SAVE_TRIES = 50


def _armed(original: Callable[..., Awaitable[Any]], moment: str) -> Callable[..., Awaitable[Any]]:
    point = f"{moment}:{original.__qualname__}"

    @functools.wraps(original)
    async def armed(*args: Any, **kwargs: Any) -> Any:
        if moment == BEFORE:
            await asyncio.to_thread(_die_at, point)
        result = await original(*args, **kwargs)
        if moment == AFTER:
            await asyncio.to_thread(_die_at, point)
        return result

    return armed


def _die_at(point: str) -> None:
    order = Path(os.environ["EMAIL_ASSISTANT_DATA_DIR"]) / KILL_AT
    if not order.exists():
        return
    wanted, state = order.read_text().split()
    if wanted != point:
        return
    if state == SAVED:
        _save()
    order.unlink()
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _save() -> None:
    """What the development server does by itself every ten seconds; when it does so just now, once more after it."""
    for reference in list(_persistence._stores.values()):
        store = reference()
        for left in reversed(range(SAVE_TRIES if store is not None else 0)):
            try:
                store.sync()
                break
            except (OSError, RuntimeError):
                if not left:
                    raise


for _moment in (BEFORE, AFTER):
    SqliteSaver.adelete_thread = _armed(SqliteSaver.adelete_thread, _moment)
