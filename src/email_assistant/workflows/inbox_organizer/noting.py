"""Notes in the person's vault: one note a matter, each mail once."""

from dataclasses import dataclass
from typing import Any

from email_assistant.errors import InputError
from email_assistant.mail.bulk import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.mail.threading import base_subject
from email_assistant.review.risk import Policy, Risk, policy_for
from email_assistant.workflows.inbox_organizer.dependencies import OrganizerDependencies
from email_assistant.workflows.inbox_organizer.importance import Level
from email_assistant.workflows.inbox_organizer.note_call import NOTE, NoteInput
from email_assistant.workflows.inbox_organizer.notes.note import Note
from email_assistant.workflows.inbox_organizer.state import WorkState
from email_assistant.workflows.kit.conversations import conversation_of
from email_assistant.workflows.kit.senders import sender

NOTED_FROM = Level.NORMAL


@dataclass(frozen=True)
class NotingNodes:
    """The node that takes notes."""

    parts: OrganizerDependencies

    async def note(self, state: WorkState) -> dict[str, Any]:
        """Note what is worth looking up later, when there is a vault and policy lets it happen by itself."""
        conversation, parts = conversation_of(state["email_input"]), self.parts
        automatic = policy_for(Risk.REVERSIBLE, sender(state.get("sender_warnings"))) is Policy.AUTO
        important = Level(state["importance"]["level"]).at_least(NOTED_FROM)
        if parts.vault is None or not automatic or not important or bulk_of(conversation.current).one_way:
            return {}
        answer = await parts.models.run(NOTE, NoteInput(conversation, parts.user))
        if not answer.worth_noting:
            return {}
        try:
            written = await parts.vault.write(
                self._note(state, conversation, answer.title, answer.summary, answer.key_points, answer.links)
            )
        except InputError:
            return {}  # Nothing that could be noted was left of the answer.
        message_id = conversation.current.id or conversation.current.message_id
        done = {"id": f"note:{message_id}", "name": "note", "params": {"path": written.path}}
        return {"note": written.path, "performed": [done | {"result": written.outcome, "success": True}]}

    def _note(
        self,
        state: WorkState,
        conversation: Conversation,
        title: str,
        summary: str,
        points: list[str],
        links: list[str],
    ) -> Note:
        current = conversation.current
        standing = [link for link in links if link in current.text]
        return Note(
            key=current.mail_thread_id or current.id,
            title=title.strip() or base_subject(current.subject) or "Without subject",
            created=self.parts.clock.now(),
            category=state["category"],
            sender=current.sender,
            message_id=current.message_id or current.id,
            subject=current.subject,
            summary=summary,
            key_points=tuple(points),
            links=tuple(standing),
        )
