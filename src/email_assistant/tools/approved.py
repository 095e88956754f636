"""An effect that a person has approved: asked about once more where something has happened since, done once, told.

Drafts in the mailbox while they wait: one a proposal, replaced on feedback, deleted when nobody wants them.

A draft that a person changed in the mailbox is never overwritten or deleted.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from email_assistant.effects.outbox import (
    Effect,
    Happened,
    NotHappened,
    Outbox,
    Reconciled,
    perform_once,
    recorded_once,
    result_of,
)
from email_assistant.effects.store import (
    ActionChangedError,
    DoneElsewhereError,
    Intent,
    UnresolvedEffectError,
    bounded,
    subject_key,
)
from email_assistant.errors import InputError, NotFoundError
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Draft, Message, OutgoingMessage, message_key
from email_assistant.review.action import Action
from email_assistant.tools.outgoing import (
    MAX_TOLD,
    Concern,
    LetterDetails,
    Wording,
    accepted_in,
    asked_about,
    earlier_concerns,
    forgotten,
    others,
    sentence,
)
from email_assistant.tools.tool import AskAgain, Done, Turn, called


class ApprovedEffect(Effect[Action, Done], ABC):
    """An effect of a tool or of a calendar's card, with an `Action` that names its subject (`subject_key`)."""

    outbox: Outbox
    wording: ClassVar[Wording]
    """The sentences about earlier ones."""
    claims_subject: ClassVar[bool]
    """Whether of all work on one subject one is done and the others are asked about; not so of what may be repeated."""

    @property
    def effect(self) -> "ApprovedEffect":
        """Itself: what of a tool is done."""
        return self

    def is_again(self, action: Action, row: OutboxRow) -> bool:
        """Whether the action would repeat what its run has done, so that nobody is asked about it."""
        return (row.kind, row.subject_key) == (self.kind, action.subject_key)

    @abstractmethod
    def payload(self, action: Action) -> Mapping[str, Any]:
        """The effect as the outbox compares it, without what else its card said of it."""

    @abstractmethod
    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> Done | AskAgain | None:
        """The question to the person before it is begun, or that there is nothing to do; `rows` are of its subject."""

    async def ask_begun(self, action: Action) -> AskAgain | None:
        """The question to the person before one that was begun goes on."""
        return None

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Do exactly what was reviewed, once; what stands in its way is asked about."""
        action, row, rows = await self.outbox.in_one_read(lambda: self._on_record(action))
        again: Done | AskAgain | None = None
        if row is None:
            again = await self.ask_first(action, rows, acknowledged)
        elif row.status is not OutboxStatus.done:
            again = await self.ask_begun(action)
        if again:
            return again
        accepted = accepted_in(acknowledged) if self.claims_subject else None
        try:
            result = await recorded_once(self.outbox, self, action, accepted)
        except DoneElsewhereError as error:
            return asked_about(action, self.earlier(action, error.rows), ()) or asked_anew(action, error)
        except InputError as error:
            return AskAgain(action, f"It cannot be done: {error}.")
        except ActionChangedError as error:
            return await self._done_otherwise(action) or asked_anew(action, error)
        except UnresolvedEffectError as error:
            return asked_anew(action, error)
        return await self.after(action, result)

    async def discard(self, action: Action) -> None:
        """Nothing was left behind by proposing it."""

    def intent(self, action: Action) -> Intent:
        """The action's id, about its subject."""
        return Intent(action.id, self.kind, action.subject_key, self.payload(action), action.doer)

    def earlier(self, action: Action, rows: Sequence[OutboxRow]) -> list[Concern]:
        """Concerns about other work on the action's subject."""
        return earlier_concerns(rows, action, self.wording_for(action.subject_key))

    def sentences(self, rows: Sequence[OutboxRow], turn: Turn) -> tuple[str, ...]:
        """The same for the card, the latest of it."""
        return tuple(
            sentence(row, self.wording_for(row.subject_key), turn.user.timezone)
            for row in others(rows, turn)[-MAX_TOLD:]
        )

    def wording_for(self, subject_key: str) -> Wording:
        """The sentences about earlier ones on this subject."""
        return self.wording

    def recorded(self, row: OutboxRow) -> Action:
        """The approved action, as far as the outbox keeps it."""
        args, details = row.payload.get("args", {}), row.payload.get("details", {})
        return Action(
            row.action_id,
            called(row.action_id),
            row.kind,
            "",
            args,
            details,
            subject_key=row.subject_key,
            doer=row.doer,
        )

    def approved_then(self, action: Action, row: OutboxRow) -> Action:
        """The action that was approved before under the id that this one has now."""
        return self.recorded(row)

    async def look_up(
        self, subject_key: str, turn: Turn, rows: Sequence[OutboxRow] | None = None
    ) -> Sequence[OutboxRow]:
        """The rows of the subject, after a look at what was begun and came to no end that anybody saw."""
        found = await self.outbox.find(subject_key, self.kind) if rows is None else rows
        begun = [
            r for r in found if r.status is OutboxStatus.started and r.action_id not in turn.known_actions
        ]
        for row in begun:
            match await self.found(self.recorded(row)):
                case Happened(result):
                    await self.outbox.happened(row.action_id, result)
                case NotHappened() if forgotten(row, turn):  # Another run thread may be at it at this moment.
                    await self.outbox.did_not_happen(row.action_id)
        return await self.outbox.find(subject_key, self.kind) if begun else found

    async def done_before(self, rows: Sequence[OutboxRow], turn: Turn) -> list[OutboxRow]:
        """Rows of what this run thread has done, approved, and does not remember; what follows it is made up for."""
        done = [row for row in rows if row.status is OutboxStatus.done and forgotten(row, turn)]
        for row in done:
            await self.after(self.recorded(row), result_of(row.result))
        return done

    async def _on_record(self, action: Action) -> tuple[Action, OutboxRow | None, Sequence[OutboxRow]]:
        """The action with its row, and what was done on its subject; after a try that failed it is another action."""
        row = await self.outbox.get(action.id)
        while row is not None and row.status is OutboxStatus.failed:
            action = action.renewed()
            row = await self.outbox.get(action.id)
        return action, row, await self.outbox.find(action.subject_key, self.kind)

    async def _done_otherwise(self, action: Action) -> Done | None:
        """The result of what was done under the action's id with other details, by a run that was lost; None when it was not."""
        row = await self.outbox.get(action.id)
        earlier = self.approved_then(action, row) if row else None
        found = await self.found(earlier) if earlier else NotHappened()
        if earlier is None or not isinstance(found, Happened):
            return None
        await self.outbox.happened(earlier.id, found.result)
        done = await self.after(earlier, result_of(found.result))
        return Done(f"Done already by an earlier try, as it was shown then. {done.text}", True)


def asked_anew(action: Action, error: Exception) -> AskAgain:
    """The card of what an earlier try may have done, or has done otherwise: accepted again it is another effect."""
    return AskAgain(
        action.renewed(),
        f"An earlier try did not come to its end ({error}). Look what was done; accept to do this one.",
    )


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
