"""How fast a large account is taken in, in how many requests, and in how much memory.

A backfill of the real ingestion over the real Gmail adapter, into a real SQLite journal. Gmail is replayed on the
loopback by a process of its own that makes each message up when it is asked for; the deployment is a stand-in that
answers at once, because what is measured is everything before the runs. Every size runs in a process of its own, so
that one's memory is not another's.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient

from email_assistant.app import ingesting
from email_assistant.app.assistant import deps_of
from email_assistant.ingest.look import Look
from email_assistant.settings import load_settings
from tests.servers.google_replay import running_google_replay

SIZES = (1_000, 10_000, 100_000)
ADDRESS = "robin@example.com"
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Figures:
    """What one backfill took."""

    messages: int
    seconds: float = 0.0
    taken_up: int = 0
    listing_calls: int = 0
    """Requests that list; none of them is in a batch."""
    fetch_calls: int = 0
    """Single reads of messages and conversations, inside batches."""
    resident_mb: list[float] = field(default_factory=list)
    """Resident memory after each tenth of the messages, and at the end."""


def resident_mb() -> float:
    """This process's resident memory, in MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return round(pages * _PAGE_BYTES / 2**20, 1)


def answers_at_once(request: httpx.Request) -> httpx.Response:
    """A deployment that takes every run and keeps nothing."""
    path = request.url.path
    if path == "/threads/search":
        return httpx.Response(200, json=[])
    thread = re.sub(r"^/threads/?([^/]*).*", r"\1", path)
    return httpx.Response(
        200, json={"thread_id": thread, "run_id": "stand-in", "status": "idle", "metadata": {}}
    )


async def backfill(url: str, messages: int, folder: Path) -> Figures:
    """One backfill in this process."""
    values = {
        "EMAIL_ASSISTANT_DATA_DIR": str(folder),
        "EMAIL_ASSISTANT_MAILBOX": "gmail",
        "EMAIL_ASSISTANT_EMAIL": ADDRESS,
        "EMAIL_ASSISTANT_GOOGLE_ENDPOINT": url,
        "GMAIL_TOKEN": json.dumps({"token": "any"}),
    }
    house = deps_of(load_settings(values, folder))
    transport = httpx.MockTransport(answers_at_once)
    client = LangGraphClient(httpx.AsyncClient(transport=transport, base_url="http://deployment.test"))
    figures, settled = Figures(messages), 0

    def on_settled(ids: Sequence[str]) -> None:
        nonlocal settled
        settled += len(ids)
        while len(figures.resident_mb) < 10 * settled // messages:
            figures.resident_mb.append(resident_mb())

    started = time.perf_counter()
    tally = await ingesting.ingestion(house, client, "email_assistant").run(Look(backfill=True), on_settled)
    figures.seconds = time.perf_counter() - started
    figures.resident_mb.append(resident_mb())
    assert tally.new == messages, f"{tally.counts} of {messages} messages were settled"
    figures.taken_up = tally.taken_up
    return figures


def measure(messages: int) -> Figures:
    """One backfill in a process of its own."""
    with running_google_replay(messages=messages) as replay, tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "eval.bench_ingest", replay.url, str(messages), folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        figures = Figures(**json.loads(done.stdout.splitlines()[-1]))
        counts: dict[str, Any] = replay.counts()
    figures.listing_calls = sum(n for key, n in counts.items() if is_listing(key))
    figures.fetch_calls = sum(n for key, n in counts.items() if re.search(r"/(messages|threads)/[^/]+$", key))
    return figures


def is_listing(key: str) -> bool:
    """Whether a route lists messages, conversations or changes."""
    return bool(re.search(r"/(messages|threads|history|labels|profile)$", key))


def section() -> str:
    """The figures as Markdown."""
    rows = [measure(messages) for messages in SIZES]
    lines = [
        "## Taking in a large account",
        "",
        " ".join((__doc__ or "").partition("\n\n")[0].split()),
        "",
        "| messages | conversations taken up | seconds | messages per second | listing calls per message | single reads per message "
        "| resident MiB after 10 % | 50 % | 100 % |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        cells = [
            f"{r.messages:,}", f"{r.taken_up:,}", f"{r.seconds:.0f}", f"{r.messages / r.seconds:.0f}",
            f"{r.listing_calls / r.messages:.4f}", f"{r.fetch_calls / r.messages:.2f}",
            *(str(r.resident_mb[at]) for at in (0, 4, -1)),
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    address, count, where = sys.argv[1:]
    print(json.dumps(asdict(asyncio.run(backfill(address, int(count), Path(where))))))
