"""Importing the package does nothing but define things."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import email_assistant

SOURCE = Path(email_assistant.__path__[0]).parent

CHECK = """
import builtins, importlib, socket, sys
sys.path.insert(0, sys.argv[1])  # The modules that are named, and not those of another tree that is installed.
def refuse(*args, **kwargs): raise AssertionError("a socket was opened at import")
socket.socket.connect = refuse
import email_assistant.settings as settings
def unread(*args, **kwargs): raise AssertionError("settings were read at import")
settings.load_settings = unread
for name in sys.argv[2:]:
    importlib.import_module(name)
"""


def test_every_module_imports_silently_with_an_empty_environment(tmp_path: object) -> None:
    """No environment, no socket and no settings are touched, and nothing is printed."""
    names = [m.name for m in pkgutil.walk_packages(email_assistant.__path__, "email_assistant.")]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHECK, str(SOURCE), *names],
        env={},
        capture_output=True,
        text=True,
        cwd=str(tmp_path),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
