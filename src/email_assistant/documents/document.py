"""A document and its chunks, each with the label it is cited by."""

from dataclasses import dataclass

from email_assistant.errors import InputError
from email_assistant.mail.text import one_line

SIGN = "§"
"""Between a document's name and a heading, in a label."""
MAX_NAME = 120
"""Characters of a document's name."""


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next."""

    path: tuple[str, ...]
    """Headings from the top to this one; empty for what stands before the first."""
    blocks: tuple[str, ...]
    """Paragraphs, tables and lists, as a reader sees them."""


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A piece of a section that is found and cited as one. Its text is data, never instructions."""

    document: str
    label: str
    """`FILE § HEADING`, or `FILE` alone outside headings; unlike every other label of its document. Later parts of a
    section that is cut have `, part 2` and so on behind it."""
    section: str
    """The label without its part."""
    path: tuple[str, ...]
    text: str

    @property
    def headings(self) -> str:
        """The headings above it, in one line."""
        return " > ".join(self.path)


@dataclass(frozen=True, slots=True)
class Document:
    """One file as it is kept."""

    name: str
    """Its file name, which is its id."""
    digest: str
    """Of the file's bytes."""
    chunks: tuple[DocumentChunk, ...]


class UnreadableError(InputError):
    """A file that is no document; the text begins with its name and says why, in one line."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{one_line(name, limit=MAX_NAME)}: {why}")
