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
    there = _read(text)
    new = {name: value for name, value in values.items() if there.get(name) != value}
    for name in new.keys() & there.keys():
        text = _commented(text, name)
    heads = "".join(f"{name} = {_toml(each)}\n" for name, each in new.items() if not isinstance(each, dict))
    tables = "".join(f"\n[{name}]\n{_rows(each)}" for name, each in new.items() if isinstance(each, dict))
    # At the file's beginning no table has begun; at its end one may have.
    made = f"{heads}{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{tables}"
    if new and _read(made) != there | new:
        lines = " ".join((heads + tables).split())
        raise ConfigError(f"{path} has a form that is not changed here; write into it yourself: {lines}")
    if new:
        write_atomically(path, made.encode("utf-8", "replace"))


def _commented(text: str, name: str) -> str:
    """The text with the lines that say this made comments: those without which it says just the rest."""
    rest = {key: value for key, value in _read(text).items() if key != name}
    path = r"\s*\.\s*".join(map(re.escape, name.split(".")))
    begins = re.compile(rf"\s*(?:{path}\s*=|(?P<table>\[)\s*{path}\s*[.\]])")
    lines = text.splitlines(keepends=True)
    for first, line in enumerate(lines):
        if not (found := begins.match(line)):
            continue
        after = range(first + 1, len(lines))
        others = (n for n in after if lines[n].lstrip().startswith("[") and not begins.match(lines[n]))
        last = next(others, len(lines)) if found["table"] else first + 1
        made = "".join((*lines[:first], *(f"# {each}" for each in lines[first:last]), *lines[last:]))
        if _read(made) == rest:
            return made
    return text


def _read(text: str) -> dict[str, Any]:
    """Settings and tables side by side, tables as `accounts.NAME`; of what is no TOML the text alone."""
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {"": text}
    settings = {key: value for key, value in read.items() if not isinstance(value, dict)}
    tables = [(key, value) for key, value in read.items() if isinstance(value, dict)]
    return settings | {f"{key}.{name}": each for key, value in tables for name, each in value.items()}


def _rows(table: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_toml(value)}\n" for name, value in table.items())


def _toml(value: Any) -> str:
    """A JSON text is a TOML text, but for DEL, which TOML wants escaped."""
    if isinstance(value, dict):
        return f"{{ {_rows(value).strip().replace(chr(10), ', ')} }}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
