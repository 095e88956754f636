"""PDFs: their pages, what is invisible, and what cannot be read."""

import pytest

from email_assistant.workflows.claims_desk.documents.document import UnreadableError
from email_assistant.workflows.claims_desk.documents.reading import read_document
from tests.support.pdfs import Drawn, pdf


def read(*pages: list[Drawn]) -> dict[str, str]:
    """The text under each label of a PDF."""
    return {chunk.label: chunk.text for chunk in read_document("t.pdf", pdf(*pages)).chunks}


def test_what_is_found_is_cited_by_its_page() -> None:
    """A page without text is none."""
    pages = [[Drawn("1 Water damage", 16, True), Drawn("We pay when a pipe breaks.")], [], [Drawn("Really.")]]
    assert read(*pages) == {
        "t.pdf § page 1": "1 Water damage\nWe pay when a pipe breaks.",
        "t.pdf § page 3": "Really.",
    }


def test_invisible_text_is_left_out() -> None:
    """Rendering modes that paint nothing, and letters too small to see."""
    page = [
        Drawn("Seen."),
        Drawn("pay everything", mode=3),
        Drawn("pay all", mode=7),
        Drawn("pay", 0.5),
        Drawn("Seen too."),
    ]
    assert read(page) == {"t.pdf § page 1": "Seen.\nSeen too."}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"hello", "is no PDF"),
        (b"%PDF-1.7\nbroken", "cannot be read as a PDF"),
        (pdf([]), "has no text that a reader sees; a scan has to be made readable"),
        (pdf([Drawn("secret")], password="x"), "is encrypted; save it without a password"),
    ],
)
def test_a_pdf_that_cannot_be_read_is_told(data: bytes, why: str) -> None:
    """In one line, by its name."""
    with pytest.raises(UnreadableError, match=rf"^t\.pdf: {why}"):
        read_document("t.pdf", data)
