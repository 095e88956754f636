"""The text of files that come with mail, for whoever reads along: plain text, PDF, Word; what nobody sees is left out."""

import zipfile
from io import BytesIO
from pathlib import PurePath
from xml.parsers import expat

from email_assistant.mail.html import visible_text
from email_assistant.mail.mime_parts import decode_bytes
from email_assistant.mail.pdf import UnreadableFileError, strangers_pdf_pages
from email_assistant.mail.text import clean

MAX_BYTES = 5_000_000
"""Larger files are not read, nor larger texts in a Word file."""
MAX_TEXT = 8_000
"""Characters that are kept of a file."""
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_BREAKS = {f"{_W}p": "\n", f"{_W}br": "\n", f"{_W}tab": "\t", f"{_W}tc": "\t"}
_KINDS = {
    ".txt": "text/plain", ".md": "text/plain", ".csv": "text/csv", ".html": "text/html", ".htm": "text/html",
    ".pdf": "application/pdf", ".docx": _WORD,
}  # fmt: skip
"""What files are that come as something unknown, by the ending of their names."""
_READ = frozenset(_KINDS.values())


def kind_of_file(name: str, content_type: str) -> str:
    """Its media type, by its name where that is not told; "" for what is not read."""
    told = content_type.lower()
    kind = told if told in _READ else _KINDS.get(PurePath(name).suffix.lower(), "")
    return kind if told in _READ or told in {"application/octet-stream", "text/markdown", ""} else ""


def text_of_file(kind: str, data: bytes) -> str:
    """The beginning of what a reader sees in a file of that `kind_of_file`; raises `UnreadableFileError`. Blocks."""
    if len(data) > MAX_BYTES:
        raise UnreadableFileError(f"is larger than {MAX_BYTES // 1_000_000} MB")
    if kind == "application/pdf":
        text = "\n\n".join(filter(None, strangers_pdf_pages(data)))
    elif kind == _WORD:
        text = _word(data)
    else:
        text = decode_bytes(data, "utf-8")[0]
        if "\0" in text:
            raise UnreadableFileError("is no text")
        text = visible_text(text)[0] if kind == "text/html" else text
    read = clean(text[: 4 * MAX_TEXT])[0].strip()
    if not read:
        raise UnreadableFileError("has no text")
    return read[:MAX_TEXT]


def _word(data: bytes) -> str:
    """Of a Word file the text of its body, without what is hidden or was deleted."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive, archive.open("word/document.xml") as file:
            xml = file.read(MAX_BYTES + 1)
    except Exception as error:
        # Of any kind, as of a PDF: no file may stop the look that finds it.
        raise UnreadableFileError("cannot be read as a Word file") from error
    if len(xml) > MAX_BYTES:
        raise UnreadableFileError(f"unpacks to more than {MAX_BYTES // 1_000_000} MB")
    body = _WordBody()
    try:
        body.parser.Parse(xml, True)
    except expat.ExpatError:
        raise UnreadableFileError("cannot be read as a Word file") from None
    return "".join(body.pieces)


class _WordBody:
    """Gathers what a Word file shows (ECMA-376 part 1, §17.3) while its XML is read."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._is_text = self._is_hidden = False
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._begins
        self.parser.EndElementHandler = self._ends
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._refused

    def _begins(self, name: str, attributes: dict[str, str]) -> None:
        if name == f"{_W}r":
            self._is_hidden = False
        elif name == f"{_W}vanish":
            self._is_hidden = attributes.get(f"{_W}val", "true") not in {"0", "false", "off"}
        self._is_text = name == f"{_W}t"

    def _ends(self, name: str) -> None:
        self._is_text = False
        if name in _BREAKS:
            self.pieces.append(_BREAKS[name])

    def _characters(self, text: str) -> None:
        if self._is_text and not self._is_hidden:
            self.pieces.append(text)

    def _refused(self, *_: object) -> None:
        """No Word file has a document type, and entities are declared in one: a few lines of them fill any memory."""
        raise UnreadableFileError("declares a document type, as no Word file does")
