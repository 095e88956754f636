"""The command line: one small file a command, errors as one line, exit codes 0, 1 and 2 (130 for Ctrl-C).

Every command is told by name and a line of help without importing it: starting up is quick because only what is called is loaded.
"""

import logging
import sys
import warnings
from collections.abc import MutableMapping, Sequence
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any

import structlog
import typer
from typer.core import TyperCommand, TyperGroup

from email_assistant.cli.console import complain, line_of, visible
from email_assistant.errors import EmailAssistantError
from email_assistant.library_logs import quiet_libraries
from email_assistant.private_files import be_private
from email_assistant.workflow_registry import CommandEntry, workflows

CLI = "email_assistant.cli"

CORE: tuple[CommandEntry, ...] = (
    CommandEntry(
        "run", f"{CLI}.running:run", "Start the server, take in mail, show what waits; with samples at first."
    ),
    CommandEntry("serve", f"{CLI}.server:serve", "Start the server only."),
    CommandEntry("ingest", f"{CLI}.ingest:ingest", "Bring mail in, from the mailbox or from files."),
    CommandEntry("review", f"{CLI}.review:review", "Answer the cards that wait."),
    CommandEntry("status", f"{CLI}.status:status", "Last processed, waiting, failed, cost."),
    CommandEntry("doctor", f"{CLI}.doctor:doctor", "Check every setting and how to mend it."),
    CommandEntry(
        "cron", f"{CLI}.cron:app", "Look for mail on a schedule: install, list, remove.", is_group=True
    ),
    CommandEntry("gmail", f"{CLI}.gmail:app", "Sign in to Google; have new mail announced.", is_group=True),
    CommandEntry(
        "memory", f"{CLI}.memory:app", "What it has learned: show, history, edit, restore.", is_group=True
    ),
    CommandEntry(
        "contacts",
        f"{CLI}.contacts:app",
        "People and their details: import, list, show, set, remove.",
        is_group=True,
    ),
    CommandEntry(
        "eval", f"{CLI}.evaluate:app", "The scorecard: how good, how safe, how costly.", is_group=True
    ),
    CommandEntry(
        "knowledge", f"{CLI}.knowledge:app", "What past mail can tell: index, search, forget.", is_group=True
    ),
    CommandEntry(
        "dead-letters",
        f"{CLI}.dead_letters:app",
        "Messages that were given up: list, show, replay.",
        is_group=True,
    ),
    CommandEntry("journal", f"{CLI}.journal:app", "What happened in the runs.", is_group=True),
)
COMMANDS: tuple[CommandEntry, ...] = (*CORE, *(entry for each in workflows() for entry in each.commands))
"""The core's, then each workflow's."""


def new_app(**options: Any) -> typer.Typer:
    """A Typer that prints plain text and lets errors through."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, **options)


class LazyGroup(TyperGroup):
    """A group over `COMMANDS`: until one is called, its name and its line of help stand for it."""

    entries: Sequence[CommandEntry] = COMMANDS

    def __init__(self, **attributes: Any) -> None:
        """Lists the entries in their order; imports none."""
        super().__init__(**attributes)
        self._unloaded = {entry.name: entry for entry in self.entries}
        for entry in self.entries:
            self.add_command(
                TyperCommand(entry.name, short_help=entry.help, rich_markup_mode=None), entry.name
            )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name, command and the arguments left, with the command imported; a usage error for a name that is none."""
        if args and (entry := self._unloaded.pop(args[0], None)):
            self.add_command(load(entry), entry.name)
        return super().resolve_command(ctx, args)


def load(entry: CommandEntry) -> Any:
    """The command as Typer builds it from the entry's target."""
    module, _, attribute = entry.target.partition(":")
    target = getattr(import_module(module), attribute)
    parent = new_app()
    if entry.is_group:
        parent.add_typer(target, name=entry.name, short_help=entry.help)
    else:
        parent.command(entry.name, short_help=entry.help)(target)
    return typer.main.get_group(parent).commands[entry.name]


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


def prepare() -> None:
    """What each of our processes begins with: what it may print, log and leave readable."""
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


def main() -> None:
    """Entry point: domain errors and the operating system's become one line on stderr and exit code 1."""
    prepare()
    try:
        app()
    except (EmailAssistantError, OSError) as error:
        complain(line_of(error))
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
