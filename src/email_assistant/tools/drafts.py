"""Drafts in the mailbox while they wait: one a proposal, replaced on feedback, deleted when nobody wants them.

A draft that a person changed in the mailbox is never overwritten or deleted.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from email_assistant.effects.once import Effect, perform_once, result_of
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Reconciled
from email_assistant.effects.store import Intent, bounded, subject_key
from email_assistant.errors import NotFoundError
from email_assistant.journal.records import OutboxRow
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Draft, Message, OutgoingMessage, message_key
from email_assistant.review.action import Action
from email_assistant.tools.outgoing import LetterDetails
from email_assistant.tools.tool import Turn

DRAFT_KIND, SENT_KIND = "draft", "send"
_DRAFT = ":draft:"
"""Stands between the id of the action that sends a draft and the draft's digest."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A message that is to lie among the drafts, proposed in this turn."""

    message: OutgoingMessage
    turn: Turn
    there: Draft | None
    """The draft that lies there for it already, in our words."""
    written: list[Draft] = field(default_factory=list)
    """The drafts that were saved for it now."""


@dataclass(frozen=True)
class Drafts(Effect[Proposal, Draft]):
    """The drafts of all run threads, on record in the outbox."""

    mailbox: Mailbox
    outbox: Outbox
    kind: ClassVar[str] = DRAFT_KIND

    async def sweep(
        self,
        run_thread_id: str,
        *,
        answering: Message | None = None,
        left: Sequence[OutboxRow] | None = None,
    ) -> None:
        """Delete the drafts that earlier runs of this thread left behind, but for those a person has changed.

        A draft whose sending in answer to the message `answering` was begun is left, too: that it is still there is what
        proves that it was not sent. `left` is what `of` has just found.
        """
        key = reply_key(self.mailbox.name, answering) if answering else ""
        answers = await self.outbox.find(key, SENT_KIND) if key else []
        begun = {LetterDetails.of_row(row).message.message_id for row in answers if row.status == "started"}
        for row in left if left is not None else await self.of(run_thread_id):
            if row.payload["message_id"] in begun:
                continue
            draft, sending = (
                await self._lying(row),
                await self.outbox.get(row.action_id.rpartition(_DRAFT)[0]),
            )
            if draft is None or digest(draft.message) not in _ours(row, sending):
                continue
            if sending and sending.status == "started":
                # A draft that is still there was not sent, and when it is gone nobody can tell any more.
                await self.outbox.did_not_happen(sending.action_id)
            await self.mailbox.delete_draft(draft.id)

    async def _lying(self, row: OutboxRow) -> Draft | None:
        """The draft of this row, where it lies; one that was cut off while it was saved may be there."""
        if row.status == "started":
            return await self.mailbox.find_draft(str(row.payload["message_id"]))
        return await self.mailbox.draft(str(result_of(row.result).get("draft_id", "")))

    async def save(
        self, message: OutgoingMessage, turn: Turn, rows: Sequence[OutboxRow]
    ) -> tuple[Draft, str]:
        """One draft a proposal, however often this is replayed, and on record so that it can be swept; `rows` is what `of` has just found.

        The second value is the draft's digest as long as nobody has changed it.
        """
        tries = [row for row in rows if row.payload["message_id"] == message.message_id]
        there = await self.mailbox.find_draft(message.message_id) if tries else None
        meant = digest(message)
        if there and not any(digest(there.message) in _ours(row) for row in tries):
            return there, meant  # A person changed it: accepting will show their words first.
        draft = await perform_once(self.outbox, self, Proposal(message, turn, there))
        return draft, digest(draft.message)

    def intent(self, what: Proposal) -> Intent:
        """Words that come out otherwise in a replay are another draft on record, in place of the first."""
        meant = digest(what.message)
        action_id = f"{what.turn.action_id}{_DRAFT}{meant[:16]}"
        payload = {"message_id": what.message.message_id, "digest": meant}
        return Intent(action_id, self.kind, _drafts_key(what.turn.run_thread_id), payload, what.turn.doer)

    async def do(self, what: Proposal) -> dict[str, Any]:
        """Save it, in the place of the one that it revises."""
        instead_of = what.there or await self._revised(what.turn.previous)
        what.written.append(await self._write(what.message, instead_of))
        return {"draft_id": what.written[-1].id, "digest": digest(what.written[-1].message)}

    async def found(self, what: Proposal) -> Reconciled:
        """It lies there, as `save` has found."""
        there = what.there
        if there is None or digest(there.message) != digest(what.message):
            return NotHappened()
        return Happened({"draft_id": there.id, "digest": digest(there.message)})

    async def after(self, what: Proposal, result: Mapping[str, Any]) -> Draft:
        """The draft; one that is on record as saved and is not there any more is saved again."""
        if what.written:
            return what.written[-1]
        lies_there = what.there and digest(what.there.message) == digest(what.message)
        return what.there if what.there and lies_there else await self._write(what.message, what.there)

    async def _revised(self, previous: Mapping[str, Any] | None) -> Draft | None:
        """The draft that this one revises; None when there is none, or a person changed it."""
        return await self.untouched(LetterDetails.of(Action.from_json(previous))) if previous else None

    async def _write(self, message: OutgoingMessage, instead_of: Draft | None) -> Draft:
        if instead_of:
            try:
                return await self.mailbox.save_draft(message, replaces=instead_of.id)
            except NotFoundError:
                pass  # Deleted meanwhile: the new draft is saved as a new one.
        return await self.mailbox.save_draft(message)

    async def of(self, run_thread_id: str) -> Sequence[OutboxRow]:
        """The rows of a run thread's drafts."""
        return await self.outbox.find(_drafts_key(run_thread_id), DRAFT_KIND)

    async def current(self, draft_id: str, message_id: str) -> Draft | None:
        """The draft as it is now, found by its id or its Message-ID; None when it is gone."""
        return (draft_id and await self.mailbox.draft(draft_id)) or await self.mailbox.find_draft(message_id)

    async def untouched(self, letter: LetterDetails) -> Draft | None:
        """The letter's draft as it is now; None when it is gone, or a person has changed it in the mailbox."""
        draft = await self.current(letter.draft_id, letter.message.message_id)
        return draft if draft and digest(draft.message) == letter.digest else None


def reply_key(mailbox: str, answered: Message) -> str:
    """The subject of a reply in the outbox: the message that it answers, whoever does."""
    return subject_key("reply", message_key(mailbox, answered))


def digest(message: OutgoingMessage) -> str:
    """A digest of what readers would notice a change of: recipients, subject, text, and what comes with the message for the calendar."""
    recipients = "|".join(sorted(a.key for a in (*message.to, *message.cc)))
    text = "\n".join(line.rstrip() for line in message.body.strip().splitlines())
    hidden = "|".join(sorted(a.key for a in message.bcc))
    # A message without these has the digest that it had before there were any: drafts outlive an update.
    parts = [recipients, message.subject.strip(), text, *filter(None, [message.calendar.strip(), hidden])]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _ours(row: OutboxRow, sending: OutboxRow | None = None) -> frozenset[str]:
    """The digests of what was written under this row, and of what was saved over it to be sent."""
    written = (row.payload.get("digest"), result_of(row.result).get("digest"))
    return frozenset(str(d) for d in (*written, sending and sending.payload.get("digest")) if d)


def _drafts_key(run_thread_id: str) -> str:
    return f"drafts:{bounded(run_thread_id)}"
