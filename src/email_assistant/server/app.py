"""What langgraph.json names: the graphs, the web application, the authentication and the store's embedding."""

import asyncio
import contextlib
import gc
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph_sdk import Auth
from langgraph_sdk.client import LangGraphClient
from starlette.applications import Starlette
from starlette.middleware import Middleware

from email_assistant.app import ingesting
from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.app.graphs import graph_of, ingest_graph_of
from email_assistant.app.journal import check_files
from email_assistant.checkpoints.savers import open_saver
from email_assistant.checkpoints.server_rows import Agreement
from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.ingest.closing import FinishedThreads
from email_assistant.ingest.ingestion import Ingestion, Poller
from email_assistant.ingest.recovery import Recovery
from email_assistant.journal.leader import while_leader
from email_assistant.journal.run_threads import CutOff
from email_assistant.page.application import page_routes
from email_assistant.page.services import PageServices
from email_assistant.privacy import be_private, quiet_libraries, tighten
from email_assistant.review.kinds import load_kinds
from email_assistant.server import engine
from email_assistant.server.middleware import BrowserGuard, DoorRules, RequestLimit
from email_assistant.server.run_door import INGEST, NullAnswer, RunDoor, bound
from email_assistant.settings import load_settings
from email_assistant.tools.tool import User
from email_assistant.workflow_registry import NAMES

RECOVERY_SECONDS = 30.0
READY_SECONDS = 0.5

log = structlog.get_logger(__name__)


class _Server:
    """What the server holds for its life: settings are read once, when the first request needs them."""

    def __init__(self) -> None:
        self._deps: AppDeps | None = None
        self._graphs: dict[str, Any] = {}
        self.doomed: set[str] = set()
        """Threads that are being deleted because they are over."""
        self.has_checkpoints = False
        """Whether one of its event loops has opened them, the one that starts and ends the server."""
        self.stopped: Mapping[str, str] = {}
        """Threads, with their graphs, that the server before this one was cut off at while it worked on an answer."""

    async def deps(self) -> AppDeps:
        if self._deps is None:
            self._deps = await asyncio.to_thread(_opened)
        return self._deps

    async def graph(self, name: str, build: Callable[[AppDeps], Any]) -> Any:
        if name not in self._graphs:
            deps = await self.deps()
            self._graphs[name] = await asyncio.to_thread(build, deps)
        return self._graphs[name]

    async def client(self) -> LangGraphClient:
        """A client of this server."""
        return engine.own_client()

    async def ingestion(self, graph: str | None) -> Ingestion:
        deps = await self.deps()
        return ingesting.ingestion(deps, await self.client(), graph, wait=False)


def _opened() -> AppDeps:
    """The house with its adapters made and its kinds of cards known: both read from disk, which must not happen in an event loop."""
    be_private()
    quiet_libraries()
    deps = deps_of(load_settings(), is_server=True)
    for folder in (deps.settings.data_path, engine.FOLDER):
        tighten(folder)
    load_kinds()
    check_files(deps)
    return deps


_server = _Server()


def _served(name: str) -> Callable[[], Awaitable[Any]]:
    async def graph() -> Any:
        return await _server.graph(name, lambda deps: graph_of(deps, name))

    graph.__doc__ = f"The compiled `{name}` graph; the server adds checkpointer and store."
    return graph


globals().update(
    {name: _served(name) for name in NAMES}
)  # The server looks them up by the names in langgraph.json.


async def ingest() -> Any:
    """The compiled `ingest` graph."""
    return await _server.graph("ingest", lambda deps: ingest_graph_of(deps, _server.ingestion))


async def embed(texts: Sequence[str]) -> list[list[float]]:
    """The vectors by which the store finds what is similar; langgraph.json names it by way of `py.py`."""
    return await (await _server.deps()).embedder.embed(texts)


@contextlib.asynccontextmanager
async def checkpointer() -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Where the graphs' states are kept, for one event loop of the server.

    The first one is opened when the server has loaded its rows and works on nothing yet: they are made to agree with
    the checkpoints there, and saved from then on.
    """
    deps = await _server.deps()
    await deps.database.open()  # It makes the schema that the checkpoints' tables lie in, too.
    async with (
        open_saver(deps.database.url, deps.settings.data_path) as saver,
        contextlib.AsyncExitStack() as stack,
    ):
        if not _server.has_checkpoints:
            _server.has_checkpoints = True
            if (rows := engine.server_rows()) is not None:
                agreement = Agreement(saver, CutOff(deps.database, deps.clock).ended_runs, deps.clock)
                _server.stopped = await agreement.reach(rows)
                engine.one_at_a_time(_server.doomed)
            await stack.enter_async_context(engine.keeps_saving())
        yield saver


auth = Auth()


@auth.authenticate
async def authenticate(headers: dict[Any, Any]) -> engine.Caller:
    """Let in whoever shows the API token; everybody when none is set, because the server listens on loopback only."""
    token = (await _server.deps()).settings.api_token
    shown = headers.get(b"x-api-key") or headers.get("x-api-key") or b""
    shown = shown if isinstance(shown, bytes) else str(shown).encode()
    if token and not hmac.compare_digest(shown, token.get_secret_value().encode()):
        raise Auth.exceptions.HTTPException(
            status_code=401, detail="the x-api-key header is missing or wrong"
        )
    return engine.Caller("owner")


async def _graph_of(assistant_id: str) -> str:
    return await engine.graph_of(assistant_id, (INGEST, *NAMES))


async def _user() -> User:
    return (await _server.deps()).user


_door = RunDoor(_graph_of, engine.thread_row, _user)


@auth.on.threads.create_run
async def check_run(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Refuse a run that asks for what no caller may decide, naming the field; let an answer count for the card it is for."""
    try:
        run = engine.asked_run(value)
        await _door.check(run)
        if run.thread_id and run.command and run.command.get("resume") is not None:
            run.command["resume"] = bound(run.command["resume"], await engine.thread_row(run.thread_id))
    except InputError as error:
        raise Auth.exceptions.HTTPException(status_code=422, detail=str(error)) from None


@auth.on.threads.delete
async def note_deletion(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Put on record that a person wants threads gone: a crash loses threads, too, and those come back."""
    asked = [] if value.get("run_id") else value.get("thread_ids") or [value.get("thread_id")]
    for thread_id in [str(each) for each in asked if each and str(each) not in _server.doomed]:
        deps = await _server.deps()
        await ingesting.closing(deps, await _server.client()).forget(thread_id)


async def _door_rules() -> DoorRules:
    s = (await _server.deps()).settings
    return DoorRules(s.allowed_host_names, s.allowed_origin_list)


async def _max_request_bytes() -> int:
    return (await _server.deps()).settings.max_request_bytes


async def _recover_for_ever() -> None:
    """Look for mail; bring back lost cards after a start, and again from time to time; delete what is over; give answers that are due to
    their cards."""
    deps = await _server.deps()
    if missing := deps.settings.missing_person:
        log.warning(missing)
    client = await _server.client()
    recovery = ingesting.recovery(deps, client)
    finished = ingesting.finished_threads(deps, client, _server.doomed)

    async def ingestion() -> Ingestion:
        return ingesting.ingestion(deps, client, None)

    poller = Poller(ingestion, deps.settings.data_path, deps.settings.look_seconds, deps.mailbox.wait)
    untouched_since = deps.clock.now()
    await _until_ready(client)
    for thread_id, graph in _server.stopped.items():
        with contextlib.suppress(Exception):  # Recovery finds those of mail again.
            await client.runs.create(thread_id, graph, input=None)

    async def lead() -> None:
        polling = asyncio.create_task(poller.run())
        try:
            await _recover_again_and_again(recovery, finished, untouched_since)
        finally:
            polling.cancel()
            await asyncio.gather(polling, return_exceptions=True)

    await while_leader(deps.database, lead)


async def _recover_again_and_again(
    recovery: Recovery, finished: FinishedThreads, untouched_since: datetime
) -> None:
    deps, after_start = await _server.deps(), True
    while True:
        try:
            await recovery.recover(untouched_since, after_start=after_start)
            await finished.delete()
        except Exception as error:  # noqa: BLE001 - the next round tries again; the server must not end for this
            log.warning("recovery_failed", reason=type(error).__name__, detail=str(error)[:200])
        await asyncio.sleep(RECOVERY_SECONDS)
        untouched_since, after_start = deps.clock.now() - timedelta(seconds=RECOVERY_SECONDS), False


async def _until_ready(client: Any) -> None:
    for _ in range(120):
        with contextlib.suppress(Exception):
            await client.assistants.search(limit=1)
            return
        await asyncio.sleep(READY_SECONDS)


async def _prepare(served: Starlette) -> None:
    """Tables that are up to date, and doors that are guarded: without them nothing is served."""
    deps = await _server.deps()
    token = deps.settings.api_token
    try:
        engine.check_known()
        await deps.database.open()
        await engine.prove_doors(served, INGEST, token.get_secret_value() if token else None)
    except EmailAssistantError as error:
        log.critical("not_started", reason=str(error))
        raise


@contextlib.asynccontextmanager
async def _lifespan(served: Starlette) -> AsyncIterator[None]:
    await _prepare(served)
    gc.freeze()  # What was imported stays: from now on it is not looked through for garbage.
    task = asyncio.create_task(_recover_for_ever())
    yield
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


_page = PageServices(_server.deps, _server.client)

app = engine.App(
    lifespan=_lifespan,
    routes=page_routes(_page),
    middleware=[
        Middleware(BrowserGuard, rules=_door_rules, cors=engine.cors),
        Middleware(RequestLimit, limit=_max_request_bytes),
        Middleware(NullAnswer),
    ],
)
