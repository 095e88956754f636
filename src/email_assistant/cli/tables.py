"""Reading a table that a command is given, and telling all that is wrong with it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from email_assistant.cli.console import say
from email_assistant.errors import InputError
from email_assistant.mail.table import TOLD, TableError

T = TypeVar("T")


def read_file(path: Path, read: Callable[[BinaryIO, str], T]) -> T:
    """What `read` makes of the file and its name; raises `InputError` when there is none."""
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if not path.is_file():
        raise InputError(f"{path}: not a file")
    with path.open("rb") as file:
        return read(file, str(path))


@contextmanager
def flaws_listed() -> Iterator[None]:
    """Where a table has more flaws than the error's line tells, all are listed before it is raised."""
    try:
        yield
    except TableError as error:
        for flaw in error.flaws if error.number > TOLD else ():
            say(str(flaw))
        if error.number > len(error.flaws):
            say(f"and {error.number - len(error.flaws)} more")
        raise
