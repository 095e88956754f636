"""Starting up: what is imported before a command is called, every command behind its entry, and the version."""

import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from email_assistant.cli.commands import COMMANDS
from email_assistant.cli.lazy_group import load
from email_assistant.cli.main import app
from email_assistant.workflows.registry import CommandEntry

SLOW = ("langgraph", "langgraph_sdk", "langchain_core", "sqlalchemy", "alembic", "googleapiclient", "httpx")
IMPORTED = """
import sys
from email_assistant.cli.main import main
sys.argv = ["email-assistant", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    print(end.code, *(name for name in {slow!r} if name in sys.modules), file=sys.stderr)
"""


def started(*args: str, slow: tuple[str, ...] = SLOW) -> tuple[str, list[str]]:
    """What a command prints in a process of its own, and its exit code with those of the slow packages that it imported."""
    code = [sys.executable, "-W", "ignore", "-c", IMPORTED.format(slow=slow), *args]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize("args", [("--help",), ("--version",), ("nope",)], ids="".join)
def test_what_calls_no_command_imports_none(args: tuple[str, ...]) -> None:
    """Help, version and a wrong name are told without the packages that commands need, which take seconds to import."""
    _, (code, *imported) = started(*args)
    assert (code, imported) == ("2" if args == ("nope",) else "0", [])


def test_the_version_is_the_packages() -> None:
    """`--version` prints name and version of what is installed."""
    printed, _ = started("--version")
    assert printed == f"email-assistant {version('email-assistant')}\n"


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_an_entry_leads_to_its_command(entry: CommandEntry) -> None:
    """What the table says of a command is true: where it is, and whether it is a family of commands."""
    command = load(entry)
    assert command.name == entry.name
    assert isinstance(command, TyperGroup) == entry.is_group
    assert command.get_short_help_str(200) == entry.help


def test_a_mistyped_name_is_told_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    """Names that are not loaded are suggested, too."""
    with pytest.raises(SystemExit) as end:
        get_command(app)(["statis"])
    assert end.value.code == 2
    assert "Did you mean 'status'?" in capsys.readouterr().err
