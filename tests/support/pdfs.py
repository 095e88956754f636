"""PDFs made for tests, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject


@dataclass(frozen=True)
class Drawn:
    """A line: its text, the size of its letters, and how far below the last one it stands."""

    text: str
    size: float = 11
    bold: bool = False
    down: float = 14
    mode: int = 0
    """The text rendering mode; 3 paints nothing."""


def pdf(*pages: Sequence[Drawn], password: str = "") -> bytes:
    """A PDF with these pages."""
    writer = PdfWriter()
    for lines in pages:
        page = writer.add_blank_page(595, 842)
        fonts = {
            NameObject(name): _font(base)
            for name, base in (("/F1", "/Helvetica"), ("/F2", "/Helvetica-Bold"))
        }
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): DictionaryObject(fonts)})
        stream = DecodedStreamObject()
        stream.set_data(_content(lines).encode("cp1252"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def _content(lines: Sequence[Drawn]) -> str:
    height, drawn = 800.0, []
    for line in lines:
        height -= line.down
        text = line.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        font = "/F2" if line.bold else "/F1"
        drawn.append(f"q BT {line.mode} Tr {font} {line.size} Tf 50 {height} Td ({text}) Tj ET Q")
    return "\n".join(drawn)


def _font(base: str) -> DictionaryObject:
    fields = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": base, "/Encoding": "/WinAnsiEncoding"}
    return DictionaryObject({NameObject(key): NameObject(value) for key, value in fields.items()})
