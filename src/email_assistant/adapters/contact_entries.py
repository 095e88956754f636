"""Entries of contact files, and flaws of those that cannot be taken."""

from dataclasses import dataclass
from typing import NamedTuple

from email_assistant.journal.contact import ContactFields


class FileLine(NamedTuple):
    """One line of a file, with its end."""

    number: int
    """From 1."""
    text: str
    whole: bool = True
    """False when the line was too long and the rest of it is missing."""


@dataclass(frozen=True, slots=True)
class ContactEntry:
    """One row or card as it was written, not checked yet."""

    line: int
    """Where it begins, from 1."""
    addresses: tuple[str, ...]
    fields: ContactFields


@dataclass(frozen=True, slots=True)
class ContactFlaw:
    """Why an entry cannot be taken: `text` begins with the field's name."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"
