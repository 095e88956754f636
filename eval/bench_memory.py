"""Whether the server's memory grows with the mail it has dealt with.

The real development server with default settings takes in mail after mail, 500 at a time, with a model over OpenAI's wire that answers
at once: two of five need nothing, of the others every second reply is accepted and every second ignored. What is settled is then taken out
of the inbox, as people do. Memory is what the server's process has resident, when it is ready and after so many mails.
"""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from eval.accepting import accepting
from eval.served.model import running_model
from eval.served.running import Served, resident_mb, served

AT = (1_000, 2_000, 5_000, 10_000)
BATCH = 500
IN_FLIGHT = 24
IGNORE = {"type": "ignore", "args": None}


def measure(at: Sequence[int] = AT, batch: int = BATCH) -> tuple[float, dict[int, float], int]:
    """Resident MiB when the server is ready and after so many mails, and how many threads it keeps in the end."""
    found = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        running_model(0) as url,
        served(Path(folder), url) as ours,
    ):
        ready = resident_mb(ours.pid)
        for done in range(batch, at[-1] + 1, batch):
            _deal_with(ours, batch)
            if done in at:
                found[done] = resident_mb(ours.pid)
                print(f"{done}: {found[done]} MiB", flush=True)
        return ready, found, asyncio.run(_threads(get_client(url=ours.server.url, api_key=None)))


def _deal_with(ours: Served, mails: int) -> None:
    notices = mails * 2 // 5
    ours.deliver(notices, "Notice")
    ours.deliver(mails - notices)
    ours.ingest(mails)
    asyncio.run(_answer_all(get_client(url=ours.server.url, api_key=None)))
    for folder in ("cur", "new"):
        for mail in (ours.folder / "data" / "mailbox" / folder).iterdir():
            mail.unlink()


async def _answer_all(client: LangGraphClient) -> None:
    limit = asyncio.Semaphore(IN_FLIGHT)

    async def answer(thread: Any, number: int) -> None:
        async with limit:
            ((card,),) = (each["value"] for some in thread["interrupts"].values() for each in some)
            resume = [accepting(card) if number % 2 == 0 else IGNORE]
            await client.runs.wait(thread["thread_id"], "email_assistant", command={"resume": resume})

    while waiting := await client.threads.search(
        status="interrupted", select=["thread_id", "interrupts"], limit=BATCH
    ):
        await asyncio.gather(*(answer(thread, number) for number, thread in enumerate(waiting)))


async def _threads(client: LangGraphClient) -> int:
    return int(await client.threads.count())


def section() -> str:
    """The figures as Markdown."""
    began = time.perf_counter()
    ready, found, threads = measure()
    heads = ["ready", *(f"{at:,} mails" for at in found), "times what it was", "threads kept", "minutes"]
    cells = [f"{ready:.0f}", *(f"{each:.0f}" for each in found.values()), f"{found[AT[-1]] / ready:.2f}"]
    cells += [str(threads), f"{(time.perf_counter() - began) / 60:.0f}"]
    lines = ["## Memory of the server", "", " ".join((__doc__ or "").partition("\n\n")[0].split()), ""]
    lines += ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|", "| " + " | ".join(cells) + " |"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(section())
