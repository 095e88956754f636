"""A process that takes one unit for each order: order_worker.py URL PRODUCT PREFIX COUNT [DIE_AT].

It says "ready", waits for a line, and prints each order's id and units once they are answered. With DIE_AT it kills itself
in the middle of the first order, before the statement that begins with these words.
"""

import asyncio
import os
import signal
import sys

from sqlalchemy import event
from sqlalchemy.engine import Engine

from email_assistant.clock import SystemClock
from email_assistant.journal.database import Database
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.shop.order import Wanted


def die_at(words: str) -> None:
    """Die before the first statement that begins so."""

    @event.listens_for(Engine, "before_cursor_execute")
    def _die(*args: object) -> None:
        if str(args[2]).startswith(words):
            os.kill(os.getpid(), signal.SIGKILL)


async def main(url: str, product: str, prefix: str, number: int) -> None:
    """Take, one after another."""
    orders = Orders(Database(url), SystemClock())
    await orders.database.open()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for at in range(number):
        (got,) = await orders.take(f"{prefix}{at}", [Wanted(product, 1)], hold=False)
        print(f"{prefix}{at} {got.taken}", flush=True)


if len(sys.argv) > 5:
    die_at(sys.argv[5])
asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
