"""`serve`, and the LangGraph server as a child process, with this command's settings and the flags it needs, ended with its parent.

Whoever serves waits for little but this process's imports, so it is started first, and does its own looking at the settings
(`server_process.py`); the command beside it stays small.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from email_assistant.cli.console import say
from email_assistant.cli.server_note import DEFAULT_PORT, HOST, url_of
from email_assistant.cli.server_process import CONFIG_FILE, GO
from email_assistant.errors import ConfigError, EmailAssistantError, ProviderError
from email_assistant.privacy import OTHERS

JOBS = 8
START_SECONDS = 60
STOP_SECONDS = 20
POLL_SECONDS = 0.1
QUIET = {
    "LANGSMITH_TRACING": "false",
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
}
"""Telemetry is off unless the shell says otherwise."""
PortOption = Annotated[int, typer.Option(help="The port on 127.0.0.1.", min=1, max=65535)]
LOG_MAX_BYTES = 5_000_000
"""Above this the log becomes the old log, `server.log.1`; the one before goes."""
LOG_LOOK_SECONDS = 5.0
_LOG_MODE = 0o600
_COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


def command(port: int) -> list[str]:
    """The command line of the server's process: how it is started, then what `langgraph` is told."""
    return [
        sys.executable, "-P", "-m", "email_assistant.cli.server_process",
        "dev", "--config", CONFIG_FILE, "--no-browser", "--no-reload",
        "--host", HOST, "--port", str(port), "--n-jobs-per-worker", str(JOBS),
    ]  # fmt: skip


@dataclass
class ServerProcess:
    """The server's process, which imports until it is told to `begin`."""

    process: subprocess.Popen[bytes]
    port: int
    _gate: socket.socket
    _until_its_end: ExitStack
    _log_file: Path | None = None
    _has_begun: bool = False

    def begin(self, log_file: Path | None = None) -> None:
        """Let it look at the settings and serve; its output goes to `log_file`, or through when None.

        Raises `EmailAssistantError` when it will not.
        """
        line, self._log_file = "", log_file
        logs = [self._until_its_end.enter_context(open_log(log_file))] if log_file else []
        with suppress(OSError):  # It is gone, and has told why itself.
            socket.send_fds(self._gate, [GO], logs)
            self._has_begun = True
            with self._gate.makefile("r", encoding="utf-8") as answer:
                line = answer.readline()
        if not line:
            self._complain()
        if line.strip():
            self.process.wait()
            raise EmailAssistantError(line.strip())

    def wait_until_ready(self) -> None:
        """Poll until the server answers; raises `ProviderError` when it ends or takes too long."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            if _answers(self.port):
                if self._log_file:
                    uncolour(self._log_file)
                return
            time.sleep(POLL_SECONDS)
        self._complain()

    def wait_for_end(self) -> NoReturn:
        """Wait for as long as the server runs; raises `ProviderError`, because nobody but this command should end it."""
        code = self.process.wait()
        raise ProviderError(f"the server ended by itself (exit code {code}){self._where}")

    def stop(self) -> None:
        """End it, by its own process id, and wait for it; at once when asked a second time, or while it has opened nothing."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT if self._has_begun else signal.SIGKILL)
        try:
            self.process.wait(STOP_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _complain(self) -> NoReturn:
        raise ProviderError(f"the server did not start on port {self.port}{self._where}")

    @property
    def _where(self) -> str:
        return f"; its log is {self._log_file}" if self._log_file else "; its log is above"


@contextmanager
def server_process(port: int) -> Iterator[ServerProcess]:
    """The server's process, until the block ends."""
    ours, theirs = socket.socketpair()
    with ExitStack() as until_its_end, ours:
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - a fixed command line
                command(port),
                env=QUIET | dict(os.environ),
                stdin=theirs.fileno(),
                umask=OTHERS,
                start_new_session=True,  # Ctrl-C reaches this command alone, which then ends the server in good order.
            )
        server = ServerProcess(process, port, ours, until_its_end)
        until_its_end.callback(server.stop)
        yield server


def _answers(port: int) -> bool:
    """Whether a server is there. What it is asked with is quick to import."""
    connection = HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/ok")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


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


def serve(port: PortOption = DEFAULT_PORT) -> None:
    """Start the server and keep it running until Ctrl-C; its log goes to the terminal."""
    with until_stopped(), server_process(port) as server:
        server.begin()
        server.wait_until_ready()
        say(f"email_assistant is at {url_of(port)}; Ctrl-C ends it.")
        server.wait_for_end()


@contextmanager
def until_stopped() -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal are the regular end of a server: exit code 0."""
    try:
        with ends_on_signals():
            yield
    except KeyboardInterrupt:
        say("Stopped.")


@contextmanager
def open_log(path: Path) -> Iterator[int]:
    """A descriptor to append to; until the block ends the file is kept short. Raises `ConfigError` when it cannot be written."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _LOG_MODE)
    except OSError as error:
        raise ConfigError(
            f"EMAIL_ASSISTANT_DATA_DIR: {path} cannot be written ({error.strerror}): name another folder"
        ) from None
    shorten(path)
    ended = threading.Event()
    watcher = threading.Thread(target=watch, args=(path, ended), daemon=True)
    watcher.start()
    try:
        yield descriptor
    finally:
        ended.set()
        watcher.join()
        os.close(descriptor)


def shorten(path: Path) -> None:
    """Move what a long log holds to the old log.

    The server keeps its descriptor, which appends: it goes on at the file's new end. A line that is written in between is lost.
    """
    with suppress(OSError):  # A full disk is no reason to end the server; the next look tries again.
        if path.stat().st_size <= LOG_MAX_BYTES:
            return
        old = os.open(f"{path}.1", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _LOG_MODE)
        with path.open("rb") as source, open(old, "wb") as target:
            shutil.copyfileobj(source, target)
        os.truncate(path, 0)


def uncolour(path: Path) -> None:
    """Take the codes of colours out of the log: the server greets in colours wherever it writes to. As `shorten` does it."""
    with suppress(OSError):
        written = path.read_bytes()
        plain = _COLOUR.sub(b"", written)
        if plain == written:
            return
        descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_APPEND)
        with open(descriptor, "wb") as file:
            file.write(plain)


def watch(path: Path, ended: threading.Event) -> None:
    """Keep the log short until the server has ended."""
    while not ended.wait(LOG_LOOK_SECONDS):
        shorten(path)
