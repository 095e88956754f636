"""Whether a SQLite file is whole. Blocking calls."""

import sqlite3
from contextlib import closing
from pathlib import Path

from email_assistant.errors import TransientError

BUSY_SECONDS = 5.0


def damage(path: Path) -> str:
    """What is wrong with the file, all of which is read; "" when nothing is, or it is not there.

    Raises `TransientError` when it cannot be read for now, as when another program keeps it locked.
    """
    if not path.exists():
        return ""
    if not path.is_file():
        return "it is no file"
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
            (text,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise TransientError(f"{path} cannot be read: {error}; is another program using it?") from error
        text = str(error)
    return "" if text == "ok" else " ".join(str(text).split())


def is_damage(error: object) -> bool:
    """Whether a driver's error says that the file is broken, or none of SQLite's."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    return code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
