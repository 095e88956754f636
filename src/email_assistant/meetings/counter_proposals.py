"""A guest proposes another time for a meeting of the user's own: taking it moves the meeting and tells all guests, once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from email_assistant.calendars.event import Event, event_json, event_of_json
from email_assistant.calendars.incoming import in_clock
from email_assistant.journal.records import OutboxRow
from email_assistant.meetings.answers import CalendarEffects
from email_assistant.meetings.guest_letter import MOVED
from email_assistant.meetings.guests import Guests
from email_assistant.review.action import ACCEPT, IGNORE, Action
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.tools.concerns import Told
from email_assistant.tools.tool import AskAgain, Done, Turn

COUNTER = declare(
    CardKind(
        "counter_proposal", (IGNORE, ACCEPT), "Move meeting: ", "{who} proposes another time.", noun="Meeting",
        section=QueueSection.MEETINGS, confirm="once", held=True, gist="{card}", outcome="moved", done="moved",
    )
)  # fmt: skip
_MOVED = Told(
    "This proposal was taken", "This proposal was begun to be taken", "take it once more", lambda row: ""
)


@dataclass(frozen=True)
class TakeCounterProposal(CalendarEffects):
    """Moves the meeting to the time that a guest proposes."""

    guests: Guests
    name: ClassVar[str] = COUNTER.name
    kind: ClassVar[str] = COUNTER.name
    told: ClassVar[Told] = _MOVED
    claims_subject: ClassVar[bool] = False

    def proposal(self, there: Event, proposed: Event, turn: Turn, facts: Mapping[str, Any]) -> Action:
        """The card: both times, and who is told. `there` is the meeting as it is."""
        zone, sender = turn.user.timezone, turn.user.sender
        moved = replace(
            there, start=proposed.start, end=proposed.end, all_day=proposed.all_day, sequence=there.sequence + 1,
            stamp=None, guests=(), organizer=there.organizer or sender,
        )  # fmt: skip
        about = self.facts(event_json(moved), turn, there)
        return turn.action(
            COUNTER,
            there.title,
            {},
            facts={**facts, **about, "before": there.sequence},
            summary=f"{there.title}: from {in_clock(there, zone)} to {in_clock(moved, zone)} ({zone}).",
            effects=self.guests.told_on_card(there.attendees, about["envelope"], what="the new time"),
        )

    def facts(self, moved: Mapping[str, Any], turn: Turn, was: Event | None) -> dict[str, Any]:
        """Of the action: the meeting at its new time (`event_json`), and what the mail to its guests needs; `was` is it before."""
        return {"entries": [moved], "envelope": self.guests.envelope(turn, was=was)}

    def payload(self, action: Action) -> Mapping[str, Any]:
        """The meeting as it is to be."""
        envelope = action.facts["envelope"] or {}
        return {"event": action.facts["entries"][0], "was": envelope.get("was")}

    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> Done | AskAgain | None:
        """Nothing is moved that is another meeting by now."""
        there = await self.calendar.find(_moved(action).uid)
        if there is None or there.cancelled or there.sequence != action.facts["before"]:
            return Done("Nothing was moved: the meeting was changed or called off meanwhile.")
        return None

    async def do(self, action: Action) -> dict[str, Any]:
        """Move it."""
        return {"uid": (await self.calendar.put(_moved(action))).uid}

    async def after(self, action: Action, result: Mapping[str, Any]) -> Done:
        """The guests are told."""
        event = _moved(action)
        told = await self.guests.tell(action, "REQUEST", event, about=MOVED)
        names = f" Told: {', '.join(each.email for each in told)}." if told else ""
        return Done(f"Moved: {event.title}, {in_clock(event, action.facts['timezone'])}.{names}", True)


def _moved(action: Action) -> Event:
    return event_of_json(action.facts["entries"][0])
