"""The server as a process of its own, started by `cli/server.py`: it imports, waits for the word, looks at the settings, and serves.

Its arguments are those of the `langgraph` command, which it goes on as. Its standard input is the gate: over it come the word and, where
there is one, the log to write to; over it goes a line that says why it will not serve, or an empty one. When whoever started it is gone,
the gate is closed, and the process ends before it has opened anything.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # The command beside it imports this module, and stays small.
    from email_assistant.app import Container
    from email_assistant.settings import Settings

CONFIG_FILE = "langgraph.json"
"""In the data folder; what it holds is decided in `server_config`."""
GO = b"!"


def main() -> None:
    """Everything, until the server ends."""
    # What is imported stays: to look for garbage meanwhile finds none and takes half a second. `server/app.py` turns it on again.
    gc.disable()
    try:
        gate = _gate()
        import_module("email_assistant.server.app")  # Reads no setting, so it need not wait for the word.
        word, logs, _, _ = socket.recv_fds(gate, len(GO), 1)
        if word == GO:
            _serve(gate, logs)
    except (KeyboardInterrupt, BrokenPipeError):  # Asked to end, or nobody is there any more.
        sys.exit(130)


def _gate() -> socket.socket:
    """What standard input was; that is empty from now on."""
    gate = socket.socket(fileno=os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return gate


def _serve(gate: socket.socket, logs: Sequence[int]) -> None:
    import structlog

    from email_assistant.cli.console import line_of
    from email_assistant.cli.main import prepare
    from email_assistant.errors import EmailAssistantError

    prepare()
    with ExitStack() as ready:
        try:
            ready.enter_context(_ready(is_coloured=not logs and sys.stdout.isatty()))
        except (EmailAssistantError, OSError) as error:
            gate.sendall(f"{line_of(error)}\n".encode())
            sys.exit(1)
        gate.sendall(b"\n")
        gate.close()
        for log in logs:
            for stream in (sys.stdout, sys.stderr):
                os.dup2(log, stream.fileno())
            os.close(log)
        structlog.reset_defaults()  # The server's log has a form of its own.
        from langgraph_cli.cli import cli

        cli(prog_name="langgraph")


@contextmanager
def _ready(*, is_coloured: bool) -> Iterator[None]:
    """The data folder is this server's alone until the block ends, and settings, working folder and configuration are as it needs them.

    It works in the data folder: what it remembers of its threads belongs to that folder's mailbox and journal.
    """
    from email_assistant.adapters.files import write_atomically
    from email_assistant.cli.server_note import check_alone, check_port, only_server, server_config_text
    from email_assistant.settings import load_settings

    port = int(sys.argv[sys.argv.index("--port") + 1])
    check_alone(load_settings().data_path)
    settings = _checked_house().settings
    check_port(port)
    with only_server(settings.data_path, port):
        # Made anew, because it belongs to the package that is installed now, wherever that is.
        write_atomically(settings.data_path / CONFIG_FILE, server_config_text().encode())
        os.environ.update(environment(settings, colour=is_coloured))
        os.chdir(settings.data_path)
        yield


def _checked_house() -> Container:
    """The house, after everything in it that settings can get wrong was looked at.

    Raises `ConfigError`, and `AccessError` when nobody has signed in to the account at Google that they name.
    """
    from email_assistant.cli.console import container, remind_of_person, run_async

    built = container()
    _ = built.mailbox, built.calendar, built.embedder
    if built.settings.uses_google:
        built.google_tokens.load()
    for tier in ("fast", "strong"):
        built.model_settings.spec(tier)
    remind_of_person(built)
    built.check_files()
    run_async(built.database.open())
    return built


def environment(settings: Settings, *, colour: bool = False) -> dict[str, str]:
    """The shell's environment with this command's settings in it; `colour` is for a log that goes to a terminal."""
    log = {"LOG_COLOR": str(colour).lower(), "LOG_LEVEL": settings.log_level.upper()}
    return log | dict(os.environ) | child_settings(settings)


def child_settings(settings: Settings) -> dict[str, str]:
    """Every setting that was given, wherever it was given; folders are absolute, because the child works elsewhere."""
    given = {
        str(field.alias): _plain(getattr(settings, name))
        for name, field in type(settings).model_fields.items()
        if name in settings.model_fields_set and getattr(settings, name) is not None
    }
    return given | _absolute(settings)


def _plain(value: object) -> str:
    from pydantic import SecretStr

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
    from sqlalchemy.engine import make_url

    from email_assistant.journal.engines import normalise_url

    parsed = make_url(normalise_url(url))
    if parsed.get_backend_name() != "sqlite":
        return url
    file = str(Path(parsed.database or "").absolute())
    return parsed.set(database=file).render_as_string(hide_password=False)


if __name__ == "__main__":
    main()
