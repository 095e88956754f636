"""A reply to an important mail: a draft in the mailbox and a card, never a send without approval."""

from dataclasses import dataclass, replace
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime

from email_assistant.errors import ConfigError, InputError
from email_assistant.facts.fact import Source
from email_assistant.mail.bulk import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.mail.threading import base_subject
from email_assistant.review.action import Action
from email_assistant.review.risk import Sender
from email_assistant.tools.mail_tools import SendEmail, SendEmailArguments
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import Level
from email_assistant.workflows.inbox_organizer.reasons import importance_told
from email_assistant.workflows.inbox_organizer.reply_call import REPLY, ReplyInput
from email_assistant.workflows.inbox_organizer.state import WorkState
from email_assistant.workflows.kit.conversations import conversation_of, run_thread_id
from email_assistant.workflows.kit.senders import sender

IMPORTANT = "The mail from {who} is important; a reply is ready and waits for your approval."
NOTES = 3
"""Notes that a reply is written with."""


@dataclass(frozen=True)
class ReplyNodes:
    """The nodes that write replies."""

    parts: OrganizerDependencies

    async def plan_reply(self, state: WorkState, runtime: Runtime[None]) -> dict[str, Any]:
        """Write a reply when the message is important, comes from a person who is not in doubt, and awaits one."""
        conversation = conversation_of(state["email_input"])
        important = Level(state["importance"]["level"]).at_least(Level.HIGH)
        doubted = sender(state.get("sender_warnings")) is Sender.IN_DOUBT
        if not important or doubted or not _awaits_reply(conversation, self.parts.user.own):
            return {}
        return await self._written(state, runtime, previous=None)

    async def reply_again(self, state: WorkState, runtime: Runtime[None]) -> dict[str, Any]:
        """Write it anew with what the human said; the new draft takes the place of the old one."""
        before = Action.from_json(state["pending"] or {})
        return {"pending": None} | await self._written(state, runtime, previous=before)

    async def _written(
        self, state: WorkState, runtime: Runtime[None], previous: Action | None
    ) -> dict[str, Any]:
        parts, conversation = self.parts, conversation_of(state["email_input"])
        preferences = await parts.profiles.read("response_preferences", runtime.store)
        notes = await self._notes(conversation)
        answer = await parts.models.run(
            REPLY,
            ReplyInput(
                conversation,
                preferences.content,
                parts.user,
                parts.clock.now(),
                notes,
                previous.args["body"] if previous else "",
                tuple((state.get("said") or {}).get(SendEmail.name, ())),
            ),
        )
        revision = previous.revision + 1 if previous else 1
        turn = parts.turn(state, run_thread_id(get_config()), "reply", revision)
        offline, said = parts.models.is_offline("strong"), (state.get("said") or {}).get(SendEmail.name, ())
        turn = replace(
            turn,
            previous=previous.as_json() if previous else None,
            unheeded=tuple(said) if offline else (),
            sources=tuple(
                Source("what is known", each, "ours") for each in (preferences.content, *notes, *said)
            ),
        )
        try:
            action = await parts.toolbox.actor(SendEmail.name).prepare(
                SendEmailArguments(body=answer.body), turn
            )
        except (ConfigError, InputError):
            return {}  # There is nobody to reply to, or in whose name.
        if not isinstance(action, Action):
            return {}  # It was answered already, approved earlier.
        told = replace(
            action,
            reasons=(*action.reasons, importance_told(state)),
            facts={**action.facts, "offline": offline},
            headline=IMPORTANT,
        )
        return {"planned_reply": told.as_json()}

    async def _notes(self, conversation: Conversation) -> tuple[str, ...]:
        if self.parts.vault is None:
            return ()
        found = await self.parts.vault.search(base_subject(conversation.current.subject), NOTES)
        return tuple(f"{each.title}: {each.snippet}" for each in found)


def _awaits_reply(conversation: Conversation, own: frozenset[str]) -> bool:
    """Whether somebody waits for an answer that the user has not given yet."""
    current = conversation.current
    if current.sender.key in own:
        return False
    answered = any(
        m.sender.key in own and m.date and current.date and m.date > current.date
        for m in conversation.earlier
    )
    return not answered and not bulk_of(current).one_way
