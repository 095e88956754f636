"""`serve`: the LangGraph server in this process, with this command's settings, in the data folder, until it is asked to end."""

import logging
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Annotated

import click
import structlog
import typer
from langgraph_cli.cli import cli
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from email_assistant.adapters.files import write_atomically
from email_assistant.app.assistant import AppDeps
from email_assistant.app.journal import check_files
from email_assistant.cli.console import app_deps, remind_of_person, run_async, say
from email_assistant.cli.server_note import (
    DEFAULT_PORT,
    HOST,
    check_alone,
    check_port,
    only_server,
    server_config_text,
    url_of,
)
from email_assistant.errors import ProviderError
from email_assistant.journal.engines import normalise_url
from email_assistant.server.engine import check_installed
from email_assistant.settings import Settings, load_settings

JOBS = 8
CONFIG_FILE = "langgraph.json"
"""In the data folder; what it holds is decided in `server_config`."""
START_SECONDS = 60
POLL_SECONDS = 0.1
QUIET = {
    "LANGSMITH_TRACING": "false",
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
}
"""Telemetry is off unless the shell says otherwise."""
PortOption = Annotated[int, typer.Option(help="The port on 127.0.0.1.", min=1, max=65535)]


def serve(port: PortOption = DEFAULT_PORT) -> None:
    """Start the server and keep it running until Ctrl-C; its log goes to the terminal."""
    with until_stopped():
        check_installed()
        check_alone(load_settings().data_path)
        check_port(port)
        settings = checked_deps().settings
        with only_server(settings.data_path, port):
            _move_in(settings)
            threading.Thread(target=_greet, args=(port,), daemon=True).start()
            _go_on_as_server(port)


@contextmanager
def until_stopped() -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal are the regular end of a server: exit code 0."""
    with suppress(KeyboardInterrupt), ends_on_signals():
        yield
    say("Stopped.")


@contextmanager
def ends_on_signals() -> Iterator[None]:
    """Let SIGTERM and a closed terminal (SIGHUP) end the block as Ctrl-C does, with `KeyboardInterrupt`.

    SIGINT counts even where a shell has started the command in the background with SIGINT ignored: nothing
    else would end its server in good order. `nohup` is respected.
    """
    signals = [signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signals.append(signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *signals)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in signals:
        # By way of SIGINT, because asyncio handles that one while it runs.
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def checked_deps() -> AppDeps:
    """The assistant, after everything in its settings that can be wrong was looked at, and with its database open.

    Raises `ConfigError`, and `AccessError` when nobody has signed in to the account at Google that they name.
    """
    deps = app_deps()
    if deps.settings.uses_google:
        # Slow to import; local mail does without.
        from email_assistant.adapters.google.access import GoogleTokens

        GoogleTokens.of(deps.settings).load()
    for tier in ("fast", "strong"):
        deps.models.settings.spec(tier)
    remind_of_person(deps)
    check_files(deps)
    run_async(deps.database.open())
    return deps


def wait_until_ready(port: int, is_running: Callable[[], bool], seconds: float = START_SECONDS) -> bool:
    """Poll until the server answers; False when it ends first or takes longer than `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and is_running():
        if _is_ok(port):
            return True
        time.sleep(POLL_SECONDS)
    return False


def _is_ok(port: int) -> bool:
    """Asked by the standard library, whose modules are here: a thread that imports others may meet the server's imports halfway."""
    connection = HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/ok")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _greet(port: int) -> None:
    """Tell where the server is, however long a busy machine takes to start it; the thread ends with the process."""
    if wait_until_ready(port, lambda: True, math.inf):
        say(f"email_assistant is at {url_of(port)}; Ctrl-C ends it.")


def _move_in(settings: Settings) -> None:
    """Work in the data folder: what the server remembers of its threads belongs to that folder's mailbox and journal."""
    # Made anew, because it belongs to the package that is installed now, wherever that is.
    write_atomically(settings.data_path / CONFIG_FILE, server_config_text().encode())
    log = {"LOG_COLOR": str(sys.stdout.isatty()).lower(), "LOG_LEVEL": settings.log_level.upper()}
    os.environ.update(QUIET | log | dict(os.environ) | given_settings(settings))
    os.chdir(settings.data_path)


def _go_on_as_server(port: int) -> None:
    """Be the server until a signal ends it; raises `ProviderError` when it does not start."""
    structlog.reset_defaults()  # The server's log has a form of its own.
    if not sys.stdout.isatty():
        logging.getLogger("langgraph_api.cli").setLevel(logging.WARNING)  # It greets in colours.
    words = [
        "dev", "--config", CONFIG_FILE, "--no-browser", "--no-reload",
        "--host", HOST, "--port", str(port), "--n-jobs-per-worker", str(JOBS),
    ]  # fmt: skip
    try:
        cli.main(words, prog_name="langgraph", standalone_mode=False)
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as end:
        raise ProviderError(
            f"the server did not start on port {port} (exit code {end.code}); its log is above"
        ) from None


def given_settings(settings: Settings) -> dict[str, str]:
    """Every setting that was given, wherever it was given; folders are absolute, because the server works elsewhere."""
    given = {
        str(field.alias): _plain(getattr(settings, name))
        for name, field in type(settings).model_fields.items()
        if name in settings.model_fields_set and getattr(settings, name) is not None
    }
    return given | _absolute(settings)


def _plain(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _absolute(settings: Settings) -> dict[str, str]:
    places = {"EMAIL_ASSISTANT_DATA_DIR": str(settings.data_path)}
    for name, value, path in (
        ("EMAIL_ASSISTANT_MAILBOX", settings.mailbox, settings.mailbox_path),
        ("EMAIL_ASSISTANT_CALENDAR", settings.calendar, settings.calendar_path),
    ):
        if ":" in value and path:
            places[name] = f"{value.partition(':')[0]}:{path.absolute()}"
    if settings.database_url:
        places["DATABASE_URL"] = _absolute_database(settings.database_url)
    return places


def _absolute_database(url: str) -> str:
    """A SQLite path made absolute; any other URL as it is. Raises `ConfigError` for what is no database URL."""
    parsed = make_url(normalise_url(url))
    if parsed.get_backend_name() != "sqlite":
        return url
    file = str(Path(parsed.database or "").absolute())
    return parsed.set(database=file).render_as_string(hide_password=False)
