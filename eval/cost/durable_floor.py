"""The least that keeps the promises: a LangGraph graph that prepares, asks and performs, with everything on disk when it has to be.

Two levels, as `email_assistant` has them. One row a step in a journal of one SQLite connection, with one commit a superstep; a draft
that is written to a Maildir and synced before it is asked about; a row in an outbox that is committed before the draft is moved to
Sent, and once more after it. It reads no mail, checks nothing, learns nothing, and keeps out no second process.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langgraph.graph import END, START, StateGraph

from eval.cost.floor import Floor, State, ask

_TABLES = """
CREATE TABLE step (id INTEGER PRIMARY KEY, thread TEXT, node TEXT, told TEXT);
CREATE TABLE outbox (action TEXT PRIMARY KEY, status TEXT, result TEXT);
"""


@dataclass
class Disk:
    """A journal and a mailbox."""

    folder: Path
    journal: sqlite3.Connection = field(init=False)

    def __post_init__(self) -> None:
        for name in ("tmp", "drafts", "sent"):
            (self.folder / name).mkdir(parents=True)
        self.journal = sqlite3.connect(
            self.folder / "floor.db", isolation_level=None, check_same_thread=False
        )
        self.journal.execute("PRAGMA journal_mode=WAL")
        self.journal.execute("PRAGMA synchronous=NORMAL")
        self.journal.executescript(_TABLES)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One commit."""
        self.journal.execute("BEGIN IMMEDIATE")
        yield self.journal
        self.journal.execute("COMMIT")

    def step(self, thread: str, node: str, told: str) -> None:
        """A superstep's row, in a transaction of its own."""
        with self.transaction() as journal:
            journal.execute("INSERT INTO step (thread, node, told) VALUES (?, ?, ?)", (thread, node, told))

    def save(self, name: str, text: str) -> None:
        """A draft, on disk under its name."""
        with (self.folder / "tmp" / name).open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        self._move(name, "tmp", "drafts")

    def send(self, name: str) -> None:
        """The draft becomes what was sent; a second sender finds it gone."""
        self._move(name, "drafts", "sent")

    def _move(self, name: str, source: str, target: str) -> None:
        (self.folder / source / name).rename(self.folder / target / name)
        folder = os.open(self.folder / target, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


@dataclass
class DurableFloor(Floor):
    """The graph of one plan on a disk."""

    disk: Disk = field(kw_only=True)
    thread: str = field(kw_only=True)

    def compiled(self, saver: Any) -> Any:
        """The graph over a checkpointer: the first model call on the upper level, everything else below."""
        builder = StateGraph(State)
        builder.add_node("triage", self._noted_model)
        builder.add_node("agent", self._agent())
        builder.add_conditional_edges(START, self._first, ["triage", "agent", END])
        builder.add_conditional_edges("triage", self._next_below, ["agent", END])
        builder.add_edge("agent", END)
        return builder.compile(checkpointer=saver)

    def _agent(self) -> Any:
        builder = StateGraph(State)
        builder.add_node("model", self._noted_model)
        builder.add_node("prepare", self._prepare)
        builder.add_node("person", ask)
        builder.add_node("perform", self._perform)
        ways = {"model": "model", "person": "prepare", END: END}
        builder.add_conditional_edges(START, self._next, ways)
        builder.add_conditional_edges("model", self._next, ways)
        builder.add_edge("prepare", "person")
        builder.add_edge("person", "perform")
        builder.add_conditional_edges("perform", self._next, ways)
        return builder.compile()

    def _first(self, state: State) -> str:
        """The first step; a plan that begins with a person's has no triage."""
        below = self._next_below(state)
        return "triage" if below == "agent" and self.plan[0].who == "model" else below

    def _next_below(self, state: State) -> str:
        return "agent" if state["at"] < len(self.plan) else END

    async def _noted_model(self, state: State) -> dict[str, Any]:
        update = await self._model(state)
        self.disk.step(self.thread, "model", "x" * self.plan[state["at"]].answer)
        return update

    async def _prepare(self, state: State) -> dict[str, Any]:
        if self.plan[state["at"]].sends:
            self.disk.save(self._action(state["at"]), "x" * 500)
        self.disk.step(self.thread, "prepare", "x" * 1_000)
        return {}

    async def _perform(self, state: State) -> dict[str, Any]:
        at = state["at"] - 1
        action = self._action(at)
        with self.disk.transaction() as journal:  # The answer, and that its effect is begun.
            journal.execute(
                "INSERT INTO step (thread, node, told) VALUES (?, ?, ?)", (self.thread, "person", "accept")
            )
            journal.execute("INSERT INTO outbox VALUES (?, 'started', NULL)", (action,))
        if self.plan[at].sends:
            self.disk.send(action)
        with self.disk.transaction() as journal:
            journal.execute(
                "UPDATE outbox SET status = 'done', result = ? WHERE action = ?", ("x" * 100, action)
            )
            journal.execute(
                "INSERT INTO step (thread, node, told) VALUES (?, ?, ?)", (self.thread, "perform", "")
            )
        return {}

    def _action(self, at: int) -> str:
        return f"{self.thread.replace(' ', '-').replace('/', '-')}-{at}"
