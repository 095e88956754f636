"""`schedule_meeting` and `check_calendar`."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import conflicts, describe_day
from email_assistant.clock import Clock
from email_assistant.effects.outbox import (
    ActionChangedError,
    Outbox,
    Reconciled,
    reconciled_done,
    reconciled_not_done,
)
from email_assistant.errors import InputError
from email_assistant.mail.address import format_addresses, parse_recipients
from email_assistant.review.action import Action, Problem
from email_assistant.review.card import title
from email_assistant.review.risk import Risk
from email_assistant.tools.tool import Arguments, AskAgain, Done, Reading, Turn

MEETING_KIND = "meeting"
MAX_DAYS = 14
VIDEO_CALL = frozenset({"video call", "google meet", "meet", "online"})
"""Locations (lower case) that ask the calendar for a video call's link."""


class CheckCalendarArguments(Arguments):
    """Which days to look at."""

    days: list[str] = Field(
        min_length=1, max_length=MAX_DAYS, description="Days as YYYY-MM-DD in the user's time zone."
    )


class ScheduleMeetingArguments(Arguments):
    """A meeting; whose calendar it goes to is not the model's to choose."""

    title: str = Field(min_length=1)
    attendees: list[str] = Field(default_factory=list, description="Addresses of the guests.")
    start: str = Field(description="ISO 8601, with offset or in `timezone`.")
    end: str = Field(description="ISO 8601, with offset or in `timezone`.")
    timezone: str = Field("", description="IANA name; the user's own zone when empty.")
    location: str = Field("", description='Where; "video call" adds a link to one where the calendar can.')


@dataclass(frozen=True)
class CheckCalendar:
    """Tells what is busy and free."""

    calendar: Calendar
    name: ClassVar[str] = "check_calendar"
    description: ClassVar[str] = (
        "What the user's calendar holds on the given days: busy times, in the user's time zone."
    )
    arguments: ClassVar[type[Arguments]] = CheckCalendarArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: CheckCalendarArguments, turn: Turn) -> Reading:
        """One line a day; an unreadable calendar is an error, never free time."""
        zone = ZoneInfo(turn.user.timezone)
        lines = [await self._day(_day(day), zone) for day in dict.fromkeys(args.days)]
        return Reading("\n".join(lines), tuple(f"Calendar: {line}" for line in lines))

    async def _day(self, day: date, zone: ZoneInfo) -> str:
        start = datetime(day.year, day.month, day.day, tzinfo=zone)
        nxt = day + timedelta(days=1)
        events = await self.calendar.events(start, datetime(nxt.year, nxt.month, nxt.day, tzinfo=zone))
        return describe_day(events, day, zone.key)


@dataclass(frozen=True)
class ScheduleMeeting:
    """Creates an event in the user's calendar and invites the guests."""

    calendar: Calendar
    outbox: Outbox
    clock: Clock
    name: ClassVar[str] = "schedule_meeting"
    description: ClassVar[str] = (
        "Put a meeting into the user's calendar and invite the guests. The human reviews it before it is created."
    )
    arguments: ClassVar[type[Arguments]] = ScheduleMeetingArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    async def prepare(self, args: ScheduleMeetingArguments, turn: Turn) -> Action | Done:
        """Resolve times and guests; say what the meeting would collide with."""
        subject_key = f"meeting:{turn.run_thread_id}:{turn.conversation.current.id}"
        forgotten = [
            r
            for r in await self.outbox.find(subject_key, MEETING_KIND)
            if r.action_id not in turn.known_actions
        ]
        if any(row.status == "done" for row in forgotten):
            return Done("This meeting was created already, approved earlier. Do not create it again.", True)
        shown = {
            "title": args.title,
            "attendees": ", ".join(args.attendees),
            "start": args.start,
            "end": args.end,
            "timezone": args.timezone or turn.user.timezone,
            "location": args.location,
        }
        event = _event("", shown)
        if event.start < self.clock.now():
            raise InputError(f"start is in the past: {args.start}")
        reasons, warnings = await self._findings(event)
        return Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=self.name,
            title=title(f"Schedule meeting: {args.title}"),
            args=_shown(event),
            facts={"subject_key": subject_key, "event_id": _event_id(turn.action_id)},
            revision=turn.revision,
            reasons=reasons,
            warnings=(*warnings, *_unfamiliar(event, turn)),
        )

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Check an edit: times and zone can be read, the end is after the start, addresses parse."""
        try:
            event = _event("", edited)
        except InputError as error:
            return Problem(f"The edit was not taken: {error}")
        return action.with_args(_shown(event))

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Create the event under its own id, so that a repeat finds it there."""
        event = _event(action.facts["event_id"], action.args)

        async def do() -> dict[str, Any]:
            return _result(await self.calendar.create(event))

        async def reconcile() -> Reconciled:
            found = await self.calendar.get(event.id)
            return reconciled_done(_result(found)) if found else reconciled_not_done()

        effect = {
            "kind": MEETING_KIND,
            "subject_key": action.facts["subject_key"],
            "payload": action.as_json(),
        }
        try:
            outcome = await self.outbox.perform(action.id, **effect, do=do, reconcile=reconcile)
        except ActionChangedError:
            return await self._changed_since(action, event.id)
        guests = action.args["attendees"] or "nobody else"
        text = (
            f"Created: {action.args['title']}, {action.args['start']} to {action.args['end']}, with {guests}."
        )
        link = outcome.result.get("video_call") if isinstance(outcome.result, dict) else None
        return Done(f"{text} Video call: {link}" if link else text, True)

    async def _changed_since(self, action: Action, event_id: str) -> Done | AskAgain:
        """An earlier try with other details is on record: look whether it came to its end."""
        found = await self.calendar.get(event_id)
        if found:
            text = f"Created already by an earlier try: {found.title}, {found.start.isoformat()}, as it was shown then."
            return Done(text, True)
        number = action.revision + 1
        again = replace(action, id=f"{action.id.rpartition(':')[0]}:{number}", revision=number)
        return AskAgain(
            again, "An earlier try with other details did not come to its end. Accept to create this one."
        )

    async def discard(self, action: Action) -> None:
        """Nothing was left behind by `prepare`."""

    def feedback(self, text: str) -> str:
        """Feedback on the meeting."""
        return (
            f"Not created. The user wants the meeting changed: {text}\nPropose it anew with schedule_meeting."
        )

    async def _findings(self, event: Event) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the calendar says about the time: (reasons, warnings)."""
        clashing = conflicts(await self.calendar.events(event.start, event.end), event.start, event.end)
        if not clashing:
            return ("The time is free in your calendar.",), ()
        return (), tuple(f"This collides with {c.title or 'a busy time'} in your calendar." for c in clashing)


def _event(event_id: str, args: Mapping[str, str]) -> Event:
    """The event that shown or edited arguments stand for; raises `InputError` naming the field."""
    if not args["title"].strip():
        raise InputError("'title' is empty")
    zone = _zone(args["timezone"])
    start, end = _instant("start", args["start"], zone), _instant("end", args["end"], zone)
    # In UTC: the clock on the wall shows one hour of the year twice.
    if end.astimezone(UTC) <= start.astimezone(UTC):
        raise InputError("'end' is not after 'start'")
    if end - start > timedelta(days=MAX_DAYS):
        raise InputError(f"the meeting is longer than {MAX_DAYS} days")
    return Event(
        id=event_id,
        title=args["title"].strip(),
        start=start,
        end=end,
        timezone=zone.key,
        location=args["location"].strip(),
        attendees=parse_recipients(args["attendees"]),
        conference=args["location"].strip().lower() in VIDEO_CALL,
    )


def _result(created: Event) -> dict[str, Any]:
    """What the outbox keeps."""
    return {"event_id": created.id} | (
        {"video_call": created.conference_link} if created.conference_link else {}
    )


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(
            f"'timezone' is not an IANA time zone: {name!r}; write it like Europe/Berlin"
        ) from None


def _instant(field: str, text: str, zone: ZoneInfo) -> datetime:
    try:
        instant = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"'{field}' is not an ISO 8601 time: {text!r}; write it like 2026-11-26T10:00"
        ) from None
    return instant.replace(tzinfo=zone) if instant.tzinfo is None else instant.astimezone(zone)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise InputError(f"days: {text!r} is not a day; write it like 2026-11-26") from None


def _shown(event: Event) -> dict[str, str]:
    return {
        "title": event.title,
        "attendees": format_addresses(event.attendees),
        "start": event.start.isoformat(),
        "end": event.end.isoformat(),
        "timezone": event.timezone,
        "location": event.location,
    }


def _event_id(action_id: str) -> str:
    """An id that is the same whenever the action is replayed; hexadecimal digits are valid base32hex (RFC 4648 §7)."""
    return hashlib.sha256(action_id.encode()).hexdigest()[:32]


def _unfamiliar(event: Event, turn: Turn) -> tuple[str, ...]:
    known = turn.participants()
    return tuple(
        f"New guest, not in this conversation so far: {a.email}"
        for a in event.attendees
        if a.key not in known
    )
