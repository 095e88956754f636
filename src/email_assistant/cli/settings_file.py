"""Changing a few settings in a settings file and nothing else in it: other settings and comments stay."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit

from email_assistant.adapters.files import write_atomically
from email_assistant.errors import ConfigError


def read_settings_file(path: Path) -> dict[str, Any]:
    """The file's settings, none when there is no file; raises `ConfigError` when it cannot be read."""
    return _parsed(_text(path), path)


def change_settings_file(path: Path, changes: Mapping[str, str | None]) -> None:
    """Set these settings, and take out those whose value is None. The file is replaced whole, or not at all.

    Raises `ConfigError` when the file cannot be read, or has a table in a setting's place.
    """
    text = _text(path)
    before = _parsed(text, path)
    if any(isinstance(before.get(name), dict) for name in changes):
        raise ConfigError(f"{path} is written in a way that cannot be changed safely: change it by hand")
    document = tomlkit.parse(text)
    for name, value in changes.items():
        if value is None:
            document.pop(name, None)
        else:
            document[name] = value
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, tomlkit.dumps(document).encode())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
