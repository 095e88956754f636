"""The LangGraph server as a child process, with this command's settings and the flags it needs, ended with its parent."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path

import httpx
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from email_assistant.adapters.files import write_atomically
from email_assistant.app.server_config import server_config_text
from email_assistant.cli.server_log import open_log, uncolour
from email_assistant.cli.server_note import DEFAULT_PORT, HOST, only_server, url_of
from email_assistant.errors import ConfigError, ProviderError
from email_assistant.journal.urls import normalise_url
from email_assistant.private_files import OTHERS
from email_assistant.settings import Settings

CONFIG_FILE = "langgraph.json"
"""In the data folder; what it holds is decided in `server_config`."""
JOBS = 8
START_SECONDS = 60
STOP_SECONDS = 20

__all__ = [
    "DEFAULT_PORT",
    "check_port",
    "ends_on_signals",
    "running_server",
    "url_of",
    "wait_for_end",
]


def check_port(port: int) -> None:
    """Raises `ConfigError` when the port cannot be had, because the server would silently take another one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            why = (
                "is taken: stop what listens there"
                if error.errno == errno.EADDRINUSE
                else f"cannot be used ({error.strerror})"
            )
            mend = "or choose another with --port"
            raise ConfigError(f"port {port} {why}, {mend}") from None


def command(port: int, config: Path) -> list[str]:
    """The server's command line."""
    langgraph = shutil.which("langgraph", path=str(Path(sys.executable).parent)) or shutil.which("langgraph")
    if langgraph is None:
        raise ConfigError(
            "the langgraph command is missing: install email-assistant again (in a checkout: `make setup`)"
        )
    return [
        langgraph, "dev", "--config", str(config), "--no-browser", "--no-reload",
        "--host", HOST, "--port", str(port), "--n-jobs-per-worker", str(JOBS),
    ]  # fmt: skip


def environment(settings: Settings, *, colour: bool = False) -> dict[str, str]:
    """The shell's environment with this command's settings in it; telemetry is off unless it was asked for.

    `colour` is for a log that goes to a terminal.
    """
    quiet = {
        "LOG_COLOR": str(colour).lower(),
        "LOG_LEVEL": settings.log_level.upper(),
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
    }
    return quiet | dict(os.environ) | child_settings(settings)


@contextmanager
def running_server(settings: Settings, port: int, log_file: Path | None) -> Iterator[subprocess.Popen[bytes]]:
    """Run the server until the block ends; its output goes to `log_file`, or through when None.

    It works in the data folder: what it remembers of its threads belongs to that folder's mailbox and journal.
    """
    check_port(port)
    output_of = open_log(log_file) if log_file else nullcontext(None)
    with only_server(settings.data_path, port), output_of as output:
        # Made anew, because it belongs to the package that is installed now, wherever that is.
        config = settings.data_path / CONFIG_FILE
        write_atomically(config, server_config_text().encode())
        process = subprocess.Popen(  # noqa: S603 - a fixed command line
            command(port, config),
            env=environment(settings, colour=log_file is None and sys.stdout.isatty()),
            cwd=settings.data_path,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output is not None else None,
            umask=OTHERS,
            start_new_session=True,  # Ctrl-C reaches this command alone, which then ends the server in good order.
        )
        try:
            wait_until_ready(process, port, log_file)
            if log_file:
                uncolour(log_file)
            yield process
        finally:
            stop(process)


def wait_until_ready(process: subprocess.Popen[bytes], port: int, log_file: Path | None) -> None:
    """Poll until the server answers; raises `ProviderError` when it ends or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{url_of(port)}/ok", timeout=2).is_success:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise ProviderError(f"the server did not start on port {port}{_where(log_file)}")


def wait_for_end(process: subprocess.Popen[bytes], log_file: Path | None) -> None:
    """Wait for as long as the server runs; raises `ProviderError`, because nobody but this command should end it."""
    code = process.wait()
    raise ProviderError(f"the server ended by itself (exit code {code}){_where(log_file)}")


def _where(log_file: Path | None) -> str:
    return f"; its log is {log_file}" if log_file else "; its log is above"


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the server, by its own process id, and wait for it; at once when asked a second time."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


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


def child_settings(settings: Settings) -> dict[str, str]:
    """Every setting that was given, wherever it was given; folders are absolute, because the child works elsewhere."""
    told = {
        str(field.alias): _plain(getattr(settings, name))
        for name, field in Settings.model_fields.items()
        if name in settings.model_fields_set and getattr(settings, name) is not None
    }
    return told | _absolute(settings)


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
