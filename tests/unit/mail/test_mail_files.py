"""The text of files that come with mail."""

import zipfile
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from email_assistant.mail.files import MAX_BYTES, MAX_TEXT, kind_of_file, text_of_file
from email_assistant.mail.pdf import UnreadableFileError
from tests.support.pdfs import Drawn, pdf

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body: str, before: str = "") -> bytes:
    """A Word file with this body."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml",
            f"<?xml version='1.0'?>{before}<w:document {W}><w:body>{body}</w:body></w:document>",
        )
    return out.getvalue()


PAGES = [Drawn("Oak: 420 EUR"), Drawn("Oak: 1 EUR", mode=3)], [Drawn("Two weeks")]
SHOWN = (
    "<w:p><w:r><w:t>Oak shelf</w:t></w:r><w:r><w:tab/><w:t>420 EUR</w:t></w:r></w:p><w:p><w:r><w:rPr><w:vanish/></w:rPr>"
    "<w:t>free</w:t></w:r>"
    "<w:r><w:delText>300 EUR</w:delText><w:t>Two weeks</w:t></w:r></w:p>"
)


@pytest.mark.parametrize(
    ("name", "content_type", "data", "text"),
    [
        ("offer.pdf", "application/pdf", pdf(*PAGES), "Oak: 420 EUR\n\nTwo weeks"),
        ("Offer.PDF", "application/octet-stream", pdf([Drawn("Oak")]), "Oak"),
        ("offer.docx", WORD, docx(SHOWN), "Oak shelf\t420 EUR\nTwo weeks"),
        ("sizes.csv", "text/csv", "shelf;80 cm\r\nGröße;ü".encode("cp1252"), "shelf;80 cm\nGröße;ü"),
        ("a.html", "text/html", b"<p>Oak<p style='display:none'>Free<script>1</script>", "Oak"),
        ("long.txt", "text/plain", b"x" * (MAX_TEXT + 1), "x" * MAX_TEXT),
    ],
)  # fmt: skip
def test_what_a_reader_sees_is_read(name: str, content_type: str, data: bytes, text: str) -> None:
    """Neither what is hidden nor what was deleted, and no more than is kept of a file."""
    assert text_of_file(kind_of_file(name, content_type), data) == text


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.pdf", pdf([Drawn("x")], password="x"), "is encrypted"), ("a.pdf", b"%PDF-1.7\nx", "cannot be read as a PDF"),
        ("a.pdf", pdf(*[[Drawn("x")]] * 21), "has more than 20 pages"),
        ("a.docx", b"PK\x03\x04", "cannot be read as a Word file"), ("a.docx", docx("<w:p>"), "cannot be read as a Word file"),
        ("a.docx", docx("<w:p/>"), "has no text"), ("a.docx", docx("x" * MAX_BYTES), "unpacks to more than"),
        ("a.docx", docx("<w:p><w:r><w:t>&a;</w:t></w:r></w:p>", "<!DOCTYPE d [<!ENTITY a 'boom'>]>"), "declares a document type"),
        ("a.txt", b"\0\1", "is no text"), ("a.txt", b" \n", "has no text"), ("a.txt", b"x" * (MAX_BYTES + 1), "is larger than"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(name: str, data: bytes, why: str) -> None:
    """In a few words, whoever sent it."""
    with pytest.raises(UnreadableFileError, match=f"^{why}"):
        text_of_file(kind_of_file(name, "application/octet-stream"), data)


@pytest.mark.parametrize(
    ("name", "content_type"),
    [("a.png", "image/png"), ("a.pdf", "image/png"), ("a.zip", "application/zip"), ("pdf", ""), ("invite.ics", "text/calendar")],
)  # fmt: skip
def test_nothing_else_is_read(name: str, content_type: str) -> None:
    """By what it says it is, and by its name only where it says nothing."""
    assert kind_of_file(name, content_type) == ""


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_damaged_word_file_is_told_and_nothing_else(data: st.DataObject) -> None:
    """Whatever a stranger does to it: a look for mail that finds it goes on."""
    whole = bytearray(docx(SHOWN))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(UnreadableFileError):
        assert text_of_file(WORD, bytes(whole))
