"""Mails through every graph to their end, with real files: mailbox, calendar, journal and checkpoints in SQLite."""

import csv
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from email_assistant.adapters.importer import deliver, read_source
from email_assistant.app.accounts import local_mailbox
from email_assistant.app.assistant import AppDeps
from email_assistant.ingest.starter import run_thread_id
from email_assistant.knowledge.embedding import DIMS
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.mailbox import MailQuery
from email_assistant.mail.message import Conversation
from email_assistant.models.usage import ModelUsage
from email_assistant.settings import load_settings
from eval.accepting import accepting
from eval.claims.running import claims, input_of, opened, remember
from eval.mails import raw_messages
from eval.setup import desk_settings
from eval.workbench import CATALOGUE, Graph, compiled, house_of, stocked

ROOT = Path(__file__).parents[2]
GRAPHS: tuple[Graph, ...] = get_args(Graph)
MOST_CARDS = 12


@dataclass(frozen=True)
class MailCost:
    """What one mail took."""

    calls: int
    """Model calls."""
    cards: int
    """Cards that a person had to answer."""
    prompt: int
    completion: int
    """Tokens, estimated as characters / 4."""


@dataclass
class Running:
    """A graph with its checkpoints in a file, and what its model calls used."""

    name: Graph
    house: AppDeps
    graph: Any
    used: list[ModelUsage]

    async def mail(self, work: Any, thread_id: str) -> MailCost:
        """One mail to its end, every card accepted, or ignored where it cannot be."""
        self.used.clear()
        cards = await self._cards(work, thread_id)
        prompt, completion = (
            sum(u.prompt_tokens for u in self.used), sum(u.completion_tokens for u in self.used),
        )  # fmt: skip
        return MailCost(len(self.used), cards, prompt, completion)

    async def _cards(self, work: Any, thread_id: str) -> int:
        """How many there were."""
        config = {"configurable": {"thread_id": thread_id}}
        for number in range(MOST_CARDS):
            await self.graph.ainvoke(work, config)
            state = await self.graph.aget_state(config)
            if not state.interrupts:
                return number
            card = state.interrupts[0].value[0]
            accept = card["config"]["allow_accept"]
            work = Command(resume=[accepting(card) if accept else {"type": "ignore", "args": None}])
        return MOST_CARDS


async def measure(name: Graph, most: int) -> list[MailCost]:
    """The sample mails of a graph, at most so many."""
    async with running(name) as made:
        found = []
        async for work, thread_id in _mails(made):
            if len(found) == most:
                break
            found.append(await made.mail(work, thread_id))
        return found


@asynccontextmanager
async def running(name: Graph) -> AsyncIterator[Running]:
    """A graph of a new house with the offline rules, in a folder of its own."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "settings.toml").write_bytes((ROOT / "samples/settings.toml").read_bytes())
        (folder / "calendar.ics").write_bytes((ROOT / "samples/calendar.ics").read_bytes())
        # As in a server, whose connections to the database stay open.
        house = house_of(load_settings(_settings(name, folder), folder))
        used: list[ModelUsage] = []
        object.__setattr__(house.models, "record", used.append)
        async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
            yield Running(name, house, await _graph(name, house, saver), used)
        await house.database.close()


def _settings(name: Graph, folder: Path) -> dict[str, str]:
    values = desk_settings(folder)
    if name == "order_desk":
        return values | {
            "EMAIL_ASSISTANT_EMAIL": "shop@quillmoor.example",
            "EMAIL_ASSISTANT_NAME": "Quillmoor Outdoor",
        }
    if name == "claims_desk":
        return values | {
            "EMAIL_ASSISTANT_EMAIL": "claims@desk.example",
            "EMAIL_ASSISTANT_NAME": "Claims desk",
        }
    return {
        key: value
        for key, value in values.items()
        if key not in ("EMAIL_ASSISTANT_EMAIL", "EMAIL_ASSISTANT_NAME")
    }


async def _graph(name: Graph, house: AppDeps, saver: AsyncSqliteSaver) -> Any:
    if name == "claims_desk":
        return (await opened(house, saver)).graph
    if name == "order_desk":
        await stocked(house)
    store = InMemoryStore(index={"embed": house.embedder.embed, "dims": DIMS, "fields": ["text"]})
    return compiled(house, name, store, saver)


async def _mails(made: Running) -> AsyncIterator[tuple[Any, str]]:
    """(what the run is started with, run thread) of each mail."""
    if made.name == "claims_desk":
        for claim in claims():
            await remember(made.house, claim)
            yield input_of(claim), claim["claim_id"]
        return
    raws = _shop() if made.name == "order_desk" else read_source(ROOT / "samples/mailbox")
    for raw in raws:
        await deliver(local_mailbox(made.house), raw)
    for number, message_id in enumerate(await made.house.mailbox.inbox(MailQuery())):
        message = await made.house.mailbox.fetch(message_id)
        work = {"email_input": to_email_input(Conversation(message))}
        yield work, run_thread_id(f"{message.mail_thread_id}#{number}")


def _shop() -> list[bytes]:
    with (CATALOGUE.parent / "mails.csv").open(encoding="utf-8", newline="") as file:
        return [
            raw
            for row in csv.DictReader(file)
            for raw in raw_messages(
                {"id": row["email_id"], "from": f"customer-{row['email_id']}@post.example", "to": "shop@quillmoor.example",
                 "subject": row["subject"], "text": row["message"]}
            )
        ]  # fmt: skip
