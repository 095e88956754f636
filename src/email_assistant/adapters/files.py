"""Files that are whole or absent: atomic writes, and one writer at a time across processes. Blocking calls."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from email_assistant.errors import ProviderError, TransientError

LOCK_SECONDS = 30.0
PREFIX_BYTES = 100
"""How much of the target's name a temporary file bears; file systems take names of 255 bytes at most."""


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the file's content so that a reader, and the disk after a crash, has the old or the new one whole.

    A symbolic link stays and its target is replaced; the mode of an existing file stays, a new one is private.
    """
    target = Path(os.path.realpath(path))
    named = os.fsencode(target.name)[:PREFIX_BYTES].decode("utf-8", "ignore")
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{named}.")
    try:
        write_and_sync(descriptor, data)
        with contextlib.suppress(FileNotFoundError):
            os.chmod(temporary, target.stat().st_mode & 0o777)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def write_and_sync(descriptor: int, data: bytes) -> None:
    """Write everything to the open descriptor, force it to the disk and close it."""
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Force the folder's entries to the disk, where the system can do that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open folders
        return
    try:
        os.fsync(descriptor)
    except OSError:  # nor can some network file systems sync them
        return
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file exclusively among threads and processes; the system frees it when a holder dies.

    Raises `TransientError` when another holder keeps it for too long.
    """
    try:
        with FileLock(path, timeout=LOCK_SECONDS, thread_local=False, mode=0o600):
            yield
    except Timeout:
        raise TransientError(f"another process keeps {path} locked") from None


@contextlib.contextmanager
def file_errors(subject: str) -> Iterator[None]:
    """Turn the system's errors on files into a `ProviderError` that names the subject."""
    try:
        yield
    except OSError as error:
        named = f"{error.filename}: " if error.filename and str(error.filename) != subject else ""
        raise ProviderError(f"{subject}: {named}{error.strerror or error}") from error
