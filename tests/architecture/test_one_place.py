"""Things that have one place only."""

import ast
from pathlib import Path

import email_assistant

ROOT = Path(email_assistant.__file__).parent


def names_used(wanted: set[str]) -> set[str]:
    """Files (relative) that import or take as an attribute one of the names."""
    found = set()
    for file in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            imported = {a.name for a in node.names} if isinstance(node, ast.ImportFrom) else set()
            attribute = {node.attr} if isinstance(node, ast.Attribute) else set()
            if wanted & (imported | attribute):
                found.add(str(file.relative_to(ROOT)))
    return found


def test_only_the_gate_interrupts() -> None:
    """A second place that stops a run to ask would have its own idea of answers."""
    assert names_used({"interrupt"}) == {"review/gate.py"}


def test_settings_alone_read_the_environment() -> None:
    """Besides: the command line hands its environment to the server it starts, and asks for the user's editor.

    And oauthlib takes its switches from there only.
    """
    assert names_used({"environ", "getenv"}) == {
        "settings.py", "cli/server.py", "cli/editor.py", "adapters/google/consent.py",
    }  # fmt: skip


def test_the_clock_alone_tells_the_time() -> None:
    """Everything else is handed a clock, so that tests and replays are the same every time."""
    assert names_used({"utcnow"}) == set()
    for file in ROOT.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if str(file.relative_to(ROOT)) not in {
            "clock.py",
            "models/failures.py",
        }:  # Retry-After may be a date.
            assert "datetime.now(" not in text, file
            assert "date.today(" not in text, file
