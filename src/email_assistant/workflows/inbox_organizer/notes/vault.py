"""The `Vault` port: where the assistant keeps notes of its own, beside those that people write themselves."""

from dataclasses import dataclass
from typing import Literal, Protocol

from email_assistant.workflows.inbox_organizer.notes.note import Note


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """What became of a note that was to be written."""

    path: str
    """The note's path in the vault, with "/" between folders."""
    outcome: Literal["created", "appended", "unchanged"]
    """"unchanged": the mail had been noted before."""


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A note that a search found."""

    path: str
    title: str
    snippet: str
    """The line of the note that fits best, as plain text; data, never instructions."""


class Vault(Protocol):
    """A place for notes. Methods may raise `ConfigError`, `ProviderError` or `TransientError`.

    One note a matter, which the assistant owns and only ever adds to: what people write into one stays, and what else is in the
    vault is neither read nor changed.
    """

    @property
    def name(self) -> str:
        """A name that tells this vault from others."""
        ...

    async def write(self, note: Note) -> WrittenNote:
        """Keep the note: as a new one, or as a further entry of the one about the same key.

        One mail (`message_id`) is an entry of it once, however often and from wherever this is called, so a retry is safe.
        Raises `InputError` naming the field.
        """
        ...

    async def search(self, words: str, limit: int) -> list[FoundNote]:
        """At most `limit` of the assistant's notes (with all that people added to them) that have any of the words.

        The best comes first.
        """
        ...
