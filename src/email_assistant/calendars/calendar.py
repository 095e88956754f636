"""The `Calendar` port: what the program needs of any calendar."""

from datetime import datetime
from typing import Protocol

from email_assistant.calendars.event import Event, Partstat


class Calendar(Protocol):
    """The calendar of the person the assistant works for. Methods may raise `ProviderError` or `TransientError`;
    an error is never answered with made-up free time."""

    @property
    def name(self) -> str:
        """A name that tells this calendar from others."""

    async def events(self, start: datetime, end: datetime) -> list[Event]:
        """Every occurrence that overlaps [start, end), recurring ones expanded, ordered by start.

        An event whose times cannot be read stops nothing: it is among them, `unread`, whatever the period.
        """

    @property
    def writes_to_guests(self) -> bool:
        """Whether the calendar itself writes to the guests of the owner's own meetings when they are made, changed or cancelled."""

    async def create(self, event: Event) -> Event:
        """Create the event under its own `id`; guests are invited.

        Creating the same id again changes nothing and returns what is there, so a retry is safe.
        """

    async def get(self, event_id: str) -> Event | None:
        """The event created under this id, or None."""

    async def find(self, uid: str, recurrence_id: datetime | None = None) -> Event | None:
        """The event of this UID (of a series all of it, with its `recurrence`), or the one occurrence; None when there is none.

        A cancelled one is found as long as the calendar keeps it.
        """

    async def put(self, event: Event) -> Event:
        """Make the event of `event.uid` this one, or its one occurrence when there is a `recurrence_id`; nobody is invited
        who was not before, unless it is a meeting of the owner's own and the calendar writes to guests.

        An event whose revision (`sequence`) is older than the calendar's changes nothing. What the calendar keeps beside what
        an `Event` says stays as it is. A repeat changes nothing. Returns what is there now.
        """

    async def cancel(self, uid: str, recurrence_id: datetime | None = None) -> None:
        """Mark the event, or its one occurrence, as cancelled; nothing happens when there is none or it is so already."""

    async def answer(self, uid: str, partstat: Partstat, recurrence_id: datetime | None = None) -> Event:
        """Note whether the owner comes to an event that is there; no mail is written. A repeat changes nothing.

        Raises `NotFoundError` when there is no such event, `InputError` when the owner is none of its attendees.
        """
