"""A look: which mail ingestion searches for; and the `ingest` graph, which takes one, started by hand or by a schedule."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from filelock import FileLock, Timeout
from pydantic import AwareDatetime, BaseModel, Field, StrictBool, ValidationError, model_validator
from typing_extensions import TypedDict

from email_assistant.errors import InputError
from email_assistant.mail.mailbox import MailQuery
from email_assistant.setting_forms import mended

if TYPE_CHECKING:  # Graphs are slow to import.
    from langgraph.graph import StateGraph

    from email_assistant.ingest.ingestion import Builder

TRY_SECONDS = 0.2
"""Between two tries to have the lock."""
MAX_MINUTES = 60 * 24 * 365 * 30


class Look(BaseModel, frozen=True, extra="forbid"):
    """Which messages of the inbox to take up; without any condition, whatever is new since the last time."""

    email: str = ""
    """The account that is meant; "" is the one configured."""
    minutes_since: int | None = Field(None, ge=1, le=MAX_MINUTES)
    """Received within so many minutes."""
    after: AwareDatetime | None = None
    before: AwareDatetime | None = None
    query: str = ""
    """Words of sender, recipients or subject."""
    include_read: StrictBool = False
    rerun: StrictBool = False
    """Take up messages that were dealt with before, too."""
    early: StrictBool = False
    """Stop after the first conversation that is taken up."""
    limit: int | None = Field(None, ge=1)
    """At most so many messages that are new."""
    backfill: StrictBool = False
    """The whole inbox, read mail included, from the oldest message on."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.after and self.before and self.before <= self.after:
            raise ValueError("before must be later than after")
        if self.minutes_since is not None and (self.after or self.backfill):
            raise ValueError("minutes_since goes with neither after nor backfill: choose one")
        return self

    @property
    def is_search(self) -> bool:
        """Whether certain messages are asked for, and not whatever is new."""
        conditions = (self.minutes_since, self.after, self.before)
        return self.backfill or self.rerun or bool(self.query) or any(c is not None for c in conditions)

    def searched(self, now: datetime) -> MailQuery:
        """The query for the messages asked for."""
        after = now - timedelta(minutes=self.minutes_since) if self.minutes_since else self.after
        unread_only = not (self.include_read or self.backfill)
        return MailQuery(after=after, before=self.before, unread_only=unread_only, text=self.query)


def parse_look(values: Mapping[str, Any]) -> Look:
    """A `Look` of what is given, also as JSON, as the `ingest` graph takes it; raises `InputError` naming a field that is wrong."""
    try:
        return Look.model_validate({name: value for name, value in values.items() if value not in (None, "")})
    except ValidationError as error:
        raise InputError(mended(error)) from None


def look_lock(folder: Path) -> FileLock:
    """What whoever looks holds; the system frees it when a process dies."""
    return FileLock(folder / "looking.lock", thread_local=False, mode=0o600)


@asynccontextmanager
async def looking(folder: Path, *, wait: bool) -> AsyncIterator[bool]:
    """Whether nobody else looks while the block lasts; with `wait` it begins when that is so."""
    lock, is_held = look_lock(folder), False
    while not is_held:
        try:
            await asyncio.to_thread(lock.acquire, timeout=0)
            is_held = True
        except Timeout:
            if not wait:
                break
            await asyncio.sleep(TRY_SECONDS)
    try:
        yield is_held
    finally:
        if is_held:
            await asyncio.to_thread(lock.release)


class IngestInput(TypedDict, total=False):
    """What to look for; everything may be left out. `Look` says what each means. Where runs are started is no input."""

    email: str
    minutes_since: int | None
    graph_name: str
    """Which graph deals with the mail; each mail's owner by the settings when it is left out."""
    include_read: bool
    rerun: bool
    early: bool
    query: str
    limit: int | None
    after: str | None
    before: str | None


ASKED = frozenset(IngestInput.__annotations__) - {"graph_name"}


class IngestState(IngestInput, total=False):
    """The look and what came of it."""

    counts: dict[str, int]
    """How many messages were found in which condition."""
    complete: bool
    """Whether everything that was found is settled."""


@dataclass(frozen=True)
class IngestNodes:
    """The one node."""

    ingestion_for: "Builder"
    folder: Path
    """The data folder."""

    async def take_in(self, state: IngestState) -> dict[str, Any]:
        """Settle what the look finds; an error ends the run, and the next look finds the rest. Nothing when somebody else looks."""
        look = parse_look({name: value for name, value in state.items() if name in ASKED})
        ingestion = await self.ingestion_for(state.get("graph_name") or None)
        async with looking(self.folder, wait=look.is_search) as is_alone:
            if not is_alone:
                return {"counts": {}, "complete": False}
            tally = await ingestion.run(look)
        return {"counts": dict(tally.counts), "complete": tally.complete}


def ingest_graph(nodes: IngestNodes) -> "StateGraph[IngestState, None, IngestInput, IngestState]":
    """The drawing: one node."""
    from langgraph.graph import END, START, StateGraph

    graph: StateGraph[IngestState, None, IngestInput, IngestState] = StateGraph(
        IngestState, input_schema=IngestInput, output_schema=IngestState
    )
    graph.add_node("take_in", nodes.take_in)
    graph.add_edge(START, "take_in")
    graph.add_edge("take_in", END)
    return graph
