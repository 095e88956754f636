"""Editing a text in the user's editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from email_assistant.errors import ConfigError


def edit_text(text: str) -> str | None:
    """The text as the user left it in $VISUAL or $EDITOR (vi when neither is set); None when it was not changed.

    Raises `ConfigError` when the editor cannot be started or fails, or leaves something that is no UTF-8 text.
    """
    name = "VISUAL" if os.environ.get("VISUAL") else "EDITOR"
    editor = os.environ.get(name) or "vi"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "email-assistant.txt"
        file.write_bytes(text.encode("utf-8", "backslashreplace"))
        before = file.read_bytes()
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=True)  # noqa: S603 - the user's own editor
            after = file.read_bytes()
            edited = after.decode("utf-8").replace("\r\n", "\n")
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            raise ConfigError(
                f"the editor {editor!r} did not work ({error}): set {name} to one that does"
            ) from None
    return None if after == before else edited
