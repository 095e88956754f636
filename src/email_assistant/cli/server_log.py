"""The file that a server in the background writes its log to: private, bounded, without colours."""

import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from email_assistant.errors import ConfigError

MAX_BYTES = 5_000_000
"""Above this the log becomes the old log, `server.log.1`; the one before goes."""
LOOK_SECONDS = 5.0
_MODE = 0o600
_COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


@contextmanager
def open_log(path: Path) -> Iterator[int]:
    """A descriptor to append to; until the block ends the file is kept short. Raises `ConfigError` when it cannot be written."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _MODE)
    except OSError as error:
        raise ConfigError(
            f"EMAIL_ASSISTANT_DATA_DIR: {path} cannot be written ({error.strerror}): name another folder"
        ) from None
    shorten(path)
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(path, ended), daemon=True)
    watcher.start()
    try:
        yield descriptor
    finally:
        ended.set()
        watcher.join()
        os.close(descriptor)


def shorten(path: Path) -> None:
    """Move what a long log holds to the old log.

    The server keeps its descriptor, which appends: it goes on at the file's new end. A line that is written in between is lost.
    """
    with suppress(OSError):  # A full disk is no reason to end the server; the next look tries again.
        if path.stat().st_size <= MAX_BYTES:
            return
        old = os.open(f"{path}.1", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
        with path.open("rb") as source, open(old, "wb") as target:
            shutil.copyfileobj(source, target)
        os.truncate(path, 0)


def uncolour(path: Path) -> None:
    """Take the codes of colours out of the log: the server greets in colours wherever it writes to. As `shorten` does it."""
    with suppress(OSError):
        written = path.read_bytes()
        plain = _COLOUR.sub(b"", written)
        if plain == written:
            return
        descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_APPEND)
        with open(descriptor, "wb") as file:
            file.write(plain)


def _watch(path: Path, ended: threading.Event) -> None:
    while not ended.wait(LOOK_SECONDS):
        shorten(path)
