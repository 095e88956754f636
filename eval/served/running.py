"""The two servers that are compared, each in a folder of its own, and what they use."""

import asyncio
import json
import mailbox
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

from langgraph_sdk import get_client

from email_assistant.app import ingesting
from email_assistant.app.assistant import deps_of
from email_assistant.ingest.look import Look
from email_assistant.settings import load_settings
from tests.support.dev_server import DevServer, dev_server

_TICKS = os.sysconf("SC_CLK_TCK")
PERSON = {"EMAIL_ASSISTANT_EMAIL": "robin@vale.example", "EMAIL_ASSISTANT_NAME": "Robin Vale"}
BARE_IN_FLIGHT = 48


@dataclass(frozen=True)
class Rate:
    """What one pass took."""

    mails: int
    seconds: float
    cpu_seconds: float
    """Of the server."""

    @property
    def per_second(self) -> float:
        """Runs."""
        return self.mails / self.seconds

    @property
    def cpu_ms(self) -> float:
        """A mail."""
        return 1_000 * self.cpu_seconds / self.mails


def cpu_seconds(pid: int) -> float:
    """What a process has used, its threads included, its children not."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@dataclass
class Served:
    """The assistant, served."""

    server: DevServer
    folder: Path
    settings: dict[str, str]
    _number: int = 0

    @property
    def pid(self) -> int:
        """The server's process."""
        return self.server.process.pid

    def deliver(self, mails: int, subject: str = "Question") -> None:
        """So many mails by as many people."""
        inbox = mailbox.Maildir(self.folder / "data" / "mailbox", create=True)
        for _ in range(mails):
            self._number += 1
            inbox.add(_mail(self._number, subject))

    def ingest(self, mails: int) -> Rate:
        """Take in what was delivered, as `email-assistant ingest` does."""
        built = deps_of(
            load_settings(
                {**self.settings, "EMAIL_ASSISTANT_DATA_DIR": str(self.folder / "data")}, self.folder
            )
        )

        async def work() -> float:
            client = get_client(url=self.server.url, api_key=None)
            started = time.perf_counter()
            tally = await ingesting.ingestion(built, client, None).run(Look(include_read=True))
            seconds = time.perf_counter() - started
            await built.database.close()
            assert tally.taken_up == mails, f"{tally.counts} of {mails}"
            return seconds

        before = cpu_seconds(self.pid)
        seconds = asyncio.run(work())
        return Rate(mails, seconds, cpu_seconds(self.pid) - before)


@contextmanager
def served(folder: Path, model_url: str, **more: str) -> Iterator[Served]:
    """The assistant with a model over the wire."""
    settings = {
        **PERSON,
        "EMAIL_ASSISTANT_MODEL_FAST": "openai:scripted",
        "EMAIL_ASSISTANT_MODEL_STRONG": "openai:scripted",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model_url,
        "EMAIL_ASSISTANT_LOG_LEVEL": "warning",
        "LOG_LEVEL": "WARNING",
        **more,
    }
    with dev_server(folder, settings) as server:
        ours = {name: value for name, value in settings.items() if name != "LOG_LEVEL"}
        yield Served(server, folder, ours)


@contextmanager
def bare(folder: Path, milliseconds: int) -> Iterator[DevServer]:
    """The bare graph on the same kind of server, with the same number of jobs."""
    folder.mkdir(parents=True)
    code = Path(__file__).with_name("bare.py")
    (folder / "bare.py").write_bytes(code.read_bytes())
    config = {"dependencies": ["."], "graphs": {"bare": "./bare.py:graph"}}
    (folder / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")
    with dev_server(folder, {"BARE_MS": str(milliseconds), "LOG_LEVEL": "WARNING"}) as server:
        yield server


def run_bare(server: DevServer, mails: int) -> Rate:
    """So many runs, each on a thread of its own, a few dozen in flight."""

    async def work() -> float:
        client, limit = get_client(url=server.url, api_key=None), asyncio.Semaphore(BARE_IN_FLIGHT)

        async def one() -> None:
            async with limit:
                thread = str(uuid.uuid4())
                run = await client.runs.create(
                    thread,
                    "bare",
                    input={"messages": [{"role": "user", "content": "x" * 1_000}]},
                    if_not_exists="create",
                )
                await client.runs.join(thread, run["run_id"])

        started = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(mails)))
        return time.perf_counter() - started

    before = cpu_seconds(server.process.pid)
    seconds = asyncio.run(work())
    return Rate(mails, seconds, cpu_seconds(server.process.pid) - before)


def _mail(number: int, subject: str) -> bytes:
    message = EmailMessage()
    message["From"] = f"Ana Petrova {number} <ana{number}@example.com>"
    message["To"] = "Robin Vale <robin@vale.example>"
    message["Subject"] = f"{subject} {number}"
    message["Message-ID"] = f"<load-{number}@example.com>"
    message["Date"] = time.strftime(
        "%a, %d %b %Y %H:%M:%S +0000", time.gmtime(time.time() - 3600 + number / 10)
    )
    message.set_content(
        "Robin, could you send me the price of the oak shelf, and say when it can be delivered?\n\nAna\n" * 3
    )
    return message.as_bytes()
