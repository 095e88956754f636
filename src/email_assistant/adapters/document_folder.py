"""Documents from a folder of files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from email_assistant.documents.document import Document, UnreadableError
from email_assistant.documents.reading import MAX_BYTES, is_document, read_document
from email_assistant.errors import InputError
from email_assistant.mail.text import one_line

MAX_FILES = 2_000


@dataclass(frozen=True, slots=True)
class DocumentFolder:
    """What a folder holds."""

    documents: Sequence[Document]
    flaws: Sequence[str]
    """Why a file cannot be taken, a line for each, its name first."""
    others: Sequence[str]
    """Names of what is no document by its ending, folders with a "/" behind; hidden files are not among them."""


def read_folder(folder: Path) -> DocumentFolder:
    """The documents that lie in a folder itself.

    Folders in it are not looked into: they may hold what is meant for another role. Raises `InputError` when it is no folder.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: {'not a folder' if folder.exists() else 'no such folder'}")
    try:
        found = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from None
    files = [path for path in found if path.is_file() and is_document(path.name)]
    if len(files) > MAX_FILES:
        raise InputError(f"{folder}: holds more than {MAX_FILES:,} documents")
    documents: dict[str, Document] = {}
    flaws: list[str] = []
    for path in files:
        try:
            document = _read(path)
            if document.name in documents:
                raise UnreadableError(path.name, "has the name of another file, in other letters")
            documents[document.name] = document
        except UnreadableError as error:
            flaws.append(str(error))
    others = [one_line(path.name) + "/" * path.is_dir() for path in found if path not in set(files)]
    return DocumentFolder(tuple(documents.values()), flaws, others)


def _read(path: Path) -> Document:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableError(path.name, f"cannot be read ({error.strerror})") from None
    return read_document(path.name, data)
