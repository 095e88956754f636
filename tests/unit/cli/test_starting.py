"""Starting up: what is imported before a command is called, every command behind its entry, and the version."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup

from email_assistant.cli.main import COMMANDS, load
from email_assistant.workflow_registry import CommandEntry

SLOW = ("langgraph", "langgraph_sdk", "langchain_core", "sqlalchemy", "googleapiclient", "httpx")
IMPORTED = """
import sys
from email_assistant.cli.main import main
sys.argv = ["email-assistant", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    print(end.code, *(name for name in {slow!r} if name in sys.modules), file=sys.stderr)
"""


def started(*args: str, slow: tuple[str, ...] = SLOW, folder: Path | None = None) -> tuple[str, list[str]]:
    """What a command prints in a process of its own, and its exit code with those of the slow packages that it imported."""
    code = [sys.executable, "-W", "ignore", "-c", IMPORTED.format(slow=slow), *args]
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("EMAIL_ASSISTANT", "DATABASE_URL"))}
    done = subprocess.run(code, capture_output=True, text=True, check=False, cwd=folder, env=ours)
    return done.stdout, done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize("args", [("--help",), ("--version",), ("nope",)], ids="".join)
def test_what_calls_no_command_imports_none(args: tuple[str, ...]) -> None:
    """Help, version and a wrong name are told without the packages that commands need, which take seconds to import."""
    _, (code, *imported) = started(*args)
    assert (code, imported) == ("2" if args == ("nope",) else "0", [])


def test_status_reads_the_journal_without_what_works_on_mail(tmp_path: Path) -> None:
    """Graphs and models are imported by what uses them."""
    of_work = (
        "langgraph",
        "langgraph_sdk",
        "langchain_core",
        "googleapiclient",
        "icalendar",
        "httpx",
    )
    printed, (code, *imported) = started("status", slow=of_work, folder=tmp_path)
    assert (code, imported) == ("0", [])
    assert "waiting             0" in printed


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_an_entry_leads_to_its_command(entry: CommandEntry) -> None:
    """What the table says of a command is true: where it is, and whether it is a family of commands."""
    command = load(entry)
    assert command.name == entry.name
    assert isinstance(command, TyperGroup) == entry.is_group
    assert command.get_short_help_str(200) == entry.help
