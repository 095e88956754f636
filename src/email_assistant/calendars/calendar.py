"""The `Calendar` port: what the program needs of any calendar."""

from datetime import datetime
from typing import Protocol

from email_assistant.calendars.event import Event


class Calendar(Protocol):
    """The calendar of the person the assistant works for. Methods may raise `ProviderError` or `TransientError`;
    an error is never answered with made-up free time."""

    @property
    def name(self) -> str:
        """A name that tells this calendar from others."""
        ...

    async def events(self, start: datetime, end: datetime) -> list[Event]:
        """Every occurrence that overlaps [start, end), recurring ones expanded, ordered by start."""
        ...

    async def create(self, event: Event) -> Event:
        """Create the event under its own `id`; guests are invited.

        Creating the same id again changes nothing and returns what is there, so a retry is safe.
        """
        ...

    async def get(self, event_id: str) -> Event | None:
        """The event created under this id, or None."""
        ...
