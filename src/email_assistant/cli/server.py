"""Starting the LangGraph server as a child process, with the flags it needs."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from email_assistant.errors import ConfigError, ProviderError

HOST = "127.0.0.1"
DEFAULT_PORT = 2024
JOBS = 8
START_SECONDS = 60
STOP_SECONDS = 20


def url_of(port: int) -> str:
    """The server's address."""
    return f"http://{HOST}:{port}"


def config_file() -> Path:
    """The langgraph.json of the checkout this package runs from."""
    for folder in (Path.cwd(), *Path(__file__).resolve().parents):
        found = folder / "langgraph.json"
        if found.is_file():
            return found
    raise ConfigError("langgraph.json was not found: run this inside the email_assistant checkout")


def check_port(port: int) -> None:
    """Raises `ConfigError` when something listens there, because the server would silently take another port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise ConfigError(
                f"port {port} is taken: stop what listens there, or choose another with --port"
            ) from None


def command(port: int) -> list[str]:
    """The server's command line."""
    langgraph = shutil.which("langgraph", path=str(Path(sys.executable).parent)) or shutil.which("langgraph")
    if langgraph is None:
        raise ConfigError("the langgraph command is missing: run make setup")
    return [
        langgraph, "dev", "--config", str(config_file()), "--no-browser", "--no-reload",
        "--host", HOST, "--port", str(port), "--n-jobs-per-worker", str(JOBS),
    ]  # fmt: skip


def environment() -> dict[str, str]:
    """The shell's environment, with telemetry off unless it was asked for."""
    quiet = {
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
    }
    return quiet | dict(os.environ)


@contextmanager
def running_server(port: int, log_file: Path | None) -> Iterator[subprocess.Popen[bytes]]:
    """Run the server until the block ends; its output goes to `log_file`, or through when None."""
    check_port(port)
    output = log_file.open("ab") if log_file else None
    process = subprocess.Popen(  # noqa: S603 - a fixed command line
        command(port),
        env=environment(),
        cwd=config_file().parent,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        start_new_session=True,
    )
    try:
        wait_until_ready(process, port, log_file)
        yield process
    finally:
        stop(process)
        if output:
            output.close()


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
    where = f"; its log is {log_file}" if log_file else ""
    raise ProviderError(f"the server did not start on port {port}{where}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the server, by its own process id, and wait for it."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
