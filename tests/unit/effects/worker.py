"""A process that performs effects, and dies where it is told to: worker.py URL FILE MODE COUNT."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from file_provider import FileProvider

from email_assistant.clock import SystemClock
from email_assistant.effects.intent import Intent
from email_assistant.effects.outbox import Outbox
from email_assistant.journal.database import Database


async def main(url: str, path: str, mode: str, count: int) -> None:
    """Perform `count` effects once a line arrives on standard input."""
    provider = FileProvider(Path(path))
    outbox = Outbox(Database(url), SystemClock())
    await outbox.database.open()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)

    async def one(effect_id: str) -> None:
        async def do() -> dict[str, str]:
            if mode == "die before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = await provider.send(effect_id)
            if mode == "die after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        await outbox.perform(
            Intent(effect_id, "send", "m1", {"id": effect_id}), do, lambda: provider.reconcile(effect_id)
        )

    for number in range(count):
        await one(f"e{number}")


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
