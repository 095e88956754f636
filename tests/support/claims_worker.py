"""A process that makes a ticket or pays a refund, and dies where it is told to: python -m tests.support.claims_worker URL WHAT SERVICE DIE.

WHAT is "ticket" or "refund"; SERVICE the address of a stand-in, or "local"; DIE "before" or "after" the service has acted,
"late" after the outbox has its result, or "never".
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from email_assistant.effects.store import OutboxStore
from email_assistant.workflows.claims_desk.records.refunds import RefundLedger
from tests.support.claims_desk import DRAFT, KEY, NOW, REFUND, refunding, ticketing

URL, WHAT, SERVICE, DIE = sys.argv[1:]


def die() -> None:
    """As `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def dying(work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The work, and death before or after it."""

    async def call(*args: Any, **options: Any) -> Any:
        if DIE == "before":
            die()
        result = await work(*args, **options)
        if DIE == "after":
            die()
        return result

    return call


async def main() -> None:
    """Perform it."""
    if DIE == "late":
        finish = OutboxStore.finish

        async def finish_and_die(self: OutboxStore, *args: Any) -> None:
            await finish(self, *args)
            die()

        OutboxStore.finish = finish_and_die  # type: ignore[method-assign]
    if WHAT == "ticket":
        tickets = ticketing(URL, SERVICE, NOW)
        kind: Any = type(tickets.tickets)
        kind.create = dying(kind.create)
        print((await tickets.perform_ticket(DRAFT, KEY)).key)
    else:
        refunds = refunding(URL, SERVICE, NOW)
        payer: Any = type(refunds.refunds)
        payer.refund = dying(payer.refund)
        if SERVICE == "local":
            assert payer is RefundLedger
        print((await refunds.perform_refund(REFUND, KEY, approved=True)).id)


asyncio.run(main())
