"""Changing a few settings in a settings file and nothing else in it: other settings and comments stay."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from email_assistant.adapters.files import write_atomically
from email_assistant.errors import ConfigError

_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def read_settings_file(path: Path) -> dict[str, Any]:
    """The file's settings, none when there is no file; raises `ConfigError` when it cannot be read."""
    return _parsed(_text(path), path)


def change_settings_file(path: Path, changes: Mapping[str, str | None]) -> None:
    """Set these settings, and take out those whose value is None. The file is replaced whole, or not at all.

    Raises `ConfigError` when the file cannot be read.
    """
    text = _text(path)
    wanted = _parsed(text, path)
    for name, value in changes.items():
        text = _changed(text, name, value)
        wanted.pop(name, None)
        if value is not None:
            wanted[name] = value
    if _loaded(text) != wanted:
        raise ConfigError(f"{path} is written in a way that cannot be changed safely: change it by hand")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, text.encode())


def _changed(text: str, name: str, value: str | None) -> str:
    lines = text.splitlines(keepends=True)
    start, end = _place(lines, name)
    if lines and start == len(lines) and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    new = [] if value is None else [f"{name} = {_quoted(value)}\n"]
    return "".join(lines[:start] + new + lines[end:])


def _place(lines: list[str], name: str) -> tuple[int, int]:
    """The lines that set `name`, which may be several; the end of the file when none does."""
    others = _loaded("".join(lines))
    if not others or name not in others:
        return len(lines), len(lines)
    value = others.pop(name)
    for start, line in enumerate(lines):
        if line.partition("=")[0].strip().strip("\"'") != name:
            continue
        for end in range(start + 1, len(lines) + 1):
            # A line inside another setting's long text may look like this one: what is around must keep its meaning.
            around = "".join(lines[:start] + lines[end:])
            if _loaded("".join(lines[start:end])) == {name: value} and _loaded(around) == others:
                return start, end
    return len(lines), len(lines)


def _loaded(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _quoted(value: str) -> str:
    """A basic string of TOML 1.0: quotes, backslashes and control characters are escaped."""
    return '"' + "".join(_SHORT.get(c) or (f"\\u{ord(c):04x}" if _is_control(c) else c) for c in value) + '"'


def _is_control(character: str) -> bool:
    return character < " " or character == "\x7f"


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
