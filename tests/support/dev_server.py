"""The real LangGraph development server, on a free port, ended by its own process id."""

import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.support.forked_commands import Forked, start_forked

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90


@dataclass
class DevServer:
    """A running server."""

    url: str
    process: subprocess.Popen[bytes] | Forked
    log: Path

    def kill(self) -> None:
        """End it as a crash would (SIGKILL to its process group, so that no child lives on)."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


_CLAIMS: list[socket.socket] = []
"""Holds the port above each that was given away, as long as the process lives: no other one gives it away before its server listens."""


def free_port() -> int:
    """A port that nobody listens on, and that no system gives to a connection meanwhile: those begin at 32768 (Linux) or 49152."""
    for _ in range(100):
        # Not `random`, whose numbers are the same in each worker.
        port = secrets.choice(range(20_000, 32_000, 2))
        claim = socket.socket()
        with socket.socket() as probe, suppress(OSError):
            claim.bind(("127.0.0.1", port + 1))
            probe.bind(("127.0.0.1", port))
            _CLAIMS.append(claim)
            return port
        claim.close()
    raise AssertionError("no port is free")


@contextmanager
def dev_server(
    folder: Path, settings: Mapping[str, str], *, port: int | None = None, is_forked: bool = False
) -> Iterator[DevServer]:
    """Run the server with its own state in `folder`, until the block ends; a forked one is there sooner (`forked_commands`)."""
    folder.mkdir(parents=True, exist_ok=True)
    link_project(folder)
    port = port or free_port()
    log = folder / "server.log"
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("EMAIL_ASSISTANT", "OPENAI", "DATABASE_URL"))
    }
    environment |= {
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "EMAIL_ASSISTANT_DATA_DIR": str(folder / "data"),
        "EMAIL_ASSISTANT_LOOK_SECONDS": "0",
        **settings,
    }
    words = [
        "dev", "--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", str(port), "--n-jobs-per-worker", "8",
    ]  # fmt: skip
    process: subprocess.Popen[bytes] | Forked
    with log.open("ab") as output, open(os.devnull, "rb") as nothing:
        if is_forked:
            stdio = (nothing, output, output)
            process = start_forked("langgraph", words, cwd=folder, env=environment, stdio=stdio)
        else:
            command = [str(Path(sys.executable).parent / "langgraph"), *words]
            process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=output, stderr=output, start_new_session=True
            )
    server = DevServer(f"http://127.0.0.1:{port}", process, log)
    try:
        wait_until_up(server)
        yield server
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()


def forked_server(folder: Path, settings: Mapping[str, str]) -> AbstractContextManager[DevServer]:
    """The server of tests that ask what it serves, not how it starts."""
    return dev_server(folder, settings, is_forked=True)


def link_project(folder: Path) -> None:
    """Let the server's working folder be the project, but with its state (`.langgraph_api`) in `folder`."""
    for name in ("langgraph.json", "src", "pyproject.toml", "README.md"):
        link = folder / name
        if not link.exists():
            link.symlink_to(ROOT / name)


def wait_until_up(server: DevServer) -> None:
    """Until it answers; raises `AssertionError` with the end of its log when it does not."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            if httpx.get(f"{server.url}/ok", timeout=2).is_success:
                return
        except httpx.HTTPError:
            pass
        select.select([], [], [], 0.1)  # A starting process offers nothing to wait on.
    raise AssertionError(f"the server did not start:\n{server.log.read_text()[-3000:]}")
