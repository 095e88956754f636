"""A Gmail account of any size to read from: `google_replay_server.py` as a process of its own."""

import json
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.processes import serving

_SERVER = Path(__file__).with_name("google_replay_server.py")


@dataclass(frozen=True)
class GoogleReplay:
    """A running replay. Any token will do; the account is robin@example.com."""

    url: str

    def counts(self) -> dict[str, int]:
        """How often each route was called, single calls of batches included; ids are written "{id}"."""
        with urllib.request.urlopen(f"{self.url}/__ctl/counts", timeout=10) as response:
            found: dict[str, int] = json.load(response)
        return found

    def forget(self) -> None:
        """Begin to count anew."""
        urllib.request.urlopen(f"{self.url}/__ctl/forget", data=b"", timeout=10).close()


@contextmanager
def running_google_replay(messages: int, *, years: float = 10.0) -> Iterator[GoogleReplay]:
    """An account whose inbox has so many messages, spread over the years before 2026-11-20; ended with the block.

    One message in four is unread. Of thirteen messages in a row four are single, the others are of conversations of
    two, three and four messages.
    """
    command = [sys.executable, str(_SERVER), str(messages), str(years)]
    with serving(command, "the replay of Gmail") as url:
        yield GoogleReplay(url)
