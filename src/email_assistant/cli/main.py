"""The command line: one small file a command, errors as one line, exit codes 0, 1 and 2 (130 for Ctrl-C).

Every command is told by name and a line of help without importing it: starting up is quick because only what is called is loaded.
"""

import logging
import sys
import warnings
from collections.abc import Iterable, MutableMapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any

import structlog
import typer
from typer.core import TyperCommand, TyperGroup

from email_assistant.cli.console import complain, line_of, visible
from email_assistant.errors import EmailAssistantError
from email_assistant.privacy import be_private, quiet_libraries
from email_assistant.workflow_registry import CommandEntry, workflows

_EVERY_DAY, _SET_UP = "Every day", "Setting up and keeping"
_CORE = (
    ("run", "running:run", "Start the server, take in mail, show what waits; with samples at first."),
    ("serve", "server:serve", "Start the server only."),
    ("ingest", "ingest:ingest", "Bring mail in, from the mailbox or from files."),
    ("review", "review:review", "Answer the cards that wait."),
    ("learn", "learn:learn", "Learn how you write from the mail that you have sent."),
    ("status", "status:status", "Last processed, waiting, failed, cost."),
    ("doctor", "doctor:doctor", "Check every setting and how to mend it."),
    ("backup", "backup:backup", "Copy all that it keeps into one file, also while it works."),
    ("restore", "backup:restore", "Put such a copy into an empty data folder."),
    ("cron", "cron:app", "Look for mail on a schedule: install, list, remove."),
    ("account", "account:app", "Sign in to a mailbox at any provider."),
    ("gmail", "gmail:app", "Sign in to Google."),
    ("memory", "memory:app", "What it has learned: show, history, edit, restore."),
    ("dead-letters", "dead_letters:app", "Messages that were given up: list, replay."),
    ("journal", "journal:app", "What happened in the runs."),
)
"""Name, target in this folder and line of help; an `app` is a group of commands."""
_HEADINGS = dict.fromkeys(("run", "ingest", "review", "status", "doctor"), _EVERY_DAY)
_HEADINGS |= dict.fromkeys(("serve", "learn", "backup", "restore", "cron", "account", "gmail"), _SET_UP)
_LAST = "Looking into it"
CORE = tuple(
    CommandEntry(
        name,
        f"email_assistant.cli.{target}",
        line,
        is_group=target.endswith(":app"),
        heading=_HEADINGS.get(name, ""),
    )
    for name, target, line in _CORE
)


def _by_name(entries: Iterable[CommandEntry]) -> tuple[CommandEntry, ...]:
    """The entries, with those of one name made one: a group whose commands lie in several rooms."""
    found: dict[str, CommandEntry] = {}
    for each in entries:
        before = found.get(each.name)
        found[each.name] = (
            replace(before, target=f"{before.target} {each.target}", help=f"{before.help} {each.help}")
            if before
            else each
        )
    return tuple(found.values())


COMMANDS = _by_name(
    (*CORE, *(replace(entry, heading=each.heading) for each in workflows() for entry in each.commands))
)
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

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands under their headings, those without one last."""
        found = dict.fromkeys(each.heading for each in self.entries)
        for heading in sorted(found, key=lambda heading: not heading):
            with formatter.section(heading or _LAST):
                formatter.write_dl(
                    [(each.name, each.help) for each in self.entries if each.heading == heading]
                )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name, command and the arguments left, with the command imported; a usage error for a name that is none."""
        if args and (entry := self._unloaded.pop(args[0], None)):
            self.add_command(load(entry), entry.name)
        return super().resolve_command(ctx, args)


def load(entry: CommandEntry) -> Any:
    """The command as Typer builds it from the entry's target."""
    parts = (target.split(":") for target in entry.target.split())
    targets = [getattr(import_module(module), attribute) for module, attribute in parts]
    target, parent = targets[0], new_app()
    if len(targets) > 1:
        target = new_app(help=entry.help, no_args_is_help=True)
        target.registered_commands = [command for each in targets for command in each.registered_commands]
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
    details = ", ".join(f"{name} {value}" for name, value in event.items())
    return " ".join(
        visible(f"email-assistant: {what} ({details})" if details else f"email-assistant: {what}").split()
    )


if __name__ == "__main__":
    main()
