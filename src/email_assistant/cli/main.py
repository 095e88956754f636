"""The command line: one small file a command, errors as one line, exit codes 0, 1 and 2 (130 for Ctrl-C)."""

import logging
import sys
import warnings
from collections.abc import MutableMapping
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any

import structlog
import typer

from email_assistant.cli.console import complain, visible
from email_assistant.cli.lazy_group import LazyGroup, new_app
from email_assistant.errors import EmailAssistantError
from email_assistant.library_logs import quiet_libraries
from email_assistant.private_files import be_private

app = new_app(
    cls=LazyGroup,
    help="A human-in-the-loop email assistant: it reads, prepares and asks; nothing leaves without your approval.",
    no_args_is_help=True,
)


def _print_version(wanted: bool) -> None:
    """Name and version of the installed package."""
    if wanted:
        typer.echo(f"email-assistant {version('email-assistant')}")
        raise typer.Exit


@app.callback()
def _(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print name and version.", callback=_print_version)
    ] = False,
) -> None:
    """What can stand before a command's name."""


def main() -> None:
    """Entry point: domain errors and the operating system's become one line on stderr and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # A terminal that lacks a character is no failure.
    # Google's libraries tell every user which versions they will want in years to come.
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"google\.")
    # The server's client tells of each connection that it makes again.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"langgraph_sdk\.")
    _log_to_stderr()
    quiet_libraries()
    be_private()
    try:
        app()
    except EmailAssistantError as error:
        complain(str(error))
        sys.exit(1)
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(130)


def _log_to_stderr() -> None:
    """Warnings only, and not among what a command prints: `--json` stays JSON."""
    structlog.configure(
        processors=[_as_line],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        # Asked for at each line: whoever runs a command within a program may change the stream.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def _as_line(logger: object, method: str, event: MutableMapping[str, Any]) -> str:
    """A log entry as the commands speak: `email-assistant: waiting for google (seconds 4.0, reason …)`."""
    what = str(event.pop("event")).replace("_", " ")
    told = ", ".join(f"{name} {value}" for name, value in event.items())
    return " ".join(
        visible(f"email-assistant: {what} ({told})" if told else f"email-assistant: {what}").split()
    )
