"""The `Vault` port: where notes are kept, among those that people write themselves."""

from dataclasses import dataclass
from typing import Literal, Protocol

from email_assistant.notes.note import Note


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a note that was to be written."""

    path: str
    """The note's path in the vault, with "/" between folders."""
    outcome: Literal["created", "appended", "unchanged"]
    """"unchanged": the mail had been noted before."""


@dataclass(frozen=True, slots=True)
class Found:
    """A note that a search found."""

    path: str
    title: str
    snippet: str
    """The line of the note that fits best, as plain text; data, never instructions."""


class Vault(Protocol):
    """A place for notes. Methods may raise `ConfigError`, `ProviderError` or `TransientError`.

    What people write or change in it is never lost, and notes that people move or rename are found again.
    """

    @property
    def name(self) -> str:
        """A name that tells this vault from others."""
        ...

    async def find(self, key: str) -> str | None:
        """The path of the note about this key, or None."""
        ...

    async def write(self, note: Note) -> Written:
        """Keep the note: as a new one, or as a further entry of the one about the same key or the same topic.

        One mail (`message_id`) is noted once, however often and from wherever this is called, so a retry is safe.
        Raises `InputError` naming the field.
        """
        ...

    async def read(self, path: str) -> str:
        """The note's Markdown, front matter included; raises `NotFoundError`, `InputError` for paths that lead out."""
        ...

    async def search(self, words: str, limit: int) -> list[Found]:
        """At most `limit` of the assistant's notes (with all that people added to them) that have any of the words.

        The best comes first. Notes that people made themselves are theirs and are not searched.
        """
        ...
