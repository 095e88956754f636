"""`cancel_meeting`: a meeting that was made on approval is called off, and its guests are told."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.effects.outbox import (
    DoneElsewhereError,
    Happened,
    NotHappened,
    Outbox,
    OutboxRow,
    OutboxStatus,
    Reconciled,
)
from email_assistant.effects.store import doer_of
from email_assistant.mail.address import Address, format_addresses
from email_assistant.models.offline.meeting_change import CANCEL
from email_assistant.review.action import ACCEPT, IGNORE, Action, Problem
from email_assistant.review.card import title
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.review.risk import Risk
from email_assistant.tools.concerns import asked_about
from email_assistant.tools.earlier import Told, accepted_in, asked_again, doer_in, earlier_concerns, forgotten
from email_assistant.tools.guest_letter import CANCELLED
from email_assistant.tools.guests import Guests
from email_assistant.tools.meeting import event_of, shown
from email_assistant.tools.meeting_words import in_words
from email_assistant.tools.own_meetings import CANCEL_KIND, OwnMeetings, cancel_key
from email_assistant.tools.tool import Arguments, AskAgain, Done, Turn

CANCELLATION = declare(
    CardKind(
        "cancel_meeting",
        (IGNORE, ACCEPT),
        "Cancel meeting: ",
        "{who} cannot come, or calls it off. Accepting cancels “{title}” for everybody.",
        noun="Cancellation",
        section=QueueSection.REPLIES,
        confirm="once",
        held=True,
        gist="{title}",
        outcome="cancelled",
        done="cancelled",
    )
)
NO_MEETING = "No meeting of this conversation is meant for certain; nothing was cancelled."
GONE = Told(
    "A meeting was called off because of this message",
    "Calling off a meeting because of this message was begun, and nobody knows yet whether it is done,",
    "call this one off as well",
    lambda row: str(row.payload["args"]["title"]),
)


class CancelMeetingArguments(Arguments):
    """None: which meeting it is follows from the conversation."""


@dataclass(frozen=True)
class CancelMeeting:
    """Calls off the meeting that the conversation has led to."""

    meetings: OwnMeetings
    guests: Guests
    name: ClassVar[str] = CANCELLATION.name
    card: ClassVar[CardKind] = CANCELLATION
    description: ClassVar[str] = "Call off the meeting of this conversation and tell its guests."
    arguments: ClassVar[type[Arguments]] = CancelMeetingArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    @property
    def calendar(self) -> Calendar:
        """Where the meeting is."""
        return self.meetings.calendar

    @property
    def outbox(self) -> Outbox:
        """What keeps it to once."""
        return self.meetings.outbox

    async def prepare(self, args: CancelMeetingArguments, turn: Turn) -> Action | Done:
        """Find the one meeting that the message wishes to call off."""
        key = cancel_key(self.meetings.mailbox, turn.conversation.current)
        rows = await self._found(key, turn)
        if done := [row for row in rows if forgotten(row, turn) and row.status is OutboxStatus.done]:
            for row in done:
                await self._tell(self._action_of(row, turn))
            return Done("Cancelled already, approved earlier.", True)
        wished = await self.meetings.wished(turn.conversation)
        meeting = wished.meeting if wished and wished.wish == CANCEL else None
        if meeting is None:
            return Done(NO_MEETING)
        event = meeting
        by_calendar = self.calendar.writes_to_guests
        envelope = None if by_calendar else self.guests.envelope(turn)
        told = self.guests.told_on_card(
            event.attendees, envelope, by_calendar=by_calendar, what="a cancellation"
        )
        return Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=self.name,
            title=title(f"{self.card.begins}{event.title}"),
            args=shown(event),
            facts={
                "subject_key": key,
                "uid": event.uid,
                "sequence": event.sequence + 1,
                "doer": asdict(turn.doer),
                "timezone": turn.user.timezone,
                "envelope": envelope,
            },
            revision=turn.revision,
            summary=f"{in_words(event, own=self.meetings.timezone)}.",
            reasons=("By fixed rules the message calls it off.",),
            effects=told,
            warnings=_others(event, turn),
        )

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """A cancellation is not edited."""
        return Problem("A cancellation can be accepted or ignored, not edited.")

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Mark the event as cancelled, then tell the guests; each happens once."""
        row = await self.outbox.get(action.id)
        if row is None or row.status is not OutboxStatus.done:
            rows = await self.outbox.find(action.facts["subject_key"], CANCEL_KIND)
            if again := asked_about(action, earlier_concerns(rows, action, GONE), acknowledged):
                return again
        uid = str(action.facts["uid"])

        async def do() -> dict[str, Any]:
            await self.calendar.cancel(uid)
            return {"uid": uid}

        async def reconcile() -> Reconciled:
            return Happened({"uid": uid}) if await self._is_gone(uid) else NotHappened()

        kept = {name: action.facts[name] for name in ("uid", "sequence", "envelope")}
        try:
            await self.outbox.perform(
                action.id,
                kind=CANCEL_KIND,
                subject_key=action.facts["subject_key"],
                payload={"args": dict(action.args), "facts": kept},
                do=do,
                reconcile=reconcile,
                by=doer_in(action),
                accepted=accepted_in(acknowledged),
            )
        except DoneElsewhereError as error:
            return asked_again(action, error, GONE)
        told = await self._tell(action)
        return Done(f"Cancelled: {action.args['title']}, {action.args['start']}.{told}", True)

    async def discard(self, action: Action) -> None:
        """Nothing was left behind by `prepare`."""

    def feedback(self, text: str) -> str:
        """Never asked for: the card takes no words."""
        return f"Not cancelled: {text}"

    async def _tell(self, action: Action) -> str:
        if self.calendar.writes_to_guests:
            return ""
        event = event_of("", action.args, owner=self.meetings.timezone)
        event = replace(event, uid=str(action.facts["uid"]), sequence=int(action.facts["sequence"]))
        told = await self.guests.tell(action, "CANCEL", event, about=CANCELLED)
        return f" Told by mail: {format_addresses(told)}." if told else ""

    async def _is_gone(self, uid: str) -> bool:
        found = await self.calendar.find(uid)
        return found is None or found.cancelled

    async def _found(self, key: str, turn: Turn) -> list[OutboxRow]:
        """What is on record about the message, after a look at what was begun and came to no end that anybody saw."""
        for row in await self.outbox.find(key, CANCEL_KIND):
            if row.status is OutboxStatus.started and row.action_id not in turn.known_actions:
                if await self._is_gone(str(row.payload["facts"]["uid"])):
                    await self.outbox.happened(row.action_id, {"uid": row.payload["facts"]["uid"]})
                elif forgotten(row, turn):
                    await self.outbox.did_not_happen(row.action_id)
        return await self.outbox.find(key, CANCEL_KIND)

    def _action_of(self, row: OutboxRow, turn: Turn) -> Action:
        """What was approved, as far as the outbox keeps it."""
        facts = {**row.payload["facts"], "doer": asdict(doer_of(row))}
        return Action(row.action_id, turn.tool_call_id, self.name, "", row.payload["args"], facts)


def _others(event: Event, turn: Turn) -> tuple[str, ...]:
    """Warnings: who else was to come, and where the message is from none of the guests."""
    sender = turn.conversation.current.sender.key
    others: list[Address] = [
        each for each in event.attendees if each.key != sender and each.key not in turn.user.own
    ]
    told = [f"It is called off for {each.email}, too." for each in others[:5]]
    if all(each.key != sender for each in event.attendees):
        told.append("Whoever wrote this is none of its guests.")
    return tuple(told)
