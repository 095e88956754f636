"""A guest proposes another time for a meeting of the user's own: taking it moves the meeting and tells all guests, once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from email_assistant.calendars.event import Event
from email_assistant.calendars.event_json import event_json, event_of_json
from email_assistant.calendars.incoming import in_clock
from email_assistant.effects.outbox import ActionChangedError, NotHappened, Reconciled
from email_assistant.errors import InputError
from email_assistant.review.action import ACCEPT, IGNORE, Action
from email_assistant.review.card import title
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.tools.earlier import Told, doer_in
from email_assistant.tools.guest_letter import MOVED
from email_assistant.tools.guests import Guests
from email_assistant.tools.invitation_answers import CalendarEffects, renewed
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
    effect: ClassVar[str] = COUNTER.name
    told: ClassVar[Told] = _MOVED

    def proposal(self, there: Event, proposed: Event, turn: Turn, facts: Mapping[str, Any]) -> Action:
        """The card: both times, and who is told. `there` is the meeting as it is."""
        zone, sender = turn.user.timezone, turn.user.sender
        moved = replace(
            there, start=proposed.start, end=proposed.end, all_day=proposed.all_day, sequence=there.sequence + 1,
            stamp=None, guests=(), organizer=there.organizer or sender,
        )  # fmt: skip
        about = self.facts(event_json(moved), turn)
        told = self.guests.told_on_card(
            there.attendees,
            about["envelope"],
            by_calendar=self.calendar.writes_to_guests,
            what="the new time",
        )
        return Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=COUNTER.name,
            title=title(f"{COUNTER.begins}{there.title}"),
            args={},
            facts={**facts, **about, "before": there.sequence},
            revision=turn.revision,
            summary=f"{there.title}: from {in_clock(there, zone)} to {in_clock(moved, zone)} ({zone}).",
            effects=told,
        )

    def facts(self, moved: Mapping[str, Any], turn: Turn) -> dict[str, Any]:
        """Of the action: the meeting at its new time (`event_json`), and what the mail to its guests needs."""
        by_calendar = self.calendar.writes_to_guests
        return {"entries": [moved], "envelope": None if by_calendar else self.guests.envelope(turn)}

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Move it, then tell the guests: each once, however often this is repeated."""
        event = event_of_json(action.facts["entries"][0])
        if await self._is_not_begun(action):
            there = await self.calendar.find(event.uid)
            if there is None or there.cancelled or there.sequence != action.facts["before"]:
                return Done("Nothing was moved: the meeting was changed or called off meanwhile.")

        async def do() -> dict[str, Any]:
            return {"uid": (await self.calendar.put(event)).uid}

        async def reconcile() -> Reconciled:
            return NotHappened()  # Which may be done again.

        try:
            await self.outbox.perform(
                action.id,
                kind=self.effect,
                subject_key=self._subject(action),
                payload={"event": action.facts["entries"][0]},
                do=do,
                reconcile=reconcile,
                by=doer_in(action),
            )
        except InputError as error:
            return AskAgain(action, f"It cannot be done: {error}.")
        except ActionChangedError:  # By a run that was lost, when the meeting was another one.
            return AskAgain(renewed(action), "An earlier try did not come to its end.")
        told = await self.guests.tell(action, "REQUEST", event, about=MOVED)
        names = f" Told: {', '.join(each.email for each in told)}." if told else ""
        return Done(f"Moved: {event.title}, {in_clock(event, action.facts['timezone'])}.{names}", True)
