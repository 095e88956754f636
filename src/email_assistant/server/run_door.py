"""What a run may bring, asked by the server before it makes the run, whichever door the caller came through.

Requests, WebSockets, MCP, A2A and schedules all make their runs in one place of the server, which asks the
authorization hook `threads.create_run` first. Inputs are read by the same readers as the graphs' own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from email_assistant.errors import InputError
from email_assistant.mail.email_input import parse_email_input
from email_assistant.tools.tool import User
from email_assistant.workflow_registry import workflow

INGEST = "ingest"
WAITING = frozenset({"interrupted", "busy"})
"""Conditions of a thread whose card a new input would put away; one that works may be about to ask."""


@dataclass(frozen=True)
class RunDoor:
    """Lets a run in, or raises `InputError`."""

    graph_of: Callable[[str], Awaitable[str]]
    """The graph of an assistant."""
    thread: Callable[[str], Awaitable[Mapping[str, Any] | None]]
    """The server's run thread of that id, None when there is none."""
    user: Callable[[], Awaitable[User]]

    async def check(self, value: Mapping[str, Any]) -> None:
        """Raises `InputError` for a run that would do what nobody may ask for; `value` is the server's `RunsCreate`."""
        asked = value.get("kwargs") or {}
        _check_command(asked.get("command"))
        if asked.get("input") is None:
            return
        graph = await self.graph_of(str(value["assistant_id"]))
        if graph == INGEST:
            check_look(asked["input"])
        elif value.get("thread_id") and await self._waits(str(value["thread_id"])):
            await self._keep_card(graph, asked["input"])

    async def _waits(self, thread_id: str) -> bool:
        thread = await self.thread(thread_id) or {}
        return thread.get("status") in WAITING or bool(thread.get("interrupts"))

    async def _keep_card(self, graph: str, inputs: Any) -> None:
        """New mail takes a waiting card's place; LangGraph would put the card away for anything else, too."""
        try:
            await check_mail(graph, inputs, await self.user())
        except InputError as error:
            raise InputError(f"{error}; the card that waits on this thread stays") from None


def _check_command(command: Any) -> None:
    """An answer brings its answer alone: what it approves is what was shown, and where the work goes on is the graph's to say."""
    for name in ("update", "goto"):
        if isinstance(command, Mapping) and command.get(name):
            raise InputError(f"command.{name} is not taken: answer with command.resume alone")


def check_look(inputs: Any) -> None:
    """Raises `InputError` for a field that `ingest` does not know.

    Fields beside a graph's input are dropped by LangGraph without a word; who names an address to start runs at shall be told.
    """
    from email_assistant.ingest.graph import IngestInput  # Graphs are slow to import.

    known = IngestInput.__annotations__
    unknown = [str(name) for name in _object(inputs) if name not in known]
    if unknown:
        raise InputError(f"unknown field {unknown[0][:80]!r}; there are {', '.join(known)}")


async def check_mail(graph: str, inputs: Any, user: User) -> None:
    """Raises `InputError` naming the field when a mail graph could do nothing with the input."""
    fields, deals = _object(inputs), workflow(graph)
    if deals.brings_mail(fields):
        await asyncio.to_thread(lambda: parse_email_input(deals.email_input(fields, user)))


def _object(inputs: Any) -> Mapping[str, Any]:
    if not isinstance(inputs, Mapping):
        raise InputError("input must be an object")
    return inputs
