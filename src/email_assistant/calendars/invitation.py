"""Invitations: what the calendar that comes with a mail says (RFC 5545, RFC 5546), read without a model."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from icalendar import vDDDTypes

from email_assistant.calendars import ics
from email_assistant.calendars.event import Event, Guest, is_zone
from email_assistant.calendars.ics_parsing import iana_name, parse
from email_assistant.calendars.invitation_event import (
    SOURCE,
    event_from,
    next_of_series,
    proposal_of,
    times_of_series,
)
from email_assistant.calendars.invitation_text import BoundedCalendar, bounded
from email_assistant.calendars.proposal import MAX_ATTENDEES, EventProposal
from email_assistant.errors import InputError, ProviderError
from email_assistant.mail.address import Address, unique
from email_assistant.mail.conversation import base_subject
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line

PROPOSING = frozenset({"request", "publish", "add"})
"""Methods that offer an event; the others take one away or speak about one that is there (RFC 5546 §1.4)."""
_METHODS = PROPOSING | {"reply", "cancel", "refresh", "counter", "declinecounter"}
_NOBODY = Address("")
_MAX_SERIES = 1
_MAX_UID = 255
_MAX_COMMENT = 500
_NAMED = re.compile(r"^event (?:'[^']*'|\"[^\"]*\") ")

NO_EVENT = "The calendar part holds no event."
OVER = "It is over already."
OWN_ZONE = "It repeats in a time zone of its own making; where clocks change, its later times may differ."
OTHER_PARTS = "The mail brings another calendar part about something else, which is not shown."


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a mail's calendar part says about one event."""

    method: str
    """What it is for, in lower case (RFC 5546 §1.4): "request", "cancel", "reply" …; "publish" when it does not say.

    A request for an event that is marked as cancelled is a "cancel".
    """
    event: EventProposal | None
    """The event it speaks of, of a series its next occurrence; None when there is none or its times cannot be told for certain."""
    uid: str = ""
    """The event's UID, the same in every mail about it; "" when it has none."""
    sequence: int = 0
    """The number of the revision: a mail with a lower one is out of date."""
    organizer: Address = _NOBODY
    """Who invites; without email when nobody is named."""
    sent_by: Address | None = None
    """Who writes in the organizer's name; None when nobody else does."""
    stamp: datetime | None = None
    """When it was written (DTSTAMP): of two mails with one `sequence` the later one counts."""
    recurrence_id: datetime | None = None
    """The one occurrence of a series that it is about, as in `Event`."""
    attendees: tuple[Address, ...] = ()
    """All who are invited, rooms included; of an answer who gives it."""
    guests: tuple[Guest, ...] = ()
    """What they have answered."""
    comment: str = ""
    """What is said along with it, one line (COMMENT, RFC 5545 §3.8.1.4)."""
    entries: tuple[Event, ...] = ()
    """The event as a calendar takes it, then its occurrences that are otherwise than its rule; () when it cannot be read whole."""
    times: tuple[tuple[datetime, datetime], ...] = ()
    """Of a series when its occurrences to come are, as `invitation_event.times_of_series` has them."""
    is_over: bool = False
    """Whether the event has ended before the reading."""
    notes: tuple[str, ...] = ()
    """What could not be read and what is to be known, one plain sentence each."""


def invitations_of(message: Message, *, zone: str, now: datetime | None = None) -> Invitation | None:
    """The invitation in a message's calendar parts, or None when it has none. Reads time zone data from disk.

    `zone` is the owner's IANA zone: floating times and whole days are read in it. Of a series the first occurrence
    that starts at or after `now` is taken (the message's date when not given). What cannot be read is told in the
    notes; nothing is raised for it, but `InputError` for an unknown zone or a naive `now`.
    """
    if not is_zone(zone):
        raise InputError(f"'zone' is not an IANA time zone: {zone!r}")
    if now is not None and now.utcoffset() is None:
        raise InputError("'now' has no time zone")
    reading = _Reading(ZoneInfo(zone), now or message.date, base_subject(message.subject))
    found = [reading.invitation(text) for text in message.calendars]
    if not found:
        return None
    best = next((one for one in found if one.event), found[0])
    if any(one.uid != best.uid and one.event for one in found):
        return replace(best, notes=(*best.notes, OTHER_PARTS))
    return best


@dataclass(frozen=True)
class _Reading:
    """By what a calendar part is read."""

    owner: ZoneInfo
    now: datetime | None
    subject: str

    def invitation(self, text: str) -> Invitation:
        """One part, read as far as it can be."""
        try:
            calendar = bounded(text, year=self.now.year if self.now else 1900)
            (parsed, *_) = parse(calendar.text.encode(), SOURCE)
        except ProviderError as error:
            return Invitation("publish", None, notes=(_sentence(error),))
        method = _method(parsed)
        components = parsed.walk("VEVENT")
        if not components:
            return Invitation(method, None, notes=(*calendar.notes, NO_EVENT))
        return self._about(method, _by_uid(components), calendar)

    def _about(self, method: str, groups: list[list[Any]], calendar: BoundedCalendar) -> Invitation:
        """The invitation about the event that comes next, of those that can be read."""
        series = 0
        found: list[Invitation] = []
        for components in groups:
            repeats = any(name in c for c in components for name in ics.RECURRING)
            series += repeats
            if series <= _MAX_SERIES or not repeats:
                found.append(self._one(method, components, calendar))
        chosen = min(found, key=self._order)
        if len(groups) > 1:
            note = f"The calendar part holds {len(groups)} events; only one of them is shown."
            return replace(chosen, notes=(*chosen.notes, note))
        return chosen

    def _entries(self, components: list[Any]) -> tuple[Event, ...]:
        try:
            return tuple(
                event_from(c, proposal_of(c, owner=self.owner, subject=self.subject), owner=self.owner)
                for c in components
            )
        except ProviderError:
            return ()

    def _recurrence_id(self, component: Any) -> datetime | None:
        value = component.get("RECURRENCE-ID")
        moment = value.dt if isinstance(value, vDDDTypes) else None
        try:
            return ics.instant_of(moment, self.owner, SOURCE) if isinstance(moment, date) else None
        except ProviderError:
            return None

    def _order(self, one: Invitation) -> tuple[int, float]:
        if one.event is None:
            return 2, 0
        is_past = self.now is not None and one.event.start < self.now
        return int(is_past), one.event.start.timestamp()

    def _one(self, method: str, components: list[Any], calendar: BoundedCalendar) -> Invitation:
        newest = _newest(components)
        main = next((c for c in newest if "RECURRENCE-ID" not in c), newest[0])
        remarks: tuple[str, ...] = ()
        problems = list(calendar.notes)
        event = None
        times: tuple[tuple[datetime, datetime], ...] = ()
        try:
            times = times_of_series(newest, owner=self.owner, now=self.now)
            component, remarks = next_of_series(newest, owner=self.owner, now=self.now)
            event = proposal_of(component, owner=self.owner, subject=self.subject)
            problems += event.notes
        except ProviderError as error:
            problems.append(_sentence(error))
        if event and any(name in main for name in ("RRULE", "RDATE")) and _is_own_zone(main):
            problems.append(OWN_ZONE)
        is_over = event is not None and self.now is not None and event.end <= self.now
        if ics.is_cancelled(main) and method in PROPOSING:
            method = "cancel"
        return Invitation(
            method=method,
            event=event,
            uid=one_line(str(main.get("UID", "")), limit=_MAX_UID),
            sequence=ics.sequence_of(main),
            organizer=ics.organizer_of(main) or _NOBODY,
            sent_by=ics.sent_by(main),
            stamp=ics.stamp_of(main),
            recurrence_id=self._recurrence_id(main),
            attendees=unique(ics.attendees_of(main))[:MAX_ATTENDEES],
            guests=ics.guests_of(main),
            comment=one_line(
                " ".join(str(each) for each in ics.values_of(main, "COMMENT")), limit=_MAX_COMMENT
            ),
            entries=self._entries([main, *(c for c in newest if c is not main)]) if event else (),
            times=times,
            is_over=is_over,
            notes=(*problems, *remarks, *([OVER] if is_over else [])),
        )


def _method(calendar: Any) -> str:
    method = str(calendar.get("METHOD", "")).strip().lower()
    return method if method in _METHODS else "publish" if not method else "other"


def _by_uid(components: Iterable[Any]) -> list[list[Any]]:
    groups: dict[str, list[Any]] = {}
    for component in components:
        groups.setdefault(ics.uid_of(component), []).append(component)
    return list(groups.values())


def _newest(components: Iterable[Any]) -> list[Any]:
    """Of each occurrence of one event the latest revision: a changed occurrence does not replace its series."""
    found: dict[str, Any] = {}
    for component in components:
        occurrence = repr(component.get("RECURRENCE-ID"))
        known = found.get(occurrence)
        if known is None or ics.sequence_of(component) >= ics.sequence_of(known):
            found[occurrence] = component
    return list(found.values())


def _is_own_zone(component: Any) -> bool:
    """Whether its times are in a zone that the calendar defines and nobody else knows."""
    name = str(component["DTSTART"].params.get("TZID", ""))
    return bool(name) and not iana_name(name)


def _sentence(error: ProviderError) -> str:
    """An error about the calendar as a note; it may quote what came from outside, so it is bounded."""
    reason = _NAMED.sub("the event ", one_line(str(error).removeprefix(f"{SOURCE}: "), limit=300)).rstrip(".")
    return f"The calendar part could not be read: {reason}."
