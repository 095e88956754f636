"""Drafts in the mailbox while they wait: one a proposal, replaced on feedback, deleted when nobody wants them.

A draft that a person changed in the mailbox is never overwritten or deleted.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from email_assistant.effects.outbox import Outbox, Reconciled, reconciled_done, reconciled_not_done
from email_assistant.errors import NotFoundError
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Draft, OutgoingMessage
from email_assistant.review.action import Action
from email_assistant.tools.tool import Turn

DRAFT_KIND = "draft"


@dataclass(frozen=True)
class Drafts:
    """The drafts of all run threads, on record in the outbox."""

    mailbox: Mailbox
    outbox: Outbox

    async def sweep(self, run_thread_id: str) -> None:
        """Delete the drafts that earlier runs of this thread left behind, but for those a person has changed."""
        for row in await self.outbox.find(_drafts_key(run_thread_id), DRAFT_KIND):
            result = row.result if isinstance(row.result, dict) else {}
            draft = await self.mailbox.draft(str(result.get("draft_id", "")))
            if draft and digest(draft.message) == result.get("digest"):
                await self.mailbox.delete_draft(draft.id)

    async def save(self, message: OutgoingMessage, turn: Turn) -> tuple[Draft, str]:
        """One draft a proposal, however often this is replayed, and on record so that it can be swept.

        The second value is the draft's digest as long as nobody has changed it.
        """

        def saved(draft: Draft) -> dict[str, Any]:
            return {"draft_id": draft.id, "digest": digest(draft.message)}

        async def do() -> dict[str, Any]:
            return saved(await self._write(message, turn.previous))

        async def reconcile() -> Reconciled:
            draft = await self.mailbox.find_draft(message.message_id)
            return reconciled_done(saved(draft)) if draft else reconciled_not_done()

        outcome = await self.outbox.perform(
            f"{turn.action_id}:draft",
            kind=DRAFT_KIND,
            subject_key=_drafts_key(turn.run_thread_id),
            payload={"message_id": message.message_id},
            do=do,
            reconcile=reconcile,
        )
        recorded = outcome.result.get("digest") if isinstance(outcome.result, dict) else None
        draft = await self.mailbox.find_draft(message.message_id)
        if draft and digest(draft.message) not in (recorded, digest(message)):
            return draft, digest(message)  # A person changed it: accepting will show their words first.
        if draft is None or (not outcome.performed and digest(draft.message) != digest(message)):
            draft = await self.mailbox.save_draft(message, replaces=draft.id if draft else None)
        return draft, digest(draft.message)

    async def _write(self, message: OutgoingMessage, previous: Mapping[str, Any] | None) -> Draft:
        """Save in place of the draft this one revises; a draft that a person changed is left alone."""
        if previous:
            old = Action.from_json(previous)
            draft = await self.current(old.facts["draft_id"], old.facts["message_id"])
            if draft and digest(draft.message) == old.facts["digest"]:
                try:
                    return await self.mailbox.save_draft(message, replaces=draft.id)
                except NotFoundError:
                    pass  # Deleted meanwhile: the new draft is saved as a new one.
        return await self.mailbox.save_draft(message)

    async def current(self, draft_id: str, message_id: str) -> Draft | None:
        """The draft as it is now, found by its id or its Message-ID; None when it is gone."""
        return await self.mailbox.draft(draft_id) or await self.mailbox.find_draft(message_id)


def digest(message: OutgoingMessage) -> str:
    """What a reader of the message would notice a change of: recipients, subject, text."""
    recipients = "|".join(sorted(a.key for a in (*message.to, *message.cc)))
    text = "\n".join(line.rstrip() for line in message.body.strip().splitlines())
    return hashlib.sha256("\0".join([recipients, message.subject.strip(), text]).encode()).hexdigest()


def _drafts_key(run_thread_id: str) -> str:
    return f"drafts:{run_thread_id}"
