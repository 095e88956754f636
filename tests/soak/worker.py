"""A process that works through a mailbox and approves every card, and may be killed at any moment.

Before it answers a card it appends the card to `approved.txt` and syncs the file, so that the parent knows
what was approved although this process dies at once. It ends by itself when nothing waits any more.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from email_assistant.app import Container
from email_assistant.ingest.starter import run_thread_id
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.mailbox import MailQuery
from email_assistant.mail.message import Conversation
from email_assistant.settings import load_settings
from eval.accepting import accepting


@dataclass(frozen=True)
class Job:
    """Where to work, and where to die: `kill_at` is `class.method:before|after:count`, "" for nowhere."""

    folder: str
    database_url: str | None
    kill_at: str = ""


def work(job: Job) -> None:
    """The process's main function."""
    asyncio.run(_work(job))


async def _work(job: Job) -> None:
    settings = {
        "EMAIL_ASSISTANT_DATA_DIR": job.folder,
        "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
        "EMAIL_ASSISTANT_NAME": "Robin Vale",
        "EMAIL_ASSISTANT_MODEL_FAST": "offline",
        "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
    }
    house = Container(
        load_settings(settings | ({"DATABASE_URL": job.database_url} if job.database_url else {}))
    )
    _arm(job.kill_at)
    async with checkpointer(job) as saver:
        graph = house.graph("email_assistant", checkpointer=saver, store=InMemoryStore())
        ids = await house.mailbox.inbox(MailQuery())
        limit = asyncio.Semaphore(6)

        async def one(message_id: str) -> None:
            async with limit:
                await _deal_with(house, graph, message_id, Path(job.folder))

        await asyncio.gather(*(one(i) for i in ids))


@asynccontextmanager
async def checkpointer(job: Job) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The durable checkpointer that goes with the database."""
    if job.database_url:
        async with AsyncPostgresSaver.from_conn_string(job.database_url) as postgres:
            await postgres.setup()
            yield postgres
    else:
        async with AsyncSqliteSaver.from_conn_string(f"{job.folder}/checkpoints.db") as sqlite:
            await sqlite.setup()
            yield sqlite


async def _deal_with(house: Container, graph: Any, message_id: str, folder: Path) -> None:
    """Take one message from wherever a killed predecessor left it to its end."""
    message = await house.mailbox.fetch(message_id)
    config = {"configurable": {"thread_id": run_thread_id(message.mail_thread_id)}}
    state = await graph.aget_state(config)
    if not state.values:
        email_input = to_email_input(Conversation(message))
        await graph.ainvoke({"email_input": email_input}, config)
    elif state.tasks and not state.interrupts:
        # Not `next`: that leaves out a step whose writes are saved and whose end is not.
        await graph.ainvoke(None, config)
    for _ in range(20):
        state = await graph.aget_state(config)
        if not state.interrupts:
            break
        (card,) = state.interrupts[0].value
        kind = "accept" if card["config"]["allow_accept"] else "ignore"
        if kind == "accept":
            await asyncio.to_thread(
                _note, folder / "approved.txt", f"{message_id}\t{card['action_request']['action']}"
            )
        answer = accepting(card) if kind == "accept" else {"type": kind, "args": None}
        await graph.ainvoke(Command(resume=[answer]), config)


def _note(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def _arm(kill_at: str) -> None:
    """Make the process kill itself before or after the n-th call of a method, to hit a chosen point."""
    if not kill_at:
        return
    from email_assistant.adapters.ics_calendar import IcsCalendar
    from email_assistant.adapters.maildir import MaildirMailbox
    from email_assistant.effects.outbox import Outbox

    name, moment, count = kill_at.split(":")
    owner, method = name.split(".")
    cls: Any = {"MaildirMailbox": MaildirMailbox, "Outbox": Outbox, "IcsCalendar": IcsCalendar}[owner]
    original: Callable[..., Awaitable[Any]] = getattr(cls, method)
    calls = 0

    async def armed(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        this = calls
        if moment == "before" and this == int(count):
            os.kill(os.getpid(), signal.SIGKILL)
        result = await original(*args, **kwargs)
        if moment == "after" and this == int(count):
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(cls, method, armed)
