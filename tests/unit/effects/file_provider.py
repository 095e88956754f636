"""A provider whose effects are lines of a file, so that they outlive the process that made them."""

import asyncio
import fcntl
from dataclasses import dataclass
from pathlib import Path

from email_assistant.effects.outbox import Happened, NotHappened, Reconciled


@dataclass(frozen=True)
class FileProvider:
    """Sends by writing a line; recognises a repeated send of one id and does it once."""

    path: Path

    async def send(self, effect_id: str) -> dict[str, str]:
        """One line in the file, however often it is called."""
        return await asyncio.to_thread(self._send, effect_id)

    async def reconcile(self, effect_id: str) -> Reconciled:
        """Whether the line is there."""
        sent = await asyncio.to_thread(self.sent)
        return Happened({"sent_id": effect_id}) if effect_id in sent else NotHappened()

    def sent(self) -> list[str]:
        """The lines."""
        return self.path.read_text().split() if self.path.exists() else []

    def _send(self, effect_id: str) -> dict[str, str]:
        with self.path.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            if effect_id not in file.read().split():
                file.write(f"{effect_id}\n")
        return {"sent_id": effect_id}
