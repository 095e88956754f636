"""`serve`, and what a server is started with."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from email_assistant.cli.console import container, remind_of_person, run_async, say
from email_assistant.cli.server import DEFAULT_PORT, ends_on_signals, server_process, url_of

if TYPE_CHECKING:
    from email_assistant.app import Container

PortOption = Annotated[int, typer.Option(help="The port on 127.0.0.1.", min=1, max=65535)]


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


def checked_house() -> "Container":
    """The house, after everything in it that settings can get wrong was looked at.

    Raises `ConfigError`, and `AccessError` when nobody has signed in to the account at Google that they name.
    """
    built = container()
    _ = built.mailbox, built.calendar, built.embedder
    if built.settings.uses_google:
        built.google_tokens.load()
    for tier in ("fast", "strong"):
        built.model_settings.spec(tier)
    remind_of_person(built)
    built.check_files()
    run_async(built.database.migrate())
    return built
