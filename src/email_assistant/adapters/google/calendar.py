"""The `Calendar` port on Google Calendar (API v3)."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.calendar_events import (
    Zones,
    google_id,
    is_cancelled,
    read_event,
    write_event,
)
from email_assistant.adapters.google.calendar_reading import GoogleAgenda
from email_assistant.calendars.event import Event, check_event, check_period, is_zone, overlaps
from email_assistant.errors import ConfigError, ConflictError, NotFoundError, ProviderError, TransientError

PRIMARY = "primary"


class GoogleCalendar:
    """What a person sees in Google Calendar: the own calendar and every other one that is switched on there.

    New events go to the own (primary) calendar.
    """

    def __init__(self, api: GoogleApi, owner: str, timezone: str) -> None:
        """`owner` is the account's address, `timezone` the owner's IANA zone; `ConfigError` when there is none such."""
        if not is_zone(timezone):
            raise ConfigError(f"EMAIL_ASSISTANT_TIMEZONE is not an IANA time zone: {timezone!r}")
        self._api = api
        self._owner = owner
        self._zone = ZoneInfo(timezone)

    @classmethod
    def of(cls, built: Any, path: None) -> "GoogleCalendar":
        """The one that settings name; raises `ConfigError` when they do not say whose account it is."""
        owner = built.account("EMAIL_ASSISTANT_CALENDAR=google")
        return cls(built.google, owner, built.settings.timezone)

    @property
    def name(self) -> str:
        """ "google:" and the account's address."""
        return f"google:{self._owner}"

    async def events(self, start: datetime, end: datetime) -> list[Event]:
        """Every occurrence that overlaps [start, end), recurring ones expanded, ordered by start.

        An event that is in several calendars counts once, as it is in the owner's. Of calendars that show their busy
        times only, these are events titled "busy". Days run from midnight to midnight in the owner's zone.

        Raises `InputError` for naive times, and `ProviderError` or `TransientError` when any calendar cannot be read.
        """
        check_period(start, end)
        found = await GoogleAgenda(self._api, self._zone).around(start, end)
        return sorted((event for event in found if overlaps(event, start, end)), key=_order)

    async def create(self, event: Event) -> Event:
        """Add the event to the primary calendar and invite its guests by mail.

        When there is an event of that id already, nothing changes and it is returned as it is. Raises `InputError` when
        the event cannot be written, `ProviderError` when it was there once and was deleted: Google keeps such ids.
        """
        check_event(event)
        body = write_event(event, owner=self._owner, zone=self._zone)
        version = 1 if event.conference else None
        try:
            # The id makes a repeat harmless: the second time Google says that it has one.
            told = await self._api.call(
                "calendar",
                lambda calendar: calendar.events().insert(
                    calendarId=PRIMARY, body=body, sendUpdates="all", conferenceDataVersion=version
                ),
                repeatable=True,
            )
        except ConflictError:
            return await self._created_before(event.id)
        return self._ours(told, event.id)

    async def get(self, event_id: str) -> Event | None:
        """The event created under this id, or None when there is none or it was deleted."""
        told = await self._stored(event_id)
        return None if told is None or is_cancelled(told) else self._ours(told, event_id)

    async def _created_before(self, event_id: str) -> Event:
        told = await self._stored(event_id)
        if told is None:
            raise TransientError("Google says that it has the event already, but does not show it yet")
        if is_cancelled(told):
            raise ProviderError(
                "the meeting was created earlier and has been deleted in Google Calendar: propose it anew"
            )
        return self._ours(told, event_id)

    async def _stored(self, event_id: str) -> Any | None:
        try:
            return await self._api.call(
                "calendar",
                lambda calendar: calendar.events().get(calendarId=PRIMARY, eventId=google_id(event_id)),
            )
        except NotFoundError:
            return None

    def _ours(self, told: Any, event_id: str) -> Event:
        return replace(read_event(told, Zones(self._zone, self._zone)), id=event_id)


def _order(event: Event) -> tuple[datetime, datetime, str]:
    return event.start.astimezone(UTC), event.end.astimezone(UTC), event.id
