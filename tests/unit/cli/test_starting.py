"""Starting up: what is imported before a command is called, every command behind its entry, and the version."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from email_assistant.cli.main import COMMANDS, app, load
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


def test_a_command_that_serves_leaves_the_work_to_its_server(tmp_path: Path) -> None:
    """It starts the server first of all, and stays small for as long as that runs."""
    (tmp_path / "email_assistant.toml").write_text('EMAIL_ASSISTANT_MODEL_FAST = "gpt"\n')
    _, (code, *imported) = started("serve", slow=(*SLOW, "email_assistant.settings"), folder=tmp_path)
    assert (code, imported) == ("1", [])


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
