"""The page of all commands: what `--help` says of each."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from email_assistant.cli.main import app

WIDTH = 100
HEAD = """# Commands

<!-- Made from the commands' own help by `make docs`. -->

In a checkout the command is `.venv/bin/email-assistant`, installed it is `email-assistant`. Exit codes: 0 done, 1 failed (one line on
stderr says why), 2 wrong usage, 130 for Ctrl-C. All commands that list take `--json`.
"""


def commands_page() -> str:
    """The page in Markdown."""
    return HEAD + "".join(_sections(get_command(app), None, "email-assistant"))


def _sections(command: Any, parent: Any, name: str) -> Iterator[str]:
    """A command's section, and those of the commands in it."""
    context = command.context_class(
        command, info_name=name.rsplit(maxsplit=1)[-1], parent=parent, terminal_width=WIDTH
    )
    with context:
        text = command.get_help(context)
        level = "##" if parent is None or parent.parent is None else "###"
        yield f"\n{level} {name}\n\n```text\n{text.rstrip()}\n```\n"
        for each in getattr(command, "commands", {}):
            _, found, _ = command.resolve_command(context, [each])
            yield from _sections(found, context, f"{name} {each}")
