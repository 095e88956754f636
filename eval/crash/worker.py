"""A process that takes a scenario further, and can be made to kill itself at a boundary.

It is what a server and a person do: go on with what was cut off, look into the mailbox, answer the card that waits.
"""

import asyncio
import importlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import structlog
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.memory import InMemoryStore

from email_assistant.app import ingesting
from email_assistant.app.assistant import AppDeps
from email_assistant.ingest.look import Look
from email_assistant.journal.records import OPEN
from email_assistant.knowledge.embedding import DIMS
from email_assistant.settings import load_settings
from eval.accepting import accepting
from eval.crash.points import SERVER_SAVES, STATE, NodeWatcher, Points
from eval.crash.scenarios import ACCEPT, RESPONSE, SCENARIOS, Scenario
from eval.crash.server import LocalServer
from eval.mails import HOST, received
from eval.setup import desk_settings
from eval.workbench import built, house_of

MAX_STEPS = 12
SERVER, DATA, VAULT, ACCEPTED, ERRORS = "server", "data", "vault", "accepted.txt", "errors.txt"
"""In the work folder: the server's state, the product's data, notes, the titles of cards that a person accepted, what runs failed with."""
PREPARE, STEP, FINISH = "prepare", "step", "finish"
_LATER = datetime(2100, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Job:
    """What the process is to do: `prepare` the mailbox, take one `step`, or take steps until it can `finish`."""

    folder: Path
    """The work folder."""
    scenario: str
    task: str
    kill_at: int = 0
    """The number of the boundary to die at, 0 for none."""
    points: Path | None = None
    """Where the boundaries are written when it has lived."""
    bug: str = ""
    """`module:function` that breaks the product first, for tests of this suite."""


def work(job: Job) -> None:
    """The process's main function."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    if job.bug:
        module, _, name = job.bug.partition(":")
        getattr(importlib.import_module(module), name)()
    asyncio.run(_prepare(job) if job.task == PREPARE else _work(job))


def scenario_house(folder: Path, scenario: Scenario) -> AppDeps:
    """The scenario's house on a work folder."""
    values = desk_settings(folder / DATA, {"EMAIL_ASSISTANT_AUTHSERV_ID": HOST} | dict(scenario.settings))
    values["EMAIL_ASSISTANT_VAULT"] = str(folder / VAULT) if scenario.has_vault else ""
    models = scenario.models() if scenario.models else None
    return house_of(load_settings(values, folder), models)


async def _prepare(job: Job) -> None:
    scenario = SCENARIOS[job.scenario]
    async with _desk(job, Points()) as desk:
        await desk.house.database.open()
        await scenario.stock(desk.house)
        for case in scenario.before:
            await received(desk.house, case)
            await desk.finish()
        await received(desk.house, scenario.case)


async def _work(job: Job) -> None:
    points = Points(job.kill_at)
    if job.kill_at or job.points:
        points.watch()
    async with _desk(job, points) as desk:
        await (desk.step() if job.task == STEP else desk.finish())
    if job.points:
        points.write(job.points)


@asynccontextmanager
async def _desk(job: Job, points: Points) -> AsyncIterator["_Desk"]:
    scenario, folder = SCENARIOS[job.scenario], job.folder
    house = scenario_house(folder, scenario)
    store = InMemoryStore(index={"embed": house.embedder.embed, "dims": DIMS, "fields": ["text"]})
    await scenario.shelve((house, store))
    (folder / SERVER).mkdir(parents=True, exist_ok=True)
    async with AsyncSqliteSaver.from_conn_string(str(folder / SERVER / "checkpoints.db")) as saver:
        await saver.setup()
        # Nothing here survives a power cut, but all of it a kill.
        await saver.conn.execute("PRAGMA synchronous=OFF")
        graph = built(house, scenario.graph)(checkpointer=saver, store=store)
        saved = partial(points.come_to, STATE, SERVER_SAVES)
        server = LocalServer(folder / SERVER, graph, [NodeWatcher(points)], saved)
        try:
            yield _Desk(folder, scenario, house, server)
        finally:
            (folder / ERRORS).write_text("\n".join(server.errors), encoding="utf-8")
            await house.database.close()


@dataclass(frozen=True)
class _Desk:
    folder: Path
    scenario: Scenario
    house: AppDeps
    server: LocalServer

    async def finish(self) -> None:
        """Take steps until no mail is open."""
        for _ in range(MAX_STEPS):
            await self.step()
            if not await self.house.mail_log.with_status(*OPEN) and not self.server.waiting():
                return

    async def step(self) -> None:
        """Go on with what was cut off; answer a card that waits, or else look for mail."""
        await self.server.work()
        await ingesting.recovery(self.house, self.server.client).recover(_LATER)
        await self.server.work()
        for thread_id in self.server.waiting()[:1]:
            card = await self.server.card(thread_id)
            title = card["action_request"]["action"]
            words = self.scenario.says.get(title)
            kind = RESPONSE if words else self.scenario.answer(title)
            if kind == ACCEPT:
                self._note(title)
            self.server.add_run(
                thread_id, None, [accepting(card) if kind == ACCEPT else {"type": kind, "args": words}]
            )
            await self.server.work()
            return
        await ingesting.ingestion(self.house, self.server.client, self.scenario.graph).run(Look())

    def _note(self, title: str) -> None:
        """Written before the answer is given: a process that dies on it has had it all the same."""
        with (self.folder / ACCEPTED).open("a", encoding="utf-8") as file:
            file.write(f"{title}\n")
