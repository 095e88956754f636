"""Changing a settings file that people write in: comments, order and all else that stands there stays."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Table

from email_assistant.adapters.files import write_atomically

ACCOUNTS = "accounts"


def write_settings(
    path: Path, values: Mapping[str, str], accounts: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Set these in the file, and these tables `[accounts.NAME]`; it is made where it is missing. It has to be TOML."""
    document = tomlkit.parse(path.read_text(encoding="utf-8") if path.exists() else "")
    for name, value in values.items():
        _set(document, name, value)
    if accounts:
        tables = document.setdefault(ACCOUNTS, tomlkit.table(is_super_table=True))
        for name, account in accounts.items():
            _set(tables, name, _table(account, tomlkit.table()))
    write_atomically(path, tomlkit.dumps(document).encode("utf-8", "replace"))


def _set(container: Any, name: str, value: Any) -> None:
    """What is the same stays as it is written."""
    if name not in container or container[name] != value:
        container[name] = value


def _table(values: Mapping[str, Any], made: Table | InlineTable) -> Table | InlineTable:
    for name, value in values.items():
        made[name] = _table(value, tomlkit.inline_table()) if isinstance(value, Mapping) else value
    return made
