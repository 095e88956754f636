"""What a run has done about its message: the head of its next card, and the answer to a model that does it again.

The work on a mail begins: what the agent's messages are told of it, and a clean state.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.types import Command

from email_assistant.journal.records import OutboxRow
from email_assistant.kit.conversations import conversation_of, conversation_text
from email_assistant.kit.observer import PERFORMED
from email_assistant.kit.response.dependencies import AssistantDependencies
from email_assistant.kit.response.state import AssistantWork
from email_assistant.kit.response.transitions import (
    end_of,
    next_node,
    not_performed,
    open_calls,
    said,
    since_mail,
    unanswered,
)
from email_assistant.kit.review_loop import notification
from email_assistant.mail.address import Address, parse_recipients
from email_assistant.mail.message import Conversation
from email_assistant.meetings.own_meetings import MEETING_KIND
from email_assistant.models.offline.wanted import points_besides_meeting
from email_assistant.review.action import RESPONSE, Action
from email_assistant.review.pending import new_round
from email_assistant.tools.approved import ApprovedEffect
from email_assistant.tools.concerns import LIVE, own_sentence
from email_assistant.tools.mail_tools import REPLY
from email_assistant.tools.outgoing import follows_up
from email_assistant.tools.tool import Turn, User

TASK = "The person wrote this email, and nobody has answered it. Write a short reminder with send_email; it goes to those who got it:"
NOTHING_DONE = "The assistant found nothing to do about the mail from {who}: "
NOT_ANSWERED = f"{NOTHING_DONE}it wrote no reply, although one seemed to be needed."
NOT_HEEDED = f"{NOTHING_DONE}after what you said it did nothing more."
AGAIN = "again"
"""Marks the answer to a call that would have repeated an effect."""
BESIDE_INVITATION = "beside_invitation"
"""Marks the answer to a reply to whom an invitation has answered."""
NO_LETTER_BESIDE = (
    "The invitation carries your words and answers the mail: no second letter goes beside it. "
    "Where the mail asks anything else, call send_email again with that alone; otherwise call Done."
)


@dataclass(frozen=True)
class DoneSoFar:
    """The effects of the tools, on record in the outbox."""

    parts: AssistantDependencies

    @property
    def effects(self) -> Mapping[str, ApprovedEffect]:
        """What tools do once it is approved, by their names."""
        tools = (*self.parts.toolbox.tools, *self.parts.toolbox.own)
        return {tool.name: effect for tool in tools if (effect := getattr(tool, "effect", None))}

    async def so_far(self, state: AssistantWork, turn: Turn) -> list[OutboxRow]:
        """What the run has done about the message, or begun to do, the oldest first."""
        rows = await self.parts.sending.outbox.of_actions(state.get("actions") or ())
        own = [row for row in rows if row.status in LIVE and row.doer.is_work_of(turn.doer)]
        return [row for row in own if self._effect_of(row)]

    def again(self, state: AssistantWork, action: Action, rows: Iterable[OutboxRow]) -> Command[Any] | None:
        """The answer to a call that would repeat one of these, unless the person has asked for that since; None for any other call.

        When a model does so a second time its work ends.
        """
        effect = self.effects.get(action.kind)
        repeated = [row for row in rows if effect and effect.is_again(action, row)]
        if not repeated or is_heard(state["messages"], self.effects):
            return None
        text = f"{' '.join(self._described(repeated))}. Do not do it again."
        answer = not_performed(action.tool_call_id, action.kind, text)
        answer.additional_kwargs[AGAIN] = True
        is_second = any(AGAIN in message.additional_kwargs for message in since_mail(state["messages"]))
        update = {"messages": [answer], "corrections": 0}
        rest = open_calls(said(state, update))
        return Command(
            goto=end_of(state) if is_second and not rest else next_node(state, update), update=update
        )

    async def beside_invitation(
        self, state: AssistantWork, action: Action, rows: Iterable[OutboxRow]
    ) -> Command[Any] | None:
        """The answer to a first reply beside the meeting that its reader has been invited to, where the mail asks nothing else.

        None for any other call: a reply that the person wants, or that comes all the same, is put before the person.
        """
        current = conversation_of(state["email_input"]).current
        invited = [row for row in rows if row.kind == MEETING_KIND and _is_guest(current.sender, row)]
        told = any(
            BESIDE_INVITATION in message.additional_kwargs for message in since_mail(state["messages"])
        )
        if action.kind != REPLY.name or not invited or told or is_heard(state["messages"], self.effects):
            return None
        if await asyncio.to_thread(points_besides_meeting, current):
            return None
        text = f"{' '.join(self._described(invited))}. {NO_LETTER_BESIDE}"
        answer = not_performed(action.tool_call_id, action.kind, text)
        # A `Done` of the same turn was said of the letter, too: the model has another turn.
        answer.status = "error"
        answer.additional_kwargs[BESIDE_INVITATION] = True
        update = {"messages": [answer], "corrections": 0}
        return Command(goto=next_node(state, update), update=update)

    def headed(self, action: Action, rows: Sequence[OutboxRow]) -> Action:
        """The action, whose card begins with what was done."""
        return replace(action, done=self._described(rows)) if rows else action

    def _described(self, rows: Iterable[OutboxRow]) -> tuple[str, ...]:
        zone = self.parts.user.timezone
        found = ((row, self._effect_of(row)) for row in rows)
        return tuple(
            own_sentence(row, effect.wording_for(row.subject_key), zone) for row, effect in found if effect
        )

    def _effect_of(self, row: OutboxRow) -> ApprovedEffect | None:
        return next((each for each in self.effects.values() if each.kind == row.kind), None)


def _is_guest(person: Address, row: OutboxRow) -> bool:
    guests = parse_recipients(str(row.payload.get("args", {}).get("attendees", "")))
    return person.key in {each.key for each in guests}


def is_heard(messages: Sequence[BaseMessage], effects: Collection[str]) -> bool:
    """Whether the person has said something of a proposal since the latest of these effects, named by their tools, was done."""
    for message in reversed(since_mail(messages)):
        if "feedback" in message.additional_kwargs:
            return True
        is_of_effect = isinstance(message, ToolMessage) and message.name in effects
        if is_of_effect and message.additional_kwargs.get(PERFORMED, True):
            return False
    return False


async def nothing_done(state: AssistantWork, thread_id: str, user: User) -> Action:
    """The notification that a reply which seemed needed, or what the person said, has led to nothing."""
    after_words = (state.get("decision") or {}).get("type") == RESPONSE
    card = await asyncio.to_thread(
        notification,
        conversation_of(state["email_input"]),
        thread_id,
        state.get("round") or 1,
        user,
        NOT_HEEDED if after_words else NOT_ANSWERED,
    )
    return replace(card, id=f"{card.id}:{len(state.get('titles') or [])}")


FRESH: dict[str, Any] = {
    "previous": None,
    "outcome": "",
    "settled": False,
    "facts": [],
    "corrections": 0,
    "model_calls": 0,
}


def begun(
    state: AssistantWork, conversation: Conversation, doubts: Sequence[str], user: User
) -> dict[str, Any]:
    """The update with which work on new mail begins."""
    return FRESH | {
        **new_round(state, may_wait=bool(state.get("round")) and not state.get("outcome")),
        "classification_decision": "notify",
        "triage_reason": "",
        "sender_warnings": list(doubts),
        "messages": [*_closed(state.get("messages", [])), _task(conversation, state, user), *_said(state)],
        "wanted": "",
        "seen": _seen(state, conversation),
    }


def instruction(text: str) -> HumanMessage:
    """The human's own words for the model; unlike mail they are not fenced, because they are an instruction."""
    return HumanMessage(
        f"The user wants you to reply to this email and says: {text}", additional_kwargs={"feedback": text}
    )


def _task(conversation: Conversation, state: AssistantWork, user: User) -> HumanMessage:
    seen = frozenset(state.get("seen") or [])
    text = conversation_text(conversation, user.timezone, seen=seen)
    task = TASK if follows_up(state["email_input"], conversation, user) else "Respond to the email:"
    return HumanMessage(f"{task}\n\n{text}", additional_kwargs={"email_id": conversation.current.id})


def _said(state: AssistantWork) -> list[HumanMessage]:
    said = state.get("wanted")
    return [instruction(said)] if said else []


def _closed(messages: list[AnyMessage]) -> list[ToolMessage]:
    """Answers for calls that an earlier message of the conversation left open."""
    text = "Not performed: a newer message of the conversation came first."
    return [not_performed(c["id"], c["name"], text) for c in unanswered(messages)]


def _seen(state: AssistantWork, conversation: Conversation) -> list[str]:
    ids = [m.id for m in (*conversation.earlier, conversation.current) if m.id]
    return list(dict.fromkeys([*(state.get("seen") or []), *ids]))
