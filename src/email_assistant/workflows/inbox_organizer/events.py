"""An event that a mail brings or proposes: always a card, and only then in the calendar."""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from langgraph.config import get_config

from email_assistant.calendars.invitation import invitations_of
from email_assistant.calendars.proposal import EventProposal
from email_assistant.errors import InputError
from email_assistant.kit.conversations import conversation_of, run_thread_id
from email_assistant.mail.message import Conversation
from email_assistant.meetings.cancelling import CANCELLATION, CancelMeetingArguments
from email_assistant.meetings.incoming import DoneBefore
from email_assistant.meetings.own_meetings import Wished
from email_assistant.meetings.scheduling import ScheduleMeeting, ScheduleMeetingArguments
from email_assistant.meetings.times import edges
from email_assistant.models.offline.meeting_change import CANCEL
from email_assistant.review.action import Action
from email_assistant.tools.tool import changed_nothing
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.event_call import EVENT, EventInput
from email_assistant.workflows.inbox_organizer.event_proposal import NoProposal, proposal_from
from email_assistant.workflows.inbox_organizer.offline.event import mentions_meeting
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

SPEAKS_OF_ONE = "The mail from {who} speaks of an event."
BY_CALENDAR = "Read from the calendar part of the mail, without a model."


@dataclass(frozen=True)
class EventNodes:
    """The nodes that propose events."""

    parts: OrganizerDependencies

    async def plan_event(self, state: OrganizerWork) -> dict[str, Any]:
        """Propose the event of a calendar part, or else the one that the mail speaks of, if there is one."""
        conversation = conversation_of(state["email_input"])
        user, now = self.parts.user, self.parts.now(state)
        invitation = await asyncio.to_thread(
            invitations_of, conversation.current, zone=user.timezone, now=now
        )
        if invitation:
            return await self._invited(state, conversation)
        if wished := await self.parts.meetings.wished(conversation):
            return await self._changed(state, wished)
        if not await asyncio.to_thread(mentions_meeting, conversation):
            return {}
        return await self._read(state, conversation, revision=1)

    async def _changed(self, state: OrganizerWork, wished: Wished) -> dict[str, Any]:
        """Propose the change of a meeting that the mail wishes; nothing where it is not understood for certain."""
        if wished.meeting is None:
            return {}
        turn = self.parts.turn(state, run_thread_id(get_config()), "event")
        if wished.wish == CANCEL:
            action = await self.parts.toolbox.actor(CANCELLATION.name).prepare(CancelMeetingArguments(), turn)
            return {"planned_event": action.as_json()} if isinstance(action, Action) else {}
        moved = wished.moved(self.parts.user.timezone, self.parts.now(state))
        if moved is None:
            return {}
        args = ScheduleMeetingArguments.model_validate(moved)
        action = await self.parts.toolbox.actor(ScheduleMeeting.name).prepare(args, turn)
        return {"planned_event": action.as_json()} if isinstance(action, Action) else {}

    async def event_again(self, state: OrganizerWork) -> dict[str, Any]:
        """Read the mail anew with what the human said; without another reading the first is shown again."""
        before = Action.from_json(state["pending"] or {})
        if before.kind in self.parts.invitations.kinds:
            said = (state["decision"] or {})["text"]
            again = await self.parts.invitations.actor(before.kind).reworded(before, said)
            return {"pending": None, "planned_event": again.as_json()}
        conversation = conversation_of(state["email_input"])
        found = await self._read(state, conversation, revision=before.revision + 1)
        told = changed_nothing(said[-1] if (said := _said(state)) else "")
        shown_again = replace(before, warnings=tuple(dict.fromkeys((told, *before.warnings))))
        return {"pending": None, "planned_event": shown_again.as_json()} | found

    async def _invited(self, state: OrganizerWork, conversation: Conversation) -> dict[str, Any]:
        """The card of a calendar part; the event keeps its UID, and whoever organises it is answered."""
        parts = self.parts
        incoming = await parts.invitations.incoming(conversation.current, parts.user)
        if incoming is None:
            return {}
        turn = parts.turn(state, run_thread_id(get_config()), "invitation")
        found = await parts.invitations.response(incoming, turn, in_doubt=bool(state.get("sender_warnings")))
        if isinstance(found, DoneBefore):
            return {}
        action = found.action or parts.invitations.notice(incoming, found, turn)
        if action is None:
            return {}
        told = replace(action, reasons=(BY_CALENDAR, *action.reasons))
        return {"planned_event": told.as_json()}

    async def _read(self, state: OrganizerWork, conversation: Conversation, revision: int) -> dict[str, Any]:
        parts, now = self.parts, self.parts.now(state)
        answer = await parts.models.run(EVENT, EventInput(conversation, parts.user, now, _said(state)))
        proposal = await asyncio.to_thread(
            proposal_from, answer, conversation, zone=parts.user.timezone, now=now
        )
        if isinstance(proposal, NoProposal):
            return {}
        offline = parts.models.is_offline("strong")
        why = f"Event: {answer.reasoning}"
        return await self._planned(state, proposal, why, proposal.notes, offline=offline, revision=revision)

    async def _planned(
        self,
        state: OrganizerWork,
        proposal: EventProposal,
        why: str,
        notes: tuple[str, ...],
        *,
        offline: bool,
        revision: int = 1,
    ) -> dict[str, Any]:
        turn = self.parts.turn(state, run_thread_id(get_config()), "event", revision)
        turn = replace(turn, ignored_words=_said(state) if offline else ())
        start, end = edges(proposal)
        args = ScheduleMeetingArguments(
            title=proposal.title,
            attendees=[address.email for address in proposal.attendees],
            start=start,
            end=end,
            timezone=proposal.timezone,
            location=", ".join(place for place in (proposal.location, proposal.video_link) if place),
        )
        try:
            action = await self.parts.toolbox.actor(ScheduleMeeting.name).prepare(args, turn)
        except InputError:
            return {}  # It is over, or cannot be put into a calendar.
        if not isinstance(action, Action):
            return {}  # It was created already, approved earlier.
        told = replace(
            action,
            reasons=(why, f"Confidence: {proposal.confidence:.2f}", *action.reasons),
            warnings=tuple(dict.fromkeys((*notes, *action.warnings))),
            facts={**action.facts, "offline": offline},
            headline=action.headline or SPEAKS_OF_ONE,
        )
        return {"planned_event": told.as_json()}


def _said(state: OrganizerWork) -> tuple[str, ...]:
    """The person's words about proposed events, the oldest first."""
    return tuple((state.get("said") or {}).get(ScheduleMeeting.name, ()))
