"""The server of a data folder: the configuration it starts with, its lock, and the note that tells the other commands where it is."""

import errno
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from email_assistant.errors import ConfigError
from email_assistant.privacy import make_private_folder
from email_assistant.workflow_registry import descriptions

HOST = "127.0.0.1"
DEFAULT_PORT = 2024
LOCK_FILE = "server.lock"
NOTE_FILE = "server.url"
SERVER = "email_assistant.server.app"
EMBEDDING = "email_assistant.server.py:embed"
IMAGE_FILE = "requirements-image.txt"
IMAGE_FOLDERS, IMAGE_USER = "/data /backup", "10001:10001"
"""The data folder in an image, where copies of it are mounted, and who may write there: compose.yaml names them."""
API_VERSION = "0.16"
"""Of the Agent Server: the one that is locked for the development server, so that both are the same."""
PAGES = ("https://dev.agentinbox.ai", "https://agentinbox.ai", "https://smith.langchain.com")
"""Web pages that people answer cards on: Agent Inbox and LangGraph Studio."""
PAGE_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PAGE_HEADERS = (
    "content-type", "x-api-key", "x-auth-scheme", "authorization", "langchain-project", "langgraph-assistant-id",
)  # fmt: skip
"""What those pages send."""


def url_of(port: int) -> str:
    """The server's address."""
    return f"http://{HOST}:{port}"


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


@contextmanager
def only_server(data_path: Path, port: int) -> Iterator[None]:
    """Note the server's address until the block ends.

    Two servers on one data folder would overwrite each other's state. Raises `ConfigError` when one runs already.
    """
    make_folder(data_path)
    note = data_path / NOTE_FILE
    lock = FileLock(data_path / LOCK_FILE, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise _taken(data_path, _read(note) or "another port") from None
    except OSError as error:
        raise _not_writable(data_path, error) from None
    try:
        note.write_text(url_of(port), encoding="utf-8")
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def check_alone(data_path: Path) -> None:
    """Raises `ConfigError` when a server runs on the data folder already."""
    if running := running_url(data_path):
        raise _taken(data_path, running)


def make_folder(data_path: Path) -> None:
    """Create the data folder; raises `ConfigError` that names the setting when it cannot be, or cannot be written."""
    try:
        make_private_folder(data_path)
        if not os.access(data_path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _not_writable(data_path, error) from None


def known_url(data_path: Path) -> str:
    """Where the data folder's server is; the default address when none is noted or the note is a dead server's."""
    return running_url(data_path) or url_of(DEFAULT_PORT)


def running_url(data_path: Path) -> str | None:
    """The address of the server that `run` or `serve` keeps on this data folder now, or None."""
    noted = _read(data_path / NOTE_FILE)
    if noted is None:
        return None
    try:
        with FileLock(data_path / LOCK_FILE, timeout=0, mode=0o600):
            return None  # Nobody holds the lock: the server that wrote the note is gone.
    except (Timeout, OSError):
        return noted


def _read(note: Path) -> str | None:
    try:
        return note.read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def _not_writable(data_path: Path, error: OSError) -> ConfigError:
    reason = error.strerror or type(error).__name__
    return ConfigError(
        f"EMAIL_ASSISTANT_DATA_DIR: {data_path} cannot be written ({reason}): name another folder"
    )


def _taken(data_path: Path, where: str) -> ConfigError:
    return ConfigError(
        f"a server runs on {data_path} already, at {where}: use it (`email-assistant review`), stop it, or set "
        "EMAIL_ASSISTANT_DATA_DIR to another folder"
    )


def server_config() -> dict[str, Any]:
    """The configuration of the LangGraph server as data: the checkout's langgraph.json is this, and so is what `serve` starts with."""
    from email_assistant.knowledge.embedding import (
        DIMS,  # Slow to import; whoever looks for the server does without.
    )

    return {
        "dependencies": ["."],
        "python_version": "3.11",
        "api_version": API_VERSION,
        "image_distro": "wolfi",
        # Exactly what was tested, of what the image does not bring.
        "dockerfile_lines": [
            f"COPY {IMAGE_FILE} /tmp/",
            f"RUN uv pip install --system --no-cache-dir --no-deps -r /tmp/{IMAGE_FILE}",
            f"RUN mkdir -m 700 {IMAGE_FOLDERS} && chown {IMAGE_USER} {IMAGE_FOLDERS}",
        ],
        "graphs": {
            graph: {"path": f"{SERVER}:{graph}", "description": about}
            for graph, about in {**descriptions(), "ingest": "A look into the mailbox for new mail."}.items()
        },
        "checkpointer": {"path": f"{SERVER}.checkpointer"},
        "http": {
            "app": f"{SERVER}:app",
            "disable_webhooks": True,
            "cors": {
                "allow_origins": [*PAGES],
                "allow_methods": [*PAGE_METHODS],
                "allow_headers": [*PAGE_HEADERS],
                "expose_headers": ["content-location", "x-pagination-total"],
                "allow_credentials": False,
            },
        },
        "store": {"index": {"embed": EMBEDDING, "dims": DIMS, "fields": ["text"]}},
        "auth": {"path": f"{SERVER}:auth", "disable_studio_auth": True},
    }


def server_config_text() -> str:
    """The same as a file, `langgraph.json`."""
    return json.dumps(server_config(), indent=2) + "\n"
