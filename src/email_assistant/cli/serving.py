"""`serve`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from email_assistant.cli.console import say
from email_assistant.cli.server import ends_on_signals, server_process
from email_assistant.cli.server_note import DEFAULT_PORT, url_of

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
