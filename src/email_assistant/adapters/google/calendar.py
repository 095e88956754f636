"""The `Calendar` port on Google Calendar (API v3)."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.adapters.google.api import Build, GoogleApi, Lookup
from email_assistant.adapters.google.calendar_events import (
    Resource,
    Zones,
    google_id,
    is_cancelled,
    is_declined,
    mapping,
    original_start,
    own_guests,
    read_event,
)
from email_assistant.adapters.google.calendar_reading import GoogleAgenda, items_of
from email_assistant.adapters.google.calendar_writing import (
    answer,
    imported,
    notifies_guests,
    patch,
    write_event,
)
from email_assistant.calendars.event import (
    Event,
    Partstat,
    check_event,
    check_period,
    check_uid,
    in_period,
    in_utc,
    is_zone,
    unread_event,
)
from email_assistant.errors import (
    ConfigError,
    ConflictError,
    InputError,
    NotFoundError,
    ProviderError,
    TransientError,
)

PRIMARY = "primary"
# An occurrence is looked for around its time by the series' rule; zones are up to 26 hours apart.
_AROUND = timedelta(hours=26)


class GoogleCalendar:
    """What a person sees in Google Calendar: the own calendar and every other one that is switched on there.

    New events go to the own (primary) calendar, and there events are found, changed, cancelled and answered.
    """

    writes_to_guests = True
    """Google sends the guests of one's own meetings invitations, changes and cancellations."""

    def __init__(self, api: GoogleApi, owner: str, timezone: str, own: frozenset[str] = frozenset()) -> None:
        """`owner` is the account's address, `own` all of its owner's, in lower case; `timezone` the owner's IANA zone.

        `ConfigError` when there is none such.
        """
        if not is_zone(timezone):
            raise ConfigError(f"EMAIL_ASSISTANT_TIMEZONE is not an IANA time zone: {timezone!r}")
        self._api = api
        self._owner = owner
        self._own = own | {owner.lower()}
        self._zone = ZoneInfo(timezone)

    @classmethod
    def of(cls, deps: Any, path: None) -> "GoogleCalendar":
        """The one that settings name; raises `ConfigError` when they do not say whose account it is."""
        s = deps.settings
        owner = s.account_for("EMAIL_ASSISTANT_CALENDAR=google")
        return cls(GoogleApi.of(s, deps.clock), owner, s.timezone, s.own_addresses)

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
        found = await GoogleAgenda(self._api, self._zone, self._own).around(start, end)
        return in_period(found, start, end)

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
            resource = await self._api.call(
                "calendar",
                lambda calendar: calendar.events().insert(
                    calendarId=PRIMARY, body=body, sendUpdates="all", conferenceDataVersion=version
                ),
                repeatable=True,
            )
        except ConflictError:
            return await self._created_before(event.id)
        return self._ours(resource, event.id)

    async def get(self, event_id: str) -> Event | None:
        """The event created under this id, or None when there is none or it was deleted."""
        resource = await self._stored(event_id)
        return None if resource is None or is_cancelled(resource) else self._ours(resource, event_id)

    async def find(self, uid: str, recurrence_id: datetime | None = None) -> Event | None:
        """The event of this UID, or its one occurrence, in the primary calendar; one that was deleted is `cancelled`.

        Raises `ProviderError` when its times cannot be read.
        """
        check_uid(uid)
        resource = await self._find(uid, recurrence_id and in_utc("recurrence_id", recurrence_id))
        return None if resource is None else self._event(resource, uid)

    async def put(self, event: Event) -> Event:
        """Import the event (`events.import`) under its own UID, or change what is different of the one that is there.

        Guests hear of a change of the owner's own meeting, except of one that only notes who has answered what.
        """
        check_uid(event.uid)
        event = replace(event, id=event.id or event.uid)
        check_event(event)
        resource = await self._resource_of(event)
        if resource is None:
            if event.recurrence_id and await self._find(event.uid, None):
                raise InputError(f"'recurrence_id' is no occurrence of the event {event.uid[:80]!r}")
            return self._event(await self._imported(event), event.uid)
        before = self._event(resource, event.uid)
        if before.recurrence_id is None and event.recurrence_id:
            raise InputError(f"'recurrence_id' is no occurrence of the event {event.uid[:80]!r}")
        if is_declined(resource, self._own):  # That the time is free follows from the answer.
            event = replace(event, busy=before.busy)
        body = patch(resource, before, event, self._zone)
        if event.sequence < before.sequence or not body:
            return before
        if notifies_guests(body) and self._is_own_elsewhere(resource, before):
            raise InputError(
                f"its organizer is {before.organizer and before.organizer.email}, for whom Google writes to no guests"
            )
        said = await self._patched(
            resource, body, notify=notifies_guests(body), already=lambda: self._saying(event)
        )
        return self._event(said, event.uid)

    async def cancel(self, uid: str, recurrence_id: datetime | None = None) -> None:
        """Delete the event, or its one occurrence: Google keeps it as cancelled. The guests of an own meeting are told."""
        check_uid(uid)
        resource = await self._find(uid, recurrence_id and in_utc("recurrence_id", recurrence_id))
        if resource is None or is_cancelled(resource):
            return
        updates = _updates(resource, notify=True)
        with suppress(NotFoundError):  # It is gone by now: a repeat of this call finds it so, too.
            await self._call(
                lambda events: events.delete(calendarId=PRIMARY, eventId=resource["id"], sendUpdates=updates)
            )

    async def answer(self, uid: str, partstat: Partstat, recurrence_id: datetime | None = None) -> Event:
        """Set the owner's own `responseStatus`; Google writes no mail about it."""
        check_uid(uid)
        resource = await self._find(uid, recurrence_id and in_utc("recurrence_id", recurrence_id))
        if resource is None:
            raise NotFoundError(f"there is no event {uid[:80]!r} in the Google calendar")
        found = self._event(resource, uid)
        me = next(
            (str(guest["email"]) for guest in own_guests(resource, self._own) if guest.get("email")), None
        )
        if me is None:
            raise InputError(f"you are not among the guests of {uid[:80]!r}")
        if found.partstat_of(me.lower()) is partstat:
            return found
        body = answer(resource, me, partstat)
        return self._event(await self._patched(resource, body, notify=False), uid)

    async def _imported(self, event: Event) -> Any:
        body = imported(event, self._zone)
        return await self._call(
            lambda events: events.import_(calendarId=PRIMARY, body=body),
            # Nothing says that an occurrence by itself is not made twice when it is imported twice.
            already=lambda: self._find(
                event.uid, event.recurrence_id and event.recurrence_id.astimezone(UTC)
            ),
        )

    async def _patched(
        self, resource: Resource, body: Resource, *, notify: bool, already: Lookup | None = None
    ) -> Any:
        updates = _updates(resource, notify=notify)
        return await self._call(
            lambda events: events.patch(
                calendarId=PRIMARY, eventId=resource["id"], body=body, sendUpdates=updates
            ),
            already=already,
        )

    async def _resource_of(self, event: Event) -> Resource | None:
        return await self._find(event.uid, event.recurrence_id and event.recurrence_id.astimezone(UTC))

    async def _saying(self, event: Event) -> Resource | None:
        """What Google tells of it when that says all of this already: to change it again would tell its guests again."""
        resource = await self._resource_of(event)
        return (
            None
            if resource is None or patch(resource, self._event(resource, event.uid), event, self._zone)
            else resource
        )

    async def _find(self, uid: str, recurrence_id: datetime | None) -> Resource | None:
        """What Google tells of the event of this UID, or of its one occurrence; of several that are not deleted."""
        items = await items_of(
            self._api,
            lambda token: (
                lambda calendar: calendar.events().list(
                    calendarId=PRIMARY, iCalUID=uid, showDeleted=True, pageToken=token
                )
            ),
            "a list of events",
        )
        zones = Zones(self._zone, self._zone)
        wanted = [each for each in items if original_start(each, zones) == recurrence_id]
        if not wanted and recurrence_id:
            wanted = await self._instance(items, recurrence_id, zones)
        return min(wanted, key=is_cancelled, default=None)

    async def _instance(self, items: list[Resource], recurrence_id: datetime, zones: Zones) -> list[Resource]:
        """The occurrence of a series of which Google tells nothing that the series does not."""
        series = next((each for each in items if each.get("recurrence") and not is_cancelled(each)), None)
        if series is None:
            return []
        around = [(recurrence_id + by).isoformat().replace("+00:00", "Z") for by in (-_AROUND, _AROUND)]
        found = await items_of(
            self._api,
            lambda token: lambda calendar: calendar.events().instances(
                calendarId=PRIMARY, eventId=series["id"], timeMin=around[0], timeMax=around[1],
                showDeleted=True, pageToken=token,
            ),
            "a list of events",
        )  # fmt: skip
        return [each for each in found if original_start(each, zones) == recurrence_id]

    async def _call(self, build: Build, already: Lookup | None = None) -> Any:
        return await self._api.call("calendar", lambda calendar: build(calendar.events()), already=already)

    def _event(self, resource: Any, uid: str) -> Event:
        """The event; of one that was deleted Google may not tell the times any more."""
        resource = mapping(resource, "an event")
        if is_cancelled(resource) and not ("start" in resource and "end" in resource):
            gone = unread_event(str(resource.get("id")), "", "it was deleted")
            return replace(gone, uid=uid, cancelled=True)
        return replace(self._read(resource), uid=uid)

    async def _created_before(self, event_id: str) -> Event:
        resource = await self._stored(event_id)
        if resource is None:
            raise TransientError("Google says that it has the event already, but does not show it yet")
        if is_cancelled(resource):
            raise ProviderError(
                "the meeting was created earlier and has been deleted in Google Calendar: propose it anew"
            )
        return self._ours(resource, event_id)

    async def _stored(self, event_id: str) -> Any | None:
        try:
            return await self._api.call(
                "calendar",
                lambda calendar: calendar.events().get(calendarId=PRIMARY, eventId=google_id(event_id)),
            )
        except NotFoundError:
            return None

    def _ours(self, resource: Any, event_id: str) -> Event:
        return replace(self._read(resource), id=event_id)

    def _is_own_elsewhere(self, resource: Resource, event: Event) -> bool:
        """Whether it is a meeting of the owner's that they organise under an address which is not the account's."""
        mine = event.organizer is not None and event.organizer.key in self._own
        return mine and bool(event.attendees) and not _is_organized_here(resource)

    def _read(self, resource: Any) -> Event:
        return read_event(resource, Zones(self._zone, self._zone), self._own)


def _updates(resource: Resource, *, notify: bool) -> str:
    """Whom Google writes to: the guests of the owner's own meeting, about what they should hear of."""
    return "all" if _is_organized_here(resource) and notify else "none"


def _is_organized_here(resource: Resource) -> bool:
    organizer = resource.get("organizer")
    return isinstance(organizer, dict) and organizer.get("self") is True
