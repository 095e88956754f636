"""PDFs: what their letters tell about headings, what is invisible, and what cannot be read."""

import pytest

from email_assistant.workflows.claims_desk.documents.document import UnreadableError
from email_assistant.workflows.claims_desk.documents.reading import read_document
from tests.support.pdfs import Drawn, pdf

HEAD, FOOT = Drawn("Acme Insurance 2026", 8), Drawn("Page 1 of 3", 8)


def read(*pages: list[Drawn]) -> dict[str, str]:
    """The text under each label of a PDF."""
    return {chunk.label: chunk.text for chunk in read_document("t.pdf", pdf(*pages)).chunks}


def test_larger_and_bold_lines_are_headings() -> None:
    """By their size, wrapped ones as one; bold ones of the text's size below them; a bold row of a table is none."""
    page = [
        Drawn("1 Water damage", 16, True), Drawn("in the home", 16, True, 18),
        Drawn("We pay when a pipe breaks,"), Drawn("and for what it wets."),
        Drawn("1.1 Unpaid premium", 11, True, 28),
        Drawn("No cover after 30 days."), Drawn("Really none.", down=40),
    ]  # fmt: skip
    assert read(page) == {
        "t.pdf § 1 Water damage in the home": "We pay when a pipe breaks,\nand for what it wets.",
        "t.pdf § 1.1 Unpaid premium": "No cover after 30 days.\n\nReally none.",
    }


def test_what_comes_again_on_every_page_is_left_out() -> None:
    """Heads and feet with page numbers; a sentence goes on over the page's end."""
    pages = [
        [HEAD, Drawn(f"Sentence {word} begins"), Drawn(f"and ends {word}."), FOOT]
        for word in ("one", "two", "three")
    ]
    assert read(*pages) == {
        "t.pdf": "Sentence one begins\nand ends one.\nSentence two begins\nand ends two.\nSentence three begins\nand ends three."
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
    assert read(page) == {"t.pdf": "Seen.\nSeen too."}


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
