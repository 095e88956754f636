"""A file's bytes read as a document: Markdown, HTML or PDF."""

import codecs
import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import PurePath

from markdown_it import MarkdownIt

from email_assistant.documents.chunking import chunks_of
from email_assistant.documents.document import MAX_NAME, SIGN, Document, Section, UnreadableError
from email_assistant.documents.outline import sections_of
from email_assistant.documents.pdf import pdf_text
from email_assistant.mail.charset import decode_bytes
from email_assistant.mail.html import outlined_text
from email_assistant.mail.text import one_line

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
    return sections_of(pdf_text(name, data))


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
