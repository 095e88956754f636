"""Checks of what a run may bring, whichever door the caller came through, and answers in the form that the server must get.

Requests, WebSockets, MCP, A2A and schedules all make their runs in one place of the server, which asks the
authorization hook `threads.create_run` first. Inputs are read by the same readers as the graphs' own.

Answers are never null, and bound to the card that they are for. LangGraph takes a null resume (`{"command": {"resume": null}}`)
for "no resume" and fails the thread, which hides its card from the human, and takes an empty object for "nothing was answered".
Here both become the empty text, which the graph answers like any other answer it does not understand: by asking again. An answer
that names no card LangGraph keeps with the thread, and gives it to whatever asks there next: to the card after the one it was for,
when the run that took it is cut off and the thread goes on, or when a second click is late. Named by its id it is given to that
card alone, and is kept nowhere. What a caller names by its id itself counts as the card's name; the id that is put here does not.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from email_assistant.errors import InputError
from email_assistant.mail.email_input import parse_email_input
from email_assistant.review.agent_inbox import is_bare
from email_assistant.review.card import card_of
from email_assistant.server.engine import AskedRun
from email_assistant.tools.tool import User
from email_assistant.workflow_registry import workflow

INGEST = "ingest"
WAITING = frozenset({"interrupted", "busy"})
"""Conditions of a thread whose card a new input would put away; one that works may be about to ask."""
_ID = re.compile(r"[0-9a-f]{32}")
NO_CARD = "0" * 32
"""What an answer is for that comes when nothing is asked."""

_RUNS = re.compile(r"^/threads/[^/]+/runs(?:/wait|/stream)?$")
_SUSPECT = re.compile(rb'"resume"\s*:\s*(?:null|\{\s*\})')


@dataclass(frozen=True)
class RunDoor:
    """Lets a run in, or raises `InputError`."""

    graph_of: Callable[[str], Awaitable[str]]
    """The graph of an assistant."""
    thread: Callable[[str], Awaitable[Mapping[str, Any] | None]]
    """The server's run thread of that id, None when there is none."""
    user: Callable[[], Awaitable[User]]

    async def check(self, run: AskedRun) -> None:
        """Raises `InputError` for a run that would do what nobody may ask for."""
        command = run.command or {}
        _check_command(command)
        if command.get("resume") is not None and run.thread_id:
            await self._check_graph(run.assistant_id, run.thread_id)
        if run.input is None:
            return
        graph = await self.graph_of(run.assistant_id)
        if graph == INGEST:
            check_look(run.input)
        elif run.thread_id and await self._waits(run.thread_id):
            await self._keep_card(graph, run.input)

    async def _check_graph(self, assistant_id: str, thread_id: str) -> None:
        """An answer is taken by the graph that asked: another one would begin its own work, and lose what was approved."""
        owner = ((await self.thread(thread_id) or {}).get("metadata") or {}).get("graph_id")
        if owner and owner != await self.graph_of(assistant_id):
            raise InputError(
                f"assistant_id: the card of this thread is {owner}'s; answer it with assistant_id {owner}"
            )

    async def _waits(self, thread_id: str) -> bool:
        thread = await self.thread(thread_id) or {}
        return thread.get("status") in WAITING or bool(thread.get("interrupts"))

    async def _keep_card(self, graph: str, inputs: Any) -> None:
        """New mail takes a waiting card's place; LangGraph would put the card away for anything else, too."""
        try:
            await check_mail(graph, inputs, await self.user())
        except InputError as error:
            raise InputError(f"{error}; the card that waits on this thread stays") from None


def _check_command(command: Mapping[str, Any]) -> None:
    """An answer brings its answer alone: what it approves is what was shown, and where the work goes on is the graph's to say."""
    for name in ("update", "goto"):
        if command.get(name):
            raise InputError(f"command.{name} is not taken: answer with command.resume alone")


def check_look(inputs: Any) -> None:
    """Raises `InputError` for a field that `ingest` does not know.

    Fields beside a graph's input are dropped by LangGraph without a word; who names an address to start runs at shall be told.
    """
    from email_assistant.ingest.look import IngestInput  # Graphs are slow to import.

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


class NullAnswer:
    """ASGI middleware; requests without a null answer pass through byte for byte."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Rewrite the body of a run request when it holds one of the two answers."""
        if scope["type"] != "http" or scope["method"] != "POST" or not _RUNS.match(scope["path"]):
            await self._app(scope, receive, send)
            return
        messages = [await receive()]
        while messages[-1]["type"] == "http.request" and messages[-1].get("more_body"):
            messages.append(await receive())
        body = b"".join(m.get("body", b"") for m in messages)
        if _SUSPECT.search(body):
            body, scope = _mended(body, scope)
            messages = [{"type": "http.request", "body": body, "more_body": False}]
        queue = iter(messages)

        async def replay() -> Message:
            return next(queue, None) or await receive()

        await self._app(scope, replay, send)


def _mended(body: bytes, scope: Scope) -> tuple[bytes, Scope]:
    try:
        request = json.loads(body)
    except ValueError:
        return body, scope
    command = request.get("command") if isinstance(request, dict) else None
    if not isinstance(command, dict) or command.get("resume", "") not in (None, {}):
        return body, scope
    command["resume"] = ""
    mended = json.dumps(request).encode()
    headers = [(k, v) for k, v in scope["headers"] if k.lower() != b"content-length"]
    return mended, {**scope, "headers": [*headers, (b"content-length", str(len(mended)).encode())]}


def bound(answer: Any, thread: Mapping[str, Any] | None) -> Any:
    """The answer (`command.resume`) with the id of the thread's card; one that names its card already stays as it is."""
    cards = {i["id"]: i for asked in ((thread or {}).get("interrupts") or {}).values() for i in asked}
    if isinstance(answer, Mapping) and answer and all(_ID.fullmatch(str(key)) for key in answer):
        return {key: _named(given, cards.get(key)) for key, given in answer.items()}
    return {next(iter(cards), NO_CARD): answer}


def _named(answer: Any, interrupt: Mapping[str, Any] | None) -> Any:
    """An answer that a caller gave under the id of a card: by that it names the card, too."""
    card = card_of(interrupt.get("value")) if interrupt else None
    if card is None or not is_bare(answer):
        return answer
    return [{"type": "accept", "args": {"action": card["action_request"]["action"]}}]
