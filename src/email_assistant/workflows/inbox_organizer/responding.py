"""What a sorted mail brings besides its label: the card of its calendar part, and the response agent for a meeting or a reply."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.types import Command

from email_assistant.kit.conversations import conversation_of, run_thread_id
from email_assistant.kit.review_loop import notification
from email_assistant.kit.senders import sender
from email_assistant.mail.conversation import answers, since
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.meetings.incoming import DoneBefore
from email_assistant.models.offline.guardrails import left_out
from email_assistant.models.offline.offers import not_understood
from email_assistant.models.offline.triage import TriageRule, triage
from email_assistant.review.action import RESPONSE, Action, Sender
from email_assistant.review.pending import put
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import Level
from email_assistant.workflows.inbox_organizer.sorting import importance_reason
from email_assistant.workflows.inbox_organizer.state import OrganizerWork

BY_CALENDAR = "Read from the calendar part of the mail, without a model."


@dataclass(frozen=True)
class RespondingNodes:
    """The nodes before and after the response agent."""

    parts: OrganizerDependencies

    async def plan_invitation(self, state: OrganizerWork) -> dict[str, Any]:
        """The card of a calendar part; the event keeps its UID, and whoever organises it is answered."""
        parts, conversation = self.parts, conversation_of(state["email_input"])
        incoming = await parts.invitations.incoming(conversation.current, parts.user)
        if incoming is None or await parts.is_with_another(conversation.current):
            return {}
        turn = parts.card_turn(state, run_thread_id(get_config()), "invitation")
        found = await parts.invitations.response(incoming, turn, in_doubt=bool(state.get("sender_warnings")))
        if isinstance(found, DoneBefore):
            return {"is_answered": True}
        action = found.action or parts.invitations.notice(incoming, found, turn)
        if action is None:
            return {"is_answered": True}
        card = replace(action, reasons=(BY_CALENDAR, *action.reasons))
        return {"planned_invitation": card.as_json()}

    async def hand_over(
        self, state: OrganizerWork
    ) -> Command[Literal["response_agent", "interrupt_handler", "finish"]]:
        """Once: to the response agent when a meeting or a reply is wanted; what else asks the user beyond doubt is shown."""
        update = {"is_answered": True, "performed": [], "triage_reason": importance_reason(state)}
        if state.get("is_answered"):
            return Command(goto="finish", update=update)
        if not await self._is_wanted(state):
            return await self._shown(state, update)
        # What a person wanted of the mail before this round leads the writing; words about its label do not.
        said = state["messages"][-1].additional_kwargs.get("feedback")
        decision = {"type": RESPONSE, "text": said} if said else None
        return Command(goto="response_agent", update=update | {"decision": decision})

    async def _shown(
        self, state: OrganizerWork, update: dict[str, Any]
    ) -> Command[Literal["response_agent", "interrupt_handler", "finish"]]:
        """A notice of what is put to the user and no other workflow has; the rest is sorted."""
        parts, conversation = self.parts, conversation_of(state["email_input"])
        asks = await self._asked(conversation, in_doubt=self._is_doubted(state))
        # A calendar part has had its own card.
        if (
            asks is None
            or conversation.current.calendars
            or await parts.is_with_another(conversation.current)
        ):
            return Command(goto="finish", update=update)
        notice = await asyncio.to_thread(
            self._notice, conversation, run_thread_id(get_config()), state.get("round") or 1, parts.now(state)
        )
        told = update | {"triage_reason": asks.reasoning}
        return Command(goto="interrupt_handler", update=told | put(state, notice))

    def _notice(self, conversation: Conversation, thread_id: str, number: int, now: datetime) -> Action:
        user = self.parts.user
        notice = notification(conversation, thread_id, number, user)
        unread = not_understood(conversation, now=now, timezone=user.timezone)
        return replace(notice, warnings=(unread,)) if unread else notice

    async def _asked(self, conversation: Conversation, *, in_doubt: bool) -> TriageRule | None:
        """What it asks of the user beyond doubt; where rules alone judge, also what they would answer."""
        parts, user = self.parts, self.parts.user
        known = await parts.is_known(conversation.current)
        found = await asyncio.to_thread(
            left_out, conversation, user.reader, is_known=known, in_doubt=in_doubt
        )
        if found or not parts.models.is_offline("fast"):
            return found
        rule = await asyncio.to_thread(triage, conversation, preferences="", own=user.own, called=user.called)
        if rule.classification != "respond" or await parts.not_drafted(conversation, in_doubt=in_doubt):
            return None
        return rule

    def _is_doubted(self, state: OrganizerWork) -> bool:
        return sender(state.get("sender_warnings")) is Sender.IN_DOUBT

    async def _is_wanted(self, state: OrganizerWork) -> bool:
        """Whether a person waits for a meeting, its change, or, of important mail, for an answer; or the user wants one."""
        conversation, own = conversation_of(state["email_input"]), self.parts.user.own
        if await self.parts.is_with_another(conversation.current):
            return False
        if "feedback" in state["messages"][-1].additional_kwargs:
            return True
        doubted = self._is_doubted(state)
        if await self.parts.not_drafted(conversation, in_doubt=doubted):
            return False
        wished = await self.parts.meetings.wished(conversation)
        if state.get("wants_meeting") or (wished and wished.meeting):
            return True
        important = Level(state["importance"]["level"]).at_least(Level.HIGH)
        return bool(
            important and state.get("wants_reply") and not doubted and _awaits_reply(conversation, own)
        )


def after_response(state: OrganizerWork) -> Literal["interrupt_handler", "finish"]:
    """A notification that nothing came of it waits to be shown, or the work is done."""
    return "interrupt_handler" if state.get("pending") else "finish"


def _awaits_reply(conversation: Conversation, own: frozenset[str]) -> bool:
    """Whether somebody waits for an answer that the user has not given yet."""
    current = conversation.current
    if current.sender.key in own:
        return False
    own_later = [m for m in since(current, conversation.earlier) if m.sent or m.sender.key in own]
    answered = any(answers(m, current, conversation.earlier, own) for m in own_later)
    return not (answered or bulk_of(current).one_way)
