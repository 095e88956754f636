"""`schedule_meeting`: a meeting put into the calendar, or moved, and its guests told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, ClassVar

from pydantic import Field

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import (
    FREE,
    collision_key,
    found_out,
    title_of,
    touching,
    warnings_of,
)
from email_assistant.calendars.event import Event
from email_assistant.clock import Clock, day_of, now_for
from email_assistant.effects.outbox import Happened, KeyedLock, NotHappened, Outbox, Reconciled
from email_assistant.errors import InputError, ProviderError
from email_assistant.facts.fact import gaps_of
from email_assistant.journal.records import OutboxRow
from email_assistant.mail.address import Address, format_addresses
from email_assistant.meetings.guest_letter import CANCELLED, INVITED, MOVED
from email_assistant.meetings.guests import Guests, answers_for_others, left_out, new_guests, said_nowhere
from email_assistant.meetings.own_meetings import (
    MEETING_KIND,
    MeetingDetails,
    Move,
    OwnMeetings,
    event_id_of,
    guest_keys,
    meeting_key,
    several_meetings,
)
from email_assistant.meetings.series import warnings_beside
from email_assistant.meetings.times import (
    asks_for,
    clashing_with,
    event_of,
    looked,
    over_concern,
    shown,
    times_of,
    when,
    window,
)
from email_assistant.models.offline.named_times import their_clock
from email_assistant.models.offline.preferences import Preferences, Wanted, nothing
from email_assistant.review.action import Action, Problem, Risk
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, QueueSection, declare
from email_assistant.tools.approved import ApprovedEffect
from email_assistant.tools.concerns import Wording, asked_about, until_complete
from email_assistant.tools.meeting_words import doubts_about, in_words, otherwise_named, times_named
from email_assistant.tools.tool import Arguments, AskAgain, Done, Turn, ignored_words
from email_assistant.working_hours import USUAL, WorkingHours

MEETING = declare(
    CardKind(
        "schedule_meeting",
        EVERY_ANSWER,
        "Schedule meeting: ",
        "{who} asks for a meeting.",
        noun="Meeting",
        section=QueueSection.MEETINGS,
        confirm="once",
        held=True,
        draws="event",
        gist="{title}",
        lesson="cal_preferences",
        outcome="scheduled",
        done="invited",
        underway="the meeting is made",
    )
)
CREATED = Wording(
    "A meeting for this message was created",
    "A meeting for this message was begun, and nobody knows yet whether it is in the calendar,",
    "create this one as well",
    lambda row: f"{row.payload['args']['title']}, {row.payload['args']['start']}",
)

# Held from reading a calendar to creating in it, by every tool of the process: two cards for one hour are one after the other.
_booking = KeyedLock()


class ScheduleMeetingArguments(Arguments):
    """A meeting; whose calendar it goes to is not the model's to choose."""

    title: str = Field(min_length=1)
    attendees: list[str] = Field(default_factory=list, description="Addresses of the guests.")
    start: str = Field(
        description="ISO 8601, with offset or in `timezone`; a day alone, like 2026-11-26, for whole days."
    )
    end: str = Field(description="Like `start`; of whole days the last day.")
    timezone: str = Field("", description="IANA name; the user's own zone when empty.")
    message: str = Field(
        "", description="What the invitation says to the guests, without greeting or closing."
    )
    location: str = Field("", description='Where; "video call" adds a link to one where the calendar can.')


@dataclass(frozen=True)
class ScheduleMeeting(ApprovedEffect):
    """Creates an event in the user's calendar and invites the guests."""

    calendar: Calendar
    outbox: Outbox
    clock: Clock
    timezone: str
    """IANA zone of the calendar's owner, in which whole days are days."""
    mailbox: str = ""
    """The name of the mailbox that messages are in: for each of them a meeting is made once."""
    guests: Guests | None = None
    """Writes to the guests where the calendar does not; None where nobody is to."""
    hours: WorkingHours = USUAL
    """The owner's; a meeting at another time is told."""
    wanted: Wanted = nothing
    """What else the owner wants of meetings; one that breaks it is told."""
    name: ClassVar[str] = MEETING.name
    card: ClassVar[CardKind] = MEETING
    description: ClassVar[str] = "Put a meeting into the user's calendar and invite the guests."
    arguments: ClassVar[type[Arguments]] = ScheduleMeetingArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE
    kind: ClassVar[str] = MEETING_KIND
    wording: ClassVar[Wording] = CREATED
    claims_subject: ClassVar[bool] = True

    async def prepare(self, args: ScheduleMeetingArguments, turn: Turn) -> Action | Done:
        """Resolve times and guests; say what the meeting would collide with."""
        subject_key = meeting_key(self.mailbox, turn.conversation.current)
        rows = await self.look_up(subject_key, turn)
        if done := await self.done_before(rows, turn):
            word = "Moved" if any(MeetingDetails.of_row(row).moves for row in done) else "Created"
            return Done(f"{word} already, approved earlier. Do not do it again.", True)
        wished = await self.own_meetings.to_move(turn.conversation)
        moved = wished.meeting if wished else None
        all_day = day_of(args.start) is not None
        event = self._event(
            {
                "title": moved.title if moved else args.title,
                "attendees": format_addresses(moved.attendees) if moved else ", ".join(args.attendees),
                "start": args.start,
                "end": args.end,
                # Days are the owner's, whatever zone was thought of.
                "timezone": self.timezone if all_day else args.timezone or turn.user.timezone,
                "location": args.location or (moved.location if moved else ""),
                "message": args.message,
            }
        )
        # What a meeting that is moved was called is nobody's gap.
        known = "\n".join((turn.conversation.words, *((moved.title, moved.location) if moved else ())))
        now = now_for(self.clock, turn.conversation.arrived)
        if (event.end if all_day else event.start) <= now:
            raise InputError(f"start is in the past: {args.start}")
        named, offered = times_named(turn.conversation, now=now, timezone=self.timezone)
        new_time = wished.moved(self.timezone, now) if wished else None
        is_wished = new_time is not None and new_time["start"] == event.start.isoformat()
        details = MeetingDetails(
            event_id=moved.id if moved else event_id_of(turn.action_id),
            moves=Move(moved.uid, tuple(sorted(guest_keys(moved)))) if moved else None,
            envelope=self.guests.envelope(turn, was=moved, event=event, named=named) if self.guests else None,
            named=tuple(named),
        )
        action = turn.action(
            self.card,
            event.title,
            shown(event),
            details=details,
            subject_key=subject_key,
            gaps=gaps_of((event.title, event.location, event.description), known),
            warnings=(
                *self.sentences(rows, turn),
                *ignored_words(turn),
                *(() if is_wished else doubts_about(event, turn.conversation, now=now, own=self.timezone)),
                *answers_for_others(turn),
                *new_guests(event, turn),
                *several_meetings(wished),
                *await said_nowhere(event, turn, now, self.timezone),
                *left_out(event, turn),
            ),
        )
        wanted = await self.wanted()
        period = window(event, [*named, *offered], self.timezone)
        there = details.besides_moved(await self.calendar.events(*period))
        theirs = their_clock(turn.conversation, now=now, timezone=self.timezone)
        times = times_of(
            event, named, there, own=self.timezone, now=now, hours=self.hours, wanted=wanted, offered=offered,
            theirs=theirs,
        )  # fmt: skip
        beside = None if clashing_with(event, there) else touching(event, there, self.hours.way)
        text = self._asks_to_move(moved) if moved else asks_for(times, event, self.timezone, theirs, beside)
        action = replace(action, headline=text, meeting=times)
        return self._described(action, event, there, wanted)

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Check an edit: times and zone can be read, the end is after the start, addresses parse."""
        try:
            event = self._event(edited)
        except InputError as error:
            return Problem(f"The edit was not taken: {error}")
        details = MeetingDetails.of(action)
        if details.envelope:
            anew = details.envelope.at_time_of(event, details.named, self.timezone)
            details = replace(details, envelope=anew)
        return replace(action, args=shown(event), summary=self._summary(event), details=details.as_json())

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Create the event under its own id, so that a repeat finds it there.

        The calendar is read again: what the person has not been shown at this very time is asked about first.
        """
        async with _booking.hold(self.calendar.name):
            return await super().perform(action, acknowledged=acknowledged)

    def is_again(self, action: Action, row: OutboxRow) -> bool:
        """A meeting of the same people at a time that the other one has."""
        if row.kind != self.kind:
            return False
        made, meant = self._event(row.payload["args"]), self._meant(action)
        return guest_keys(made) == guest_keys(meant) and made.start < meant.end and meant.start < made.end

    def payload(self, action: Action) -> Mapping[str, Any]:
        """The meeting, and what a process that knows no more than that needs to end it."""
        details = MeetingDetails.of(action)
        kept = MeetingDetails(details.event_id, details.moves, details.envelope)
        return {"args": dict(action.args), "details": kept.as_json()}

    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        """What the person has not been shown, or has not accepted yet: all of it at once."""
        if gone := await self._moved_is_gone(action):
            return gone
        taken = await self.ask_begun(action)
        now = now_for(self.clock, action.arrived)
        found = [*self.earlier(action, rows), *over_concern(self._meant(action), now)]
        again = asked_about(taken.action if taken else action, found, acknowledged)
        if again and taken:
            again = replace(again, problem=f"{again.problem} {taken.problem}")
        return until_complete(action, again or taken)

    async def ask_begun(self, action: Action) -> AskAgain | None:
        """What is at that time by now and was not shown."""
        event, details = self._meant(action), MeetingDetails.of(action)
        wanted = await self.wanted()
        beside = max(timedelta(minutes=wanted.buffer), self.hours.way)
        there = await self.calendar.events(event.start - beside, event.end + beside)
        there = details.besides_moved(there)
        clashing = clashing_with(event, there)
        new = [each for each in clashing if collision_key(event, each) not in details.collisions]
        if not new:
            return None
        text = f"{found_out(new)} Accept again to create the meeting all the same."
        return AskAgain(self._described(action, event, there, wanted), text)

    async def do(self, action: Action) -> dict[str, Any]:
        """Create the event, or move it."""
        event, moves = self._meant(action), MeetingDetails.of(action).moves
        return _result(await (self._move(event, moves) if moves else self.calendar.create(event)))

    async def found(self, action: Action) -> Reconciled:
        """It is in the calendar, at its time."""
        event, moves = self._meant(action), MeetingDetails.of(action).moves
        if not moves:
            found = await self.calendar.get(event.id)
            return Happened(_result(found)) if found else NotHappened()
        found = await self.calendar.find(moves.uid)
        if found is None or found.cancelled:
            return NotHappened()
        lines = [(each.title, each.start, each.end, guest_keys(each)) for each in (found, event)]
        return Happened(_result(found)) if lines[0] == lines[1] else NotHappened()

    async def after(self, action: Action, result: Mapping[str, Any]) -> Done:
        """The guests are invited."""
        link = str(result.get("video_call") or "")
        event = replace(
            self._meant(action),
            uid=str(result.get("uid") or ""),
            sequence=int(result.get("sequence") or 0),
            conference_link=link,
        )
        addressees = await self._invite(action, event)
        guests = action.args["attendees"] or "nobody else"
        time = when(action.args["start"], action.args["end"])
        done = "Moved" if MeetingDetails.of(action).moves else "Created"
        text = f"{done}: {action.args['title']}, {time}, with {guests}.{addressees}"
        return Done(f"{text} Video call: {link}" if link else text, True)

    async def _invite(self, action: Action, event: Event) -> str:
        """Invite the guests of what was created, in a sentence; a calendar that writes to guests has done so."""
        if self.guests is None or not event.uid:
            return ""
        details = MeetingDetails.of(action)
        moves, envelope = details.moves, details.envelope
        addressees = await self.guests.notify(action, envelope, "REQUEST", event, MOVED if moves else INVITED)
        if dropped := [each for each in (moves.guests if moves else ()) if each not in guest_keys(event)]:
            # Who is no longer among the guests has the meeting in the calendar still.
            without = replace(event, attendees=tuple(map(Address, dropped)))
            await self.guests.notify(action, envelope, "CANCEL", without, CANCELLED, suffix=".dropped")
        return f" Invited by mail: {format_addresses(addressees)}." if addressees else ""

    async def _move(self, event: Event, moves: Move) -> Event:
        """The event with its new time in the place of the old one; guests are asked anew whether they come (RFC 5546 §3.2.2.1)."""
        before = await self.calendar.find(moves.uid)
        if before is None or before.cancelled:
            raise ProviderError("the meeting is no longer in the calendar.")
        return await self.calendar.put(
            replace(
                before,
                title=event.title,
                start=event.start,
                end=event.end,
                all_day=event.all_day,
                timezone=event.timezone,
                location=event.location,
                description=event.description or before.description,
                attendees=event.attendees,
                organizer=before.organizer or event.organizer,
                guests=(),
                sequence=before.sequence + 1,
                stamp=None,
            )
        )

    async def _moved_is_gone(self, action: Action) -> AskAgain | None:
        details = MeetingDetails.of(action)
        found = await self.calendar.find(details.moves.uid) if details.moves else None
        if not details.moves or (found and not found.cancelled):
            return None
        anew = action.renewed()
        details = replace(details, moves=None, event_id=event_id_of(anew.id))
        return AskAgain(
            replace(anew, details=details.as_json()),
            "The meeting is no longer in your calendar. Accept to make it anew.",
        )

    def feedback(self, text: str) -> str:
        """Feedback on the meeting."""
        return (
            f"Not created. The user wants the meeting changed: {text}\nPropose it anew with schedule_meeting."
        )

    def _described(self, action: Action, event: Event, there: Sequence[Event], wanted: Preferences) -> Action:
        """The action with what is to be said of its time by now, in the place of what was said before."""
        clashing, details = clashing_with(event, there), MeetingDetails.of(action)
        seen = looked(clashing, now_for(self.clock, action.arrived))
        warnings = [*warnings_of(clashing), *warnings_beside(event, there, wanted, self.hours, self.timezone)]
        if otherwise := otherwise_named(event, details.named, own=self.timezone):
            warnings.append(otherwise)
        reasons = [] if clashing else [f"{FREE[:-1]}{touching(event, there, self.hours.way)}."]
        before, what = details.told, "the new time" if details.moves else "an invitation"
        collisions = tuple(collision_key(event, each) for each in clashing)
        return replace(
            action,
            summary=self._summary(event),
            effects=self.guests.card_effects(event.attendees, details.envelope, what=what)
            if self.guests
            else (),
            reasons=(*(each for each in action.reasons if each not in before), *reasons),
            warnings=(*warnings, *(each for each in action.warnings if each not in before)),
            details=replace(details, told=(*reasons, *warnings), collisions=collisions).as_json(),
            meeting={**(action.meeting or {}), **seen},
        )

    def _meant(self, action: Action) -> Event:
        """The event, with the user as its organizer where the guests are to be written to."""
        details = MeetingDetails.of(action)
        event, envelope = self._event(action.args, details.event_id), details.envelope
        return replace(event, organizer=envelope.message.sender) if event.attendees and envelope else event

    @property
    def own_meetings(self) -> OwnMeetings:
        """The meetings that were made here."""
        return OwnMeetings(self.calendar, self.outbox, self.clock, self.mailbox, self.timezone)

    def _asks_to_move(self, meeting: Event) -> str:
        """The card's first sentence, before the one that says when the meeting is to be."""
        local = replace(meeting, timezone=self.timezone)
        return f"{{who}} asks to move “{title_of(meeting)}” from {in_words(local, own=self.timezone)}; the new time:"

    def _summary(self, event: Event) -> str:
        return f"{in_words(event, own=self.timezone)}."

    def _event(self, args: Mapping[str, str], event_id: str = "") -> Event:
        return event_of(event_id, args, owner=self.timezone)


def _result(created: Event) -> dict[str, Any]:
    """What the outbox keeps."""
    return {"event_id": created.id, "uid": created.uid, "sequence": created.sequence} | (
        {"video_call": created.conference_link} if created.conference_link else {}
    )
