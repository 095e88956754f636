"""Gathers what a Google account's calendars hold in a period."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.adapters.google.api import Build, GoogleApi, together
from email_assistant.adapters.google.calendar_events import (
    Resource,
    Zones,
    is_cancelled,
    mapping,
    read_busy,
    read_event,
)
from email_assistant.calendars.event import Event, is_zone, unread_event
from email_assistant.errors import InputError, NotFoundError, ProviderError, TransientError
from email_assistant.mail.text import one_line

MAX_PAGES = 200
"""More pages than this are taken for a list that never ends."""
CALENDARS_A_PAGE = 250
EVENTS_A_PAGE = 2500
FREE_BUSY_CALENDARS = 50
"""The most that one free/busy query may name."""
FREE_BUSY_PERIOD = timedelta(days=31)
"""Google refuses free/busy queries over long periods."""

_READERS = frozenset({"reader", "writerWithoutPrivateAccess", "writer", "owner"})
# Google places days in the calendar's zone, we in the owner's; zones are up to 26 hours apart.
_MARGIN = timedelta(hours=26)
_SECOND = timedelta(seconds=1)
_PASSING = frozenset({"notFound", "internalError"})
"""Reasons that have gone when the list of calendars is read anew."""

Period = tuple[datetime, datetime]
Paged = Callable[[str | None], Build]
"""Makes the request for the page of this token, the first for None."""


@dataclass(frozen=True, slots=True)
class ListedCalendar:
    """A calendar of the user's list."""

    id: str
    zone: ZoneInfo
    primary: bool
    role: str

    @property
    def readable(self) -> bool:
        """Whether its events may be read, not only when it is busy."""
        return self.role in _READERS

    @property
    def rank(self) -> tuple[bool, bool]:
        """Smaller for calendars whose word on an event counts more: one's own comes first."""
        return (not self.primary, self.role != "owner")


@dataclass(frozen=True)
class GoogleAgenda:
    """The calendars of one account; `zone` is the owner's, `own` their addresses in lower case."""

    api: GoogleApi
    zone: ZoneInfo
    own: frozenset[str]

    async def around(self, start: datetime, end: datetime) -> list[Event]:
        """Everything in the period and some of what is beside it, in no order.

        Raises `InputError` for times out of range, `TransientError` when a calendar vanishes meanwhile, and whatever
        `GoogleApi.call` does: a calendar that cannot be read is never taken for an empty one.
        """
        wide = (_moved(start, -_MARGIN), _moved(end, _MARGIN))
        calendars = sorted(await self._calendars(), key=lambda c: c.rank)
        readable = [c for c in calendars if c.readable]
        occurrences = await self._occurrences(readable, wide)
        busy = await self._busy_times([c for c in calendars if not c.readable], start, end)
        events = await asyncio.to_thread(lambda: [*self._events_of(readable, occurrences)])
        return [*events, *busy]

    async def _calendars(self) -> list[ListedCalendar]:
        """The calendars that are switched on, and the primary one whatever the list says."""
        entries = await items_of(self.api, _list_calendars, "the list of calendars")
        # A zone is looked up on disk.
        found = await asyncio.to_thread(lambda: [self._listed(entry) for entry in entries if _is_on(entry)])
        if not any(calendar.primary for calendar in found):
            found.append(ListedCalendar("primary", self.zone, True, "owner"))
        return found

    def _listed(self, entry: Resource) -> ListedCalendar:
        calendar_id, name = entry.get("id"), entry.get("timeZone")
        if not isinstance(calendar_id, str) or not calendar_id:
            raise ProviderError("Google's list of calendars has one without an id")
        zone = ZoneInfo(name) if isinstance(name, str) and is_zone(name) else self.zone
        return ListedCalendar(calendar_id, zone, entry.get("primary") is True, str(entry.get("accessRole")))

    async def _occurrences(
        self, calendars: Sequence[ListedCalendar], period: Period
    ) -> dict[str, list[Resource]]:
        """What Google tells of each calendar's events."""
        lists = (_listing(calendar.id, period) for calendar in calendars)
        found = await together(items_of(self.api, each, "a list of events") for each in lists)
        if any(isinstance(items, NotFoundError) for items in found):
            raise TransientError(
                "a calendar has vanished from the Google account while it was read; try again"
            )
        return {
            calendar.id: items
            for calendar, items in zip(calendars, found, strict=True)
            if not isinstance(items, NotFoundError)
        }

    def _events_of(
        self, calendars: Sequence[ListedCalendar], resource: dict[str, list[Resource]]
    ) -> list[Event]:
        """Each event once: copies of one invitation share an iCalendar UID, those of a series each its own start."""
        found: list[Event] = []
        elsewhere: set[tuple[str, datetime]] = set()
        for calendar in calendars:
            here: dict[str, Event] = {}
            copies: set[tuple[str, datetime]] = set()
            for item in resource[calendar.id]:
                if is_cancelled(item) and not ("start" in item and "end" in item):
                    continue
                event = _read_or_unread(item, Zones(self.zone, calendar.zone), self.own)
                copy = (str(item.get("iCalUID") or ""), event.start.astimezone(UTC))
                if copy[0] and copy in elsewhere:
                    continue
                copies.add(copy)
                here[event.id] = event
            elsewhere |= copies
            found += here.values()
        return found

    async def _busy_times(
        self, calendars: Sequence[ListedCalendar], start: datetime, end: datetime
    ) -> list[Event]:
        found: dict[tuple[str, datetime], Event] = {}
        for first in range(0, len(calendars), FREE_BUSY_CALENDARS):
            some = calendars[first : first + FREE_BUSY_CALENDARS]
            for period in _pieces(start, end) if some else ():
                resource = mapping(await self.api.call("calendar", _ask_busy(some, period)), "free/busy")
                answers = mapping(resource.get("calendars"), "free/busy")
                for calendar in some:
                    for event in _busy_of(calendar, answers.get(calendar.id)):
                        # A time that reaches over the edge of two pieces is in both.
                        found[event.id, event.end] = event
        return list(found.values())


async def items_of(api: GoogleApi, build: Paged, what: str) -> list[Resource]:
    """Every item of a list; `what` is what errors call it."""
    found: list[Resource] = []
    token: str | None = None
    for _ in range(MAX_PAGES):
        resource = await api.call("calendar", build(token))
        items, token = _page(resource, what)
        found += items
        if token is None:
            return found
    raise ProviderError(f"Google's answer cannot be read: {what} does not end")


def _read_or_unread(item: Resource, zones: Zones, own: frozenset[str]) -> Event:
    try:
        return read_event(item, zones, own)
    except ProviderError as error:
        if not isinstance(event_id := item.get("id"), str) or not event_id:
            raise
        return unread_event(event_id, str(item.get("summary") or ""), str(error))


def _list_calendars(token: str | None) -> Build:
    return lambda calendar: calendar.calendarList().list(maxResults=CALENDARS_A_PAGE, pageToken=token)


def _listing(calendar_id: str, period: Period) -> Paged:
    return lambda token: (
        lambda calendar: calendar.events().list(
            calendarId=calendar_id,
            singleEvents=True,
            timeMin=_rfc3339(period[0]),
            timeMax=_rfc3339(period[1]),
            maxResults=EVENTS_A_PAGE,
            pageToken=token,
        )
    )


def _ask_busy(calendars: Sequence[ListedCalendar], period: Period) -> Build:
    body = {
        "timeMin": _rfc3339(period[0]),
        "timeMax": _rfc3339(period[1]),
        "calendarExpansionMax": FREE_BUSY_CALENDARS,
        "items": [{"id": calendar.id} for calendar in calendars],
    }
    return lambda calendar: calendar.freebusy().query(body=body)


def _busy_of(calendar: ListedCalendar, answer: Any) -> list[Event]:
    resource = mapping(answer, "a calendar's free/busy")
    if errors := resource.get("errors"):
        raise _unknown_busy(errors)
    busy = resource.get("busy")
    if not isinstance(busy, list):
        raise ProviderError("Google's answer does not say when a calendar is busy")
    return [read_busy(each, calendar.id, calendar.zone) for each in busy]


def _unknown_busy(errors: Any) -> ProviderError:
    items = errors if isinstance(errors, list) else [errors]
    reasons = {str(item.get("reason")) if isinstance(item, dict) else "unknown" for item in items}
    text = one_line(f"Google could not say when a calendar is busy ({', '.join(sorted(reasons))[:80]})")
    return TransientError(text) if reasons <= _PASSING else ProviderError(text)


def _page(resource: Any, what: str) -> tuple[list[Resource], str | None]:
    """The items of one page, and the token of the next or None."""
    resource = mapping(resource, what)
    items = resource.get("items")
    if items is None and str(resource.get("kind")).startswith("calendar#"):
        items = []
    if not isinstance(items, list):
        raise ProviderError(f"Google's answer cannot be read: {what} has no items")
    token = resource.get("nextPageToken")
    return [mapping(item, f"an item of {what}") for item in items], str(token) if token else None


def _is_on(entry: Resource) -> bool:
    if entry.get("deleted") is True:
        return False
    return entry.get("primary") is True or (entry.get("selected") is True and entry.get("hidden") is not True)


def _pieces(start: datetime, end: datetime) -> list[Period]:
    """The period in pieces that Google takes, in whole seconds; an empty one becomes a second."""
    first, last = _moved(start, timedelta(0)), _moved(end, _SECOND)
    pieces = []
    while first < last:
        until = min(last, _moved(first, FREE_BUSY_PERIOD))
        pieces.append((first, until))
        first = until
    return pieces


def _moved(instant: datetime, by: timedelta) -> datetime:
    try:
        return instant.astimezone(UTC) + by
    except OverflowError:
        raise InputError(f"the period is out of range: {instant.isoformat()}") from None


def _rfc3339(instant: datetime) -> str:
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
