"""The `ingest` graph: one look into the mailbox, started by hand, by a schedule or by a push."""

from dataclasses import dataclass
from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from email_assistant.ingest.ingestion import Builder
from email_assistant.ingest.look import parse_look


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

    ingestion_for: Builder

    async def take_in(self, state: IngestState) -> dict[str, Any]:
        """Settle what the look finds; an error ends the run, and the next look finds the rest."""
        look = parse_look({name: value for name, value in state.items() if name in ASKED})
        ingestion = await self.ingestion_for(state.get("graph_name") or None)
        tally = await ingestion.run(look)
        return {"counts": dict(tally.counts), "complete": tally.complete}


def ingest_graph(nodes: IngestNodes) -> StateGraph[IngestState, None, IngestInput, IngestState]:
    """The drawing: one node."""
    graph: StateGraph[IngestState, None, IngestInput, IngestState] = StateGraph(
        IngestState, input_schema=IngestInput, output_schema=IngestState
    )
    graph.add_node("take_in", nodes.take_in)
    graph.add_edge(START, "take_in")
    graph.add_edge("take_in", END)
    return graph
