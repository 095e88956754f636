"""Documents from files, by their bytes or a folder at a time: Markdown, HTML or PDF."""

import codecs
import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from markdown_it import MarkdownIt

from email_assistant.errors import InputError
from email_assistant.mail.html import outlined_text
from email_assistant.mail.mime_parts import decode_bytes
from email_assistant.mail.pdf import UnreadableFileError, pdf_pages
from email_assistant.mail.text import one_line
from email_assistant.workflows.claims_desk.documents.document import (
    MAX_NAME,
    SIGN,
    Document,
    Section,
    UnreadableError,
    chunks_of,
    sections_of,
)

MAX_BYTES = 10_000_000
"""Larger files are refused."""
MAX_TEXT = 4_000_000
"""Longer texts are refused, markup included: they would be read for half a minute; characters."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_DECLARED = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_SNIFFED = 1024
"""Bytes in which an HTML file has to declare its character set (HTML §4.2.5.5)."""
_FRONT_MATTER = re.compile(r"---[^\S\n]*\n.*?^(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)

MAX_FILES = 2_000


def is_document(name: str) -> bool:
    """Whether a file of this name is read: by its ending."""
    return PurePath(name).suffix.lower() in _READERS


def read_document(name: str, data: bytes) -> Document:
    """The document that a file holds; hidden text, scripts, comments and front matter are left out.

    Raises `UnreadableError` for a file that is empty, too large, of another kind than its name says, in another encoding
    than UTF-8 (or than it declares), encrypted, or without text.
    """
    named = document_name(name)
    if len(data) > MAX_BYTES:
        raise UnreadableError(
            name, f"is larger than {MAX_BYTES // 1_000_000} MB; split it, or leave its pictures out"
        )
    if not data.strip():
        raise UnreadableError(name, "is empty")
    sections = _READERS[PurePath(name).suffix.lower()](name, data)
    chunks = chunks_of(named, sections)
    if not chunks:
        raise UnreadableError(name, "has no text that a reader sees")
    return Document(named, hashlib.sha256(data).hexdigest()[:32], chunks)


def document_name(name: str) -> str:
    """The name a file's document is cited by; raises `UnreadableError` for one that cannot stand in a label."""
    named = unicodedata.normalize("NFC", name)
    if named != one_line(named) or SIGN in named or len(named) > MAX_NAME or "/" in named:
        raise UnreadableError(
            name,
            f"has a name that cannot be cited: at most {MAX_NAME} characters, all of them visible, no {SIGN}",
        )
    if not is_document(named):
        raise UnreadableError(name, "is neither Markdown (.md) nor HTML (.html) nor PDF (.pdf)")
    return named


def _markdown(name: str, data: bytes) -> list[Section]:
    text = _decoded(name, data, "utf-8")
    _refuse_long(name, text)
    front = _FRONT_MATTER.match(text)
    # By way of HTML, because Markdown may hold any of it, and one reader decides what is visible.
    html = MarkdownIt("commonmark").enable("table").render(text[front.end() :] if front else text)
    return _outlined(name, html)


def _html(name: str, data: bytes) -> list[Section]:
    declared = _DECLARED.search(data[:_SNIFFED])
    return _outlined(name, _decoded(name, data, declared[1].decode() if declared else "utf-8"))


def _pdf(name: str, data: bytes) -> list[Section]:
    try:
        pages = pdf_pages(data)
    except UnreadableFileError as error:
        raise UnreadableError(name, str(error)) from error
    return [Section((f"page {number}",), (text,)) for number, text in enumerate(pages, 1) if text]


def _outlined(name: str, html: str) -> list[Section]:
    _refuse_long(name, html)
    return sections_of(outlined_text(html))


def _refuse_long(name: str, text: str) -> None:
    if len(text) > MAX_TEXT:
        raise UnreadableError(name, f"has more than {MAX_TEXT:,} characters; split it")


def _decoded(name: str, data: bytes, charset: str) -> str:
    charset = next((found for mark, found in _BOMS if data.startswith(mark)), charset)
    text, problem = decode_bytes(data, charset)
    if "\0" in text:
        raise UnreadableError(name, "is no text but a binary file")
    if problem:
        raise UnreadableError(name, f"is not written in {charset}; save it in UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


_READERS: Mapping[str, Callable[[str, bytes], list[Section]]] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
}


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
