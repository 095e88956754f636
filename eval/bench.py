"""`make bench`: a mail's cost in model calls, tokens and time; what sorting costs; a large account; finding products.

The first runs the sample mailbox through the real graph in one process with the offline rules, a SQLite journal and a
SQLite checkpointer; every card is accepted, or ignored where it cannot be. Tokens are estimated from the text of the
prompts that a model would be sent (characters / 4), because no tokenizer can be assumed; the calls are the calls a model
would get. The others are in `bench_organizer.py`, `bench_ingest.py` and `bench_resolution.py`.
"""

import asyncio
import platform
import statistics
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from email_assistant.adapters.importer import deliver, read_source
from email_assistant.bootstrap import House
from email_assistant.clock import FixedClock
from email_assistant.graphs.ingest.starter import run_thread_id
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.mailbox import MailQuery
from email_assistant.mail.message import Conversation
from email_assistant.models.usage import ModelUsage
from email_assistant.settings import load_settings
from eval import bench_ingest, bench_organizer, bench_resolution

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "benchmarks.md"
NOW = datetime(2026, 11, 20, 8, tzinfo=UTC)


@dataclass
class Row:
    """What one mail took."""

    subject: str
    outcome: str
    calls: int = 0
    prompt: int = 0
    completion: int = 0
    outside_ms: float = 0.0


async def measure(folder: Path) -> list[Row]:
    """Run every sample mail to its end."""
    values = {
        "EMAIL_ASSISTANT_DATA_DIR": str(folder),
        "EMAIL_ASSISTANT_MODEL_FAST": "offline",
        "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
    }
    (folder / "settings.toml").write_bytes((ROOT / "samples/settings.toml").read_bytes())
    (folder / "calendar.ics").write_bytes((ROOT / "samples/calendar.ics").read_bytes())
    house = House(load_settings(values, folder), FixedClock(NOW))
    used: list[ModelUsage] = []
    object.__setattr__(house.models, "record", used.append)
    for raw in read_source(ROOT / "samples/mailbox"):
        await deliver(house.local_mailbox, raw)
    rows = []
    async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        graph = house.assistant(checkpointer=saver, store=InMemoryStore())
        for number, message_id in enumerate(await house.mailbox.inbox(MailQuery())):
            rows.append(await one(house, graph, message_id, used, number))
    await house.database.close()
    return rows


async def one(house: House, graph: Any, message_id: str, used: list[ModelUsage], number: int) -> Row:
    """One mail on a thread of its own, every card answered."""
    message = await house.mailbox.fetch(message_id)
    config = {"configurable": {"thread_id": run_thread_id(f"{message.mail_thread_id}#{number}")}}
    used.clear()
    started = time.perf_counter()
    work: Any = {"email_input": to_email_input(Conversation(message))}
    for _ in range(12):
        await graph.ainvoke(work, config)
        state = await graph.aget_state(config)
        if not state.interrupts:
            break
        accept = state.interrupts[0].value[0]["config"]["allow_accept"]
        work = Command(resume=[{"type": "accept" if accept else "ignore", "args": None}])
    elapsed = (time.perf_counter() - started) * 1000
    kind = state.values["classification_decision"]
    return Row(
        subject=message.subject,
        outcome=kind,
        calls=len(used),
        prompt=sum(u.prompt_tokens for u in used),
        completion=sum(u.completion_tokens for u in used),
        outside_ms=elapsed - sum(u.latency_ms for u in used),
    )


def table(rows: list[Row]) -> str:
    """The figures as Markdown."""
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. The offline rules stand in for the model, so calls are what a model would get, tokens are",
        "estimated (characters / 4) from the rendered prompts and answers, and times are everything outside the model:",
        "parsing, graph, SQLite checkpoints, journal, outbox, mailbox and calendar. Every card was accepted, or ignored",
        "where it cannot be accepted.",
        "",
        f"Machine: {platform.machine()}, {platform.system()}, Python {platform.python_version()}; {datetime.now(UTC):%Y-%m-%d}.",
        "",
        "| triage | mails | model calls per mail | prompt tokens | completion tokens | ms outside the model, median | max |",
        "|---|---|---|---|---|---|---|",
    ]
    for outcome in ("respond", "notify", "ignore", "all"):
        chosen = [r for r in rows if outcome in (r.outcome, "all")]
        if chosen:
            lines.append(_line(outcome, chosen))
    lines += ["", "| mail | triage | calls | prompt | completion | ms |", "|---|---|---|---|---|---|"]
    for r in rows:
        subject = r.subject.replace("|", "\\|")[:60]
        lines.append(
            f"| {subject} | {r.outcome} | {r.calls} | {r.prompt} | {r.completion} | {r.outside_ms:.0f} |"
        )
    return "\n".join(lines) + "\n"


def _line(outcome: str, rows: list[Row]) -> str:
    def mean(values: list[int]) -> str:
        return f"{statistics.mean(values):.1f}"

    times = [r.outside_ms for r in rows]
    cells = [
        outcome, str(len(rows)), mean([r.calls for r in rows]), mean([r.prompt for r in rows]),
        mean([r.completion for r in rows]), f"{statistics.median(times):.0f}", f"{max(times):.0f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Measure, write the table, print it."""
    with tempfile.TemporaryDirectory() as folder:
        text = (
            table(asyncio.run(measure(Path(folder))))
            + "\n"
            + bench_organizer.section()
            + "\n"
            + bench_ingest.section()
            + "\n"
            + bench_resolution.section()
        )
    TARGET.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
