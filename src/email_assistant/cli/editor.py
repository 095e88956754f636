"""Editing a text in the user's editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from email_assistant.errors import ConfigError


def edit_text(text: str) -> str | None:
    """The text as the user left it in $VISUAL or $EDITOR (vi when neither is set); None when it was not changed.

    Raises `ConfigError` when the editor cannot be started or fails.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "email-assistant.txt"
        file.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=True)  # noqa: S603 - the user's own editor
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            raise ConfigError(f"the editor {editor!r} did not work ({error}): set EDITOR to one that does") from None
        edited = file.read_text(encoding="utf-8")
    return None if edited == text else edited
