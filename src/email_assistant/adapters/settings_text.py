"""Changing a settings file that people write in: what stands there stays, what is replaced stays as a comment."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from email_assistant.adapters.files import write_atomically
from email_assistant.errors import ConfigError


def write_settings(path: Path, values: Mapping[str, Any]) -> None:
    """Set these in the file, a table under a name like `accounts.home`.

    Raises `ConfigError` with the lines to write by hand where the file's form does not allow that.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    there = _flat(_read(text) or {})
    new = {name: value for name, value in values.items() if there.get(name) != value}
    for name in new.keys() & there.keys():
        text = _commented(
            text, name, {key: value for key, value in _flat(_read(text) or {}).items() if key != name}
        )
    heads = "".join(
        f"{name} = {_toml(value)}\n" for name, value in new.items() if not isinstance(value, dict)
    )
    tables = "".join(
        f"\n[{name}]\n" + "".join(f"{key} = {_toml(each)}\n" for key, each in value.items())
        for name, value in new.items()
        if isinstance(value, dict)
    )
    # At the file's beginning no table has begun; at its end one may have.
    made = f"{heads}{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{tables}"
    if new and _flat(_read(made) or {}) != there | new:
        lines = " ".join((heads + tables).split())
        raise ConfigError(f"{path} has a form that is not changed here; write into it yourself: {lines}")
    if new:
        write_atomically(path, made.encode("utf-8", "replace"))


def _commented(text: str, name: str, without: Mapping[str, Any]) -> str:
    """The text with the lines that say this made comments: those without which it says just the rest."""
    path = r"\s*\.\s*".join(map(re.escape, name.split(".")))
    begins = re.compile(rf"\s*{path}\s*=|\s*\[\s*{path}\s*[.\]]")
    lines = text.splitlines(keepends=True)
    for first in [number for number, line in enumerate(lines) if begins.match(line)]:
        last = first + 1
        while "[" in lines[first].partition("=")[0] and last < len(lines):
            if lines[last].lstrip().startswith("[") and not begins.match(lines[last]):
                break
            last += 1
        made = "".join((*lines[:first], *(f"# {line}" for line in lines[first:last]), *lines[last:]))
        if _flat(_read(made) or {}) == without:
            return made
    return text


def _flat(read: Mapping[str, Any]) -> dict[str, Any]:
    """Settings and tables side by side, tables as `accounts.NAME`."""
    tables = {
        f"{key}.{name}": each
        for key, value in read.items()
        if isinstance(value, dict)
        for name, each in value.items()
    }
    return {key: value for key, value in read.items() if not isinstance(value, dict)} | tables


def _read(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _toml(value: Any) -> str:
    """A JSON text is a TOML text, but for DEL, which TOML wants escaped."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(each)}' for name, each in value.items())} }}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
