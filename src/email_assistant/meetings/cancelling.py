"""`cancel_meeting`: a meeting that was made on approval is called off, and its guests are told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Reconciled
from email_assistant.journal.records import OutboxRow
from email_assistant.mail.address import Address, format_addresses
from email_assistant.meetings.guest_letter import CANCELLED
from email_assistant.meetings.guests import Guests
from email_assistant.meetings.own_meetings import CANCEL_KIND, CancellationDetails, OwnMeetings, cancel_key
from email_assistant.meetings.times import event_of, shown
from email_assistant.models.offline.meeting_change import CANCEL
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, Action, Problem, Risk
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.tools.approved import ApprovedEffect
from email_assistant.tools.concerns import Wording, asked_about
from email_assistant.tools.meeting_words import in_words
from email_assistant.tools.tool import Arguments, AskAgain, Done, Turn

CANCELLATION = declare(
    CardKind(
        "cancel_meeting",
        (IGNORE, EDIT, ACCEPT),
        "Cancel meeting: ",
        "{who} cannot come, or calls it off. Accepting cancels “{title}” for everybody.",
        noun="Cancellation",
        section=QueueSection.REPLIES,
        confirm="once",
        held=True,
        editable=(),
        gist="{title}",
        outcome="cancelled",
        done="cancelled",
        underway="the meeting is cancelled",
    )
)
NO_MEETING = "No meeting of this conversation is meant for certain; nothing was cancelled."
GONE = Wording(
    "A meeting was called off because of this message",
    "Calling off a meeting because of this message was begun, and nobody knows yet whether it is done,",
    "call this one off as well",
    lambda row: str(row.payload["args"]["title"]),
)


class CancelMeetingArguments(Arguments):
    """None: which meeting it is follows from the conversation."""


@dataclass(frozen=True)
class CancelMeeting(ApprovedEffect):
    """Calls off the meeting that the conversation has led to."""

    meetings: OwnMeetings
    guests: Guests
    outbox: Outbox
    name: ClassVar[str] = CANCELLATION.name
    card: ClassVar[CardKind] = CANCELLATION
    description: ClassVar[str] = "Call off the meeting of this conversation and tell its guests."
    arguments: ClassVar[type[Arguments]] = CancelMeetingArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE
    kind: ClassVar[str] = CANCEL_KIND
    wording: ClassVar[Wording] = GONE
    claims_subject: ClassVar[bool] = True

    @property
    def calendar(self) -> Calendar:
        """Where the meeting is."""
        return self.meetings.calendar

    async def prepare(self, args: CancelMeetingArguments, turn: Turn) -> Action | Done:
        """Find the one meeting that the message wishes to call off."""
        key = cancel_key(self.meetings.mailbox, turn.conversation.current)
        if await self.done_before(await self.look_up(key, turn), turn):
            return Done("Cancelled already, approved earlier.", True)
        wished = await self.meetings.wished(turn.conversation)
        event = wished.meeting if wished and wished.wish == CANCEL else None
        if event is None:
            return Done(NO_MEETING)
        envelope = self.guests.envelope(turn)
        return turn.action(
            self.card,
            event.title,
            shown(event),
            details=CancellationDetails(event.uid, event.sequence + 1, envelope),
            subject_key=key,
            summary=f"{in_words(event, own=self.meetings.timezone)}.",
            reasons=("By fixed rules the message calls it off.",),
            effects=self.guests.card_effects(event.attendees, envelope, what="a cancellation"),
            warnings=_others(event, turn),
        )

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """A cancellation is not edited."""
        return Problem("A cancellation can be accepted or ignored, not edited.")

    def payload(self, action: Action) -> Mapping[str, Any]:
        """The meeting, and what its guests are written."""
        return {"args": dict(action.args), "details": dict(action.details)}

    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        """What others have called off."""
        return asked_about(action, self.earlier(action, rows), acknowledged)

    async def do(self, action: Action) -> dict[str, Any]:
        """Mark the event as cancelled."""
        uid = CancellationDetails.of(action).uid
        await self.calendar.cancel(uid)
        return {"uid": uid}

    async def found(self, action: Action) -> Reconciled:
        """It is cancelled in the calendar, or gone."""
        uid = CancellationDetails.of(action).uid
        there = await self.calendar.find(uid)
        return NotHappened() if there and not there.cancelled else Happened({"uid": uid})

    async def after(self, action: Action, result: Mapping[str, Any]) -> Done:
        """The guests are told, where the calendar does not."""
        meeting = CancellationDetails.of(action)
        event = event_of("", action.args, owner=self.meetings.timezone)
        event = replace(event, uid=meeting.uid, sequence=meeting.sequence)
        addressees = await self.guests.notify(action, meeting.envelope, "CANCEL", event, CANCELLED)
        mailed = f" Told by mail: {format_addresses(addressees)}." if addressees else ""
        return Done(f"Cancelled: {action.args['title']}, {action.args['start']}.{mailed}", True)

    def feedback(self, text: str) -> str:
        """Never asked for: the card takes no words."""
        return f"Not cancelled: {text}"


def _others(event: Event, turn: Turn) -> tuple[str, ...]:
    """Warnings: who else was to come, and where the message is from none of the guests."""
    sender = turn.conversation.current.sender.key
    others: list[Address] = [
        each for each in event.attendees if each.key != sender and each.key not in turn.user.own
    ]
    lines = [f"It is called off for {each.email}, too." for each in others[:5]]
    if all(each.key != sender for each in event.attendees):
        lines.append("Whoever wrote this is none of its guests.")
    return tuple(lines)
