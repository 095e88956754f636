"""`schedule_meeting` and `check_calendar`."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from pydantic import Field

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.calendars.free_time import conflicts, describe_day
from email_assistant.clock import Clock
from email_assistant.effects.keyed_lock import KeyedLock
from email_assistant.effects.outbox import (
    ActionChangedError,
    DoneElsewhereError,
    Happened,
    NotHappened,
    Outbox,
    OutboxRow,
    OutboxStatus,
    Reconciled,
)
from email_assistant.effects.subjects import subject_key as key_of
from email_assistant.errors import InputError
from email_assistant.mail.identity import message_key
from email_assistant.review.action import Action, Problem
from email_assistant.review.card import title
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, declare
from email_assistant.review.risk import Risk
from email_assistant.tools.concerns import asked_about, gap_concern
from email_assistant.tools.earlier import (
    Told,
    accepted_in,
    asked_again,
    doer_in,
    earlier_concerns,
    forgotten,
    others,
    sentence,
)
from email_assistant.tools.meeting import MAX_DAYS, day_of, edges, event_of, shown, when
from email_assistant.tools.meeting_words import in_words, otherwise_named, times_named
from email_assistant.tools.tool import Arguments, AskAgain, Done, Reading, Turn
from email_assistant.tools.unheeded import unheeded

MEETING = declare(
    CardKind(
        "schedule_meeting",
        EVERY_ANSWER,
        "Schedule meeting: ",
        "A meeting for the mail from {who} waits for your approval.",
        lesson="cal_preferences",
        outcome="scheduled",
    )
)
MEETING_KIND = "meeting"
MAX_CLASHES = 5
"""So many collisions are named one by one; a whole day may hold many."""
CREATED = Told(
    "A meeting for this message was created",
    "A meeting for this message was begun, and nobody knows yet whether it is in the calendar,",
    "create this one as well",
    lambda row: f"{row.payload['args']['title']}, {row.payload['args']['start']}",
)

# Held from reading a calendar to creating in it, by every tool of the process: two cards for one hour are one after the other.
_booking = KeyedLock()


class CheckCalendarArguments(Arguments):
    """Which days to look at."""

    days: list[str] = Field(
        min_length=1, max_length=MAX_DAYS, description="Days as YYYY-MM-DD in the user's time zone."
    )


class ScheduleMeetingArguments(Arguments):
    """A meeting; whose calendar it goes to is not the model's to choose."""

    title: str = Field(min_length=1)
    attendees: list[str] = Field(default_factory=list, description="Addresses of the guests.")
    start: str = Field(
        description="ISO 8601, with offset or in `timezone`; a day alone, like 2026-11-26, for whole days."
    )
    end: str = Field(description="Like `start`; of whole days the last day.")
    timezone: str = Field("", description="IANA name; the user's own zone when empty.")
    location: str = Field("", description='Where; "video call" adds a link to one where the calendar can.')


@dataclass(frozen=True)
class CheckCalendar:
    """Tells what is busy and free."""

    calendar: Calendar
    name: ClassVar[str] = "check_calendar"
    description: ClassVar[str] = (
        "Busy times in the user's calendar on the given days, in the user's time zone."
    )
    arguments: ClassVar[type[Arguments]] = CheckCalendarArguments
    risk: ClassVar[Risk] = Risk.READ

    async def read(self, args: CheckCalendarArguments, turn: Turn) -> Reading:
        """One line a day; an unreadable calendar is an error, never free time."""
        zone = ZoneInfo(turn.user.timezone)
        days = [await self._day(_day(day), zone) for day in dict.fromkeys(args.days)]
        lines, times = [line for line, _ in days], [untitled for _, untitled in days]
        return Reading("\n".join(lines), tuple(f"Calendar: {line}" for line in lines), ours="\n".join(times))

    async def _day(self, day: date, zone: ZoneInfo) -> tuple[str, str]:
        """The day's line, and the same without the titles, which a stranger's invitation may have worded."""
        start = datetime(day.year, day.month, day.day, tzinfo=zone)
        nxt = day + timedelta(days=1)
        events = await self.calendar.events(start, datetime(nxt.year, nxt.month, nxt.day, tzinfo=zone))
        return describe_day(events, day, zone.key), describe_day(events, day, zone.key, titles=False)


@dataclass(frozen=True)
class ScheduleMeeting:
    """Creates an event in the user's calendar and invites the guests."""

    calendar: Calendar
    outbox: Outbox
    clock: Clock
    timezone: str
    """IANA zone of the calendar's owner, in which whole days are days."""
    mailbox: str = ""
    """The name of the mailbox that messages are in: for each of them a meeting is made once."""
    name: ClassVar[str] = MEETING.name
    card: ClassVar[CardKind] = MEETING
    description: ClassVar[str] = "Put a meeting into the user's calendar and invite the guests."
    arguments: ClassVar[type[Arguments]] = ScheduleMeetingArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    async def prepare(self, args: ScheduleMeetingArguments, turn: Turn) -> Action | Done:
        """Resolve times and guests; say what the meeting would collide with."""
        subject_key = key_of("meeting", message_key(self.mailbox, turn.conversation.current))
        rows = await self._found(subject_key, turn)
        if any(forgotten(row, turn) and row.status is OutboxStatus.done for row in rows):
            return Done("This meeting was created already, approved earlier. Do not create it again.", True)
        all_day = day_of(args.start) is not None
        event = self._event(
            {
                "title": args.title,
                "attendees": ", ".join(args.attendees),
                "start": args.start,
                "end": args.end,
                # Days are the owner's, whatever zone was thought of.
                "timezone": self.timezone if all_day else args.timezone or turn.user.timezone,
                "location": args.location,
            }
        )
        if (event.end if all_day else event.start) <= self.clock.now():
            raise InputError(f"start is in the past: {args.start}")
        named = times_named(turn.conversation, now=self.clock.now(), timezone=self.timezone)
        action = Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=self.name,
            title=title(f"{self.card.begins}{args.title}"),
            args=shown(event),
            facts={
                "subject_key": subject_key,
                "event_id": _event_id(turn.action_id),
                "doer": asdict(turn.doer),
                "timezone": turn.user.timezone,
                "named": named,
            },
            revision=turn.revision,
            warnings=(
                *(sentence(row, CREATED, turn.user.timezone) for row in others(rows, turn)[-MAX_CLASHES:]),
                *unheeded(turn),
                *_unfamiliar(event, turn),
            ),
        )
        return self._told(action, event, await self._collisions(event))

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Check an edit: times and zone can be read, the end is after the start, addresses parse."""
        try:
            event = self._event(edited)
        except InputError as error:
            return Problem(f"The edit was not taken: {error}")
        return replace(action, args=shown(event), summary=self._summary(event))

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Create the event under its own id, so that a repeat finds it there.

        The calendar is read again: what the person has not been shown at this very time is asked about first.
        """
        event = self._event(action.args, action.facts["event_id"])
        async with _booking.hold(self.calendar.name):
            again = await self._asked_once_more(action, event, acknowledged)
            return again or await self._create(action, event, accepted_in(acknowledged))

    async def _asked_once_more(
        self, action: Action, event: Event, acknowledged: frozenset[str]
    ) -> AskAgain | None:
        """What the person has not been shown, or has not accepted yet: all of it at once."""
        row = await self.outbox.get(action.id)
        if row is not None and row.status is OutboxStatus.done:
            return None
        taken = await self._taken_by_now(action, event)
        shown_now = taken.action if taken else action
        rows = await self.outbox.find(action.facts["subject_key"], MEETING_KIND)
        found = earlier_concerns(rows, action, CREATED)
        if row is None:
            found += gap_concern(action.args["title"], action.args["location"], done="create it")
        again = asked_about(shown_now, found, acknowledged)
        if again and taken:
            return replace(again, problem=f"{again.problem} {taken.problem}")
        return again or taken

    async def _taken_by_now(self, action: Action, event: Event) -> AskAgain | None:
        clashing = await self._collisions(event)
        shown_before = action.facts.get("collisions", ())
        new = [each for each in clashing if _collision(event, each) not in shown_before]
        if not new:
            return None
        more = f" and {len(new) - MAX_CLASHES} more" if len(new) > MAX_CLASHES else ""
        named = ", ".join(_named(each) for each in new[:MAX_CLASHES])
        problem = (
            f"Your calendar has {named}{more} at this time. Accept again to create the meeting all the same."
        )
        return AskAgain(self._told(action, event, clashing), problem)

    async def _create(self, action: Action, event: Event, accepted: Sequence[str]) -> Done | AskAgain:
        async def do() -> dict[str, Any]:
            return _result(await self.calendar.create(event))

        async def reconcile() -> Reconciled:
            found = await self.calendar.get(event.id)
            return Happened(_result(found)) if found else NotHappened()

        effect = {
            "kind": MEETING_KIND,
            "subject_key": action.facts["subject_key"],
            # The meeting, not what else its card said of it.
            "payload": {"args": dict(action.args), "facts": {"event_id": event.id}},
        }
        try:
            outcome = await self.outbox.perform(
                action.id, **effect, do=do, reconcile=reconcile, by=doer_in(action), accepted=accepted
            )
        except DoneElsewhereError as error:
            return asked_again(action, error, CREATED)
        except ActionChangedError:
            return await self._changed_since(action, event.id)
        guests = action.args["attendees"] or "nobody else"
        time = when(action.args["start"], action.args["end"])
        text = f"Created: {action.args['title']}, {time}, with {guests}."
        link = outcome.result.get("video_call") if isinstance(outcome.result, dict) else None
        return Done(f"{text} Video call: {link}" if link else text, True)

    async def _found(self, subject_key: str, turn: Turn) -> list[OutboxRow]:
        """What is on record about the message, after a look at what was begun and came to no end that anybody saw."""
        for row in await self.outbox.find(subject_key, MEETING_KIND):
            if row.status is OutboxStatus.started and row.action_id not in turn.known_actions:
                found = await self.calendar.get(str(row.payload.get("facts", {}).get("event_id", "")))
                if found:
                    await self.outbox.happened(row.action_id, _result(found))
                elif forgotten(row, turn):  # Another run thread may be at it at this moment.
                    await self.outbox.did_not_happen(row.action_id)
        return await self.outbox.find(subject_key, MEETING_KIND)

    async def _changed_since(self, action: Action, event_id: str) -> Done | AskAgain:
        """An earlier try with other details is on record: look whether it came to its end."""
        found = await self.calendar.get(event_id)
        if found:
            start, _ = edges(found)
            text = f"Created already by an earlier try: {found.title}, {start}, as it was shown then."
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

    async def _collisions(self, event: Event) -> list[Event]:
        """What else takes part of the time; nothing when the event itself is in the calendar already."""
        there = await self.calendar.events(event.start, event.end)
        if any(each.id == event.id for each in there):
            return []
        return conflicts(there, event.start, event.end)

    def _told(self, action: Action, event: Event, clashing: list[Event]) -> Action:
        """The action with what is to be said of its time by now, in the place of what was said before."""
        warnings = [f"This collides with {_named(each)} in your calendar." for each in clashing[:MAX_CLASHES]]
        if len(clashing) > MAX_CLASHES:
            warnings.append(f"It collides with {len(clashing) - MAX_CLASHES} more events in your calendar.")
        if otherwise := otherwise_named(event, action.facts.get("named", ()), own=self.timezone):
            warnings.append(otherwise)
        reasons = [] if clashing else ["The time is free in your calendar."]
        before = action.facts.get("told", ())
        return replace(
            action,
            summary=self._summary(event),
            reasons=(*(each for each in action.reasons if each not in before), *reasons),
            warnings=(*warnings, *(each for each in action.warnings if each not in before)),
            facts={
                **action.facts,
                "told": [*reasons, *warnings],
                "collisions": [_collision(event, each) for each in clashing],
            },
        )

    def _summary(self, event: Event) -> str:
        return f"{in_words(event, own=self.timezone)}."

    def _event(self, args: Mapping[str, str], event_id: str = "") -> Event:
        return event_of(event_id, args, owner=self.timezone)


def _named(event: Event) -> str:
    title = event.title or "a busy time"
    return f"{title} (all day)" if event.all_day else title


def _collision(event: Event, other: Event) -> str:
    """Tells one collision at one time from all others."""
    edges_of = (each.astimezone(UTC).isoformat() for each in (event.start, event.end, other.start, other.end))
    return " ".join([*edges_of, other.id])


def _result(created: Event) -> dict[str, Any]:
    """What the outbox keeps."""
    return {"event_id": created.id} | (
        {"video_call": created.conference_link} if created.conference_link else {}
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise InputError(f"days: {text!r} is not a day; write it like 2026-11-26") from None


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
