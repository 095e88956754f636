"""The server's own looks: when, by whom, and what is told of those that fail."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import CapturingLogger

from email_assistant.errors import TransientError
from email_assistant.ingest import ingestion
from email_assistant.ingest.ingestion import START_SECONDS, Poller


class Enough(BaseException):
    """Ends a poller that would go on for ever."""


@dataclass
class Looked:
    """An ingestion that fails so many times, and the pauses between the looks of its poller."""

    failures: int = 0
    looks: int = 0
    pauses: list[float] = field(default_factory=list)
    most: int = 8

    async def made(self) -> Any:
        return self

    async def run(self, look: object) -> None:
        self.looks += 1
        if self.looks <= self.failures:
            raise TransientError("busy")

    async def sleep(self, seconds: float) -> None:
        if len(self.pauses) == self.most:
            raise Enough
        self.pauses.append(seconds)


async def told(looked: Looked, folder: Path) -> list[str]:
    """Let it look, and give the names of what was logged."""
    logs = CapturingLogger()
    patched = pytest.MonkeyPatch()
    patched.setattr(ingestion, "log", logs)  # Another test may have made a server's log of it.
    with pytest.raises(Enough):
        await Poller(looked.made, folder, 60, sleep=looked.sleep).run()
    patched.undo()
    return [str(call.args[0]) for call in logs.calls]


async def test_a_failing_mailbox_is_told_of_once_and_asked_more_and_more_seldom(tmp_path: Path) -> None:
    """Ten minutes of failures make one line, and one more when it works again; then the pauses are the usual ones."""
    looked = Looked(failures=5)
    assert await told(looked, tmp_path) == ["look_failed", "look_works_again"]
    assert looked.pauses == [START_SECONDS, 120, 240, 300, 300, 300, 60, 60]
    assert looked.looks == looked.most
