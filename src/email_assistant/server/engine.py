"""The server that the graphs are served by: all that this project knows of it, and takes for granted.

It is the development server (langgraph-api with langgraph-runtime-inmem). What differs on another one differs here: how its own assistants
are named, where its CORS list is, its client of itself, the shape in which it asks whether a run may be made, and what it holds in memory.

`keeps_saving` writes its threads, runs and store down every few seconds. The server would do so itself, but stops (langgraph-runtime-inmem
0.36.7, `_persistence.py`): a table that is empty at that moment is never looked at again, and one error, such as a full disk, ends it for
good.

`one_at_a_time` has it delete one thread at a time, and of one that is over all that it keeps. It finds a thread's place in its list, waits
for the checkpoints to be deleted, and then removes whatever is at that place (its `ops.py`): of two deletions at one moment one takes
another thread's row, card and all.

`prove_doors` asks it for what it must refuse, before it serves anybody. A guard that is asked in a form it does not know finds nothing to
refuse; so it refuses the form (`asked_run`), and a server that does not ask it at all is not started.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, MutableMapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID, uuid4, uuid5

import httpx
import structlog
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from starlette.applications import Starlette
from starlette.authentication import BaseUser
from starlette.types import ASGIApp, Receive, Scope, Send

from email_assistant.errors import ConfigError, InputError
from email_assistant.mail.text import one_line

FOLDER = Path(".langgraph_api")
"""Where it writes what it holds, in the folder that it works in."""
SECONDS = 10.0
TRIES = 5
DATABASE, STORE, FLUSHING = (
    f"langgraph_runtime_inmem.{name}" for name in ("database", "store", "_persistence")
)
STREAMS, OPERATIONS = "langgraph_runtime_inmem.inmem_stream", "langgraph_runtime_inmem.ops"
KNOWN = frozenset({"inmem", "postgres"})
"""The runtimes of the development server and of the Agent Server, as langgraph-api calls them."""
TRIED = "EMAIL_ASSISTANT_TRIED_RUNTIME"
"""The environment variable by which tests let one more of them serve."""
PROOF_SECONDS = 30.0
KEPT_BY_THREAD = ("queues", "control_keys", "control_queues", "thread_streams", "message_stores")
"""What its stream manager keeps of the runs of a thread, and of a deleted one for good."""
KEPT_BY_RUN = ("_counters", "_locks")
"""What its counter of attempts keeps."""
TURN_SECONDS = 0.002

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class AskedRun:
    """A run that the server is about to make."""

    assistant_id: str
    thread_id: str | None
    input: Any
    command: MutableMapping[str, Any] | None
    """The server's own; what is changed in it is changed in the run."""


def asked_run(value: Any) -> AskedRun:
    """The run that the authorization hook `threads.create_run` is asked about; raises `InputError` for another shape."""
    asked = value.get("kwargs") if isinstance(value, Mapping) else None
    if (
        not isinstance(asked, Mapping)
        or not {"input", "command"} <= asked.keys()
        or not value.get("assistant_id")
    ):
        raise InputError(
            "the server asks for a run in a form that is not known here: nothing is run unchecked"
        )
    command = asked["command"]
    if command is not None and not isinstance(command, MutableMapping):
        raise InputError("command must be an object")
    thread_id = value.get("thread_id")
    return AskedRun(
        str(value["assistant_id"]), str(thread_id) if thread_id else None, asked["input"], command
    )


def own_client() -> LangGraphClient:
    """A client of this server, which needs no key; else the SDK would take one from the environment, meant for another service."""
    return get_client(url=None, api_key=None, headers=None)


async def graph_of(assistant_id: str, names: Iterable[str]) -> str:
    """The graph of an assistant; of the server's own, which it makes of each graph, without asking it."""
    from langgraph_api.graph import NAMESPACE_GRAPH  # type: ignore[import-untyped]  # As below.

    for graph in names:
        if assistant_id == str(uuid5(NAMESPACE_GRAPH, graph)):
            return graph
    return str((await own_client().assistants.get(assistant_id))["graph_id"])


async def thread_row(thread_id: str) -> Mapping[str, Any] | None:
    """Its row of a thread. It is held in memory: a request to itself for each run costs as much as a run's creation."""
    if (rows := server_rows()) is not None:
        return next((row for row in rows["threads"] if row["thread_id"] == UUID(thread_id)), None)
    try:
        return await own_client().threads.get(thread_id)
    except NotFoundError:
        return None


class Caller(dict[str, Any], BaseUser):
    """Who was let in. It stays as it is, and can be written as JSON: some servers keep it with the run."""

    def __init__(self, identity: str) -> None:
        """By what it is called."""
        super().__init__(identity=identity, is_authenticated=True, display_name=identity, permissions=[])

    @property
    def identity(self) -> str:
        """What it is called."""
        return str(self["identity"])

    @property
    def is_authenticated(self) -> bool:
        """Nobody else is let in."""
        return True

    @property
    def display_name(self) -> str:
        """What it is called."""
        return self.identity


class App(Starlette):
    """The app that a server adds to its own; it starts and stops without the server's middlewares, which may need what starts later."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Start, stop, or answer a request."""
        if scope["type"] == "lifespan":
            scope["app"] = self
            await self.router(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def cors() -> Mapping[str, Any]:
    """The CORS list of langgraph.json, as the server has read it."""
    from langgraph_api import config  # type: ignore[import-untyped]  # Can be imported in the server alone.

    return config.CORS_CONFIG or {}


def check_installed() -> None:
    """Raises `ConfigError` where the development server is not installed, as in an image, which brings another."""
    if find_spec("langgraph_runtime_inmem") is None:
        raise ConfigError(
            "the server is not installed: pipx install '.[local]' (or uvx --from '.[local]' email-assistant run)"
        )


def check_known() -> None:
    """Raises `ConfigError` on a server that is not LangGraph's own: its calls may mean something else, and no contract has tried them."""
    runtime = getattr(sys.modules.get("langgraph_runtime"), "RUNTIME_EDITION", "")
    if "langgraph_api" not in sys.modules or runtime not in {*KNOWN, os.environ.get(TRIED, "")} - {""}:
        raise ConfigError(
            f"this server ({runtime or 'of another kind'}) is neither LangGraph's Agent Server nor its development server, the only ones "
            "that are known here: nothing is served"
        )


async def prove_doors(app: ASGIApp, graph: str, token: str | None) -> None:
    """Ask `app` by HTTP for a run of `graph` that no caller may have, with the API token and, where there is one, without.

    It would begin in an hour, on a thread of its own, which is taken away. Raises `ConfigError` unless each is refused by its guard, in the
    guard's words: then nothing may be served.
    """
    forbidden = {
        "assistant_id": graph,
        "command": {"update": {"messages": []}},
        "after_seconds": 3600,
        "if_not_exists": "create",
    }
    thread, key = f"/threads/{uuid4()}", {"x-api-key": token} if token else {}
    asked = [(key, 422, "command.update")] + [({}, 401, "x-api-key")] * bool(token)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        for headers, code, words in asked:
            try:
                async with asyncio.timeout(PROOF_SECONDS):
                    answer = await client.post(f"{thread}/runs", json=forbidden, headers=headers)
                got = f"{answer.status_code} ({one_line(answer.text, limit=100)})"
                is_guarded = answer.status_code == code and words in answer.text
            except TimeoutError:
                got, is_guarded = "nothing", False
            if not is_guarded:
                with suppress(Exception):
                    await asyncio.wait_for(client.delete(thread, headers=key), PROOF_SECONDS)
                raise ConfigError(
                    f"the server answers {got} to a run that must be refused with {code} and a word on {words}: it does not ask this "
                    "project's guard, so nothing is served (is `auth` named in langgraph.json, and langgraph-api as in requirements.lock?)"
                )


class Table(Protocol):
    """One file's worth of it."""

    filename: str

    def sync(self) -> None:
        """Write it; raises `OSError`, or `RuntimeError` when it was changed meanwhile."""


def server_rows() -> Any:
    """The tables of the development server this process is; None in any other."""
    database = sys.modules.get(DATABASE)
    return database.GLOBAL_STORE if database else None


@asynccontextmanager
async def keeps_saving(seconds: float = SECONDS) -> AsyncIterator[None]:
    """Save until the block ends, in place of the server. What it holds must be loaded before."""
    if server_rows() is None:
        yield
        return
    await asyncio.to_thread(sys.modules[FLUSHING].stop_flush_loop)
    over = threading.Event()
    thread = threading.Thread(target=_save_until, args=(over, seconds), name="saving", daemon=True)
    thread.start()
    try:
        yield
    finally:
        # Before the server closes its tables: saved after that they would be empty.
        over.set()
        await asyncio.to_thread(thread.join)


def _save_until(over: threading.Event, seconds: float) -> None:
    while not over.wait(seconds):
        save(_tables())


def save(tables: Sequence[Table]) -> None:
    """Write each; one that cannot be written now is left as it is on disk until the next time."""
    for table in tables:
        for left in reversed(range(TRIES)):
            try:
                table.sync()
                break
            except RuntimeError:
                if not left:
                    log.warning("not_saved", file=table.filename, reason="it is changed all the time")
            except Exception as error:  # noqa: BLE001 - whatever it is, the other tables are saved, and this one next time
                reason = getattr(error, "strerror", None) or type(error).__name__
                log.warning("not_saved", file=table.filename, reason=reason)
                break


def _tables() -> list[Table]:
    """Counts of attempts before runs: a crash in between counts one too many."""
    database, store = sys.modules[DATABASE], sys.modules[STORE].STORE
    tables = [database.GLOBAL_RETRY_COUNTER._counters, database.GLOBAL_STORE, store._data, store._vectors]
    return [table for table in tables if hasattr(table, "sync")]


def one_at_a_time(only_idle: Collection[str]) -> None:
    """From now on; of `only_idle`, which may change, those are refused (409) that have begun to work or wait meanwhile."""
    operations = sys.modules[OPERATIONS]
    original, turn = operations.Threads.delete, threading.Lock()

    async def delete(conn: Any, thread_id: Any, ctx: Any = None) -> Any:
        while not turn.acquire(blocking=False):  # noqa: ASYNC110 - deletions come from several event loops
            await asyncio.sleep(TURN_SECONDS)
        try:
            runs = [run["run_id"] for run in conn.store["runs"] if str(run["thread_id"]) == str(thread_id)]
            is_over = str(thread_id) in only_idle
            if is_over and _is_busy(conn.store, str(thread_id)):
                raise operations.HTTPException(status_code=409, detail="the thread is at work again")
            deleted = await original(conn, thread_id, ctx)
        finally:
            turn.release()
        # Not of a thread that a run without one has had: who waits for that run is told only now what came of it.
        if is_over:
            _forget(UUID(str(thread_id)), runs, conn.retry_counter)
        return deleted

    operations.Threads.delete = staticmethod(delete)


def _is_busy(rows: Any, thread_id: str) -> bool:
    return any(row["status"] != "idle" for row in rows["threads"] if str(row["thread_id"]) == thread_id)


def _forget(thread_id: UUID, runs: Iterable[UUID], attempts: Any) -> None:
    streams = sys.modules[STREAMS].get_stream_manager()
    for name in KEPT_BY_THREAD:
        getattr(streams, name, {}).pop(thread_id, None)
    for run_id in runs:
        for name in KEPT_BY_RUN:
            getattr(attempts, name, {}).pop(run_id, None)
