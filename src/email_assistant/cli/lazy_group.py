"""The group of all commands, which imports a command when it is called and lists the others unimported."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from email_assistant.cli.commands import COMMANDS
from email_assistant.workflows.registry import CommandEntry


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
