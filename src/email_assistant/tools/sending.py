"""Sending, shared by the tools that do: a draft in the mailbox, reviewed, then sent exactly once."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import structlog

from email_assistant.clock import Clock, now_for
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Reconciled, Unknown
from email_assistant.effects.store import subject_key as key_of
from email_assistant.errors import InputError, UncertainError
from email_assistant.facts.fact import gaps_of
from email_assistant.journal.mailboxes import Correspondents
from email_assistant.journal.records import OutboxRow
from email_assistant.mail.address import Address, format_addresses, parse_recipients
from email_assistant.mail.conversation import answers, since
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Draft, OutgoingMessage, message_key
from email_assistant.mail.wire import to_bytes
from email_assistant.models.offline import words
from email_assistant.models.offline.asks import MAX_LENGTH
from email_assistant.models.offline.wanted import asked_first, points_of, wanted_by
from email_assistant.review.action import Action, GapOffer, Problem
from email_assistant.review.card import title
from email_assistant.review.kinds import CardKind, kind_of
from email_assistant.tools.approved import ApprovedEffect
from email_assistant.tools.concerns import (
    Concern,
    Wording,
    asked_about,
    conversation_with,
    elsewhere_concerns,
    until_complete,
    written_elsewhere,
)
from email_assistant.tools.draft_check import Agenda, TimesInDraft
from email_assistant.tools.drafts import SENT_KIND, Drafts, digest, reply_key
from email_assistant.tools.filling import Filling
from email_assistant.tools.outgoing import (
    LetterDetails,
    addressed,
    answered_by,
    gap_warnings,
    outgoing,
    read_texts,
    shown_fields,
)
from email_assistant.tools.tool import AskAgain, Done, Turn

log = structlog.get_logger(__name__)
NEW = "new:"
"""Begins the subject in the outbox of a mail that answers none."""
REPLIED = Wording(
    "A reply to this message was sent",
    "A reply to this message was begun, and nobody knows yet whether it went out,",
    "send this one as well",
    lambda row: f"“{row.payload['args']['body']}”",
)
WRITTEN = Wording(
    "A message to the same people under the same subject was sent",
    "A message to the same people under the same subject was begun, and nobody knows yet whether it went out,",
    "send this one as well",
    lambda row: f"“{row.payload['args']['body']}”",
)


LEFT = "Nothing is sent from here: send the draft in your mailbox."


class Offers(Protocol):
    """Tells what the gap for a time to meet may be filled with."""

    async def __call__(self, turn: Turn) -> tuple[GapOffer, ...]:
        """In a letter in answer to the turn's mail."""
        ...


@dataclass(frozen=True)
class Sending(ApprovedEffect):
    """The draft's life from proposal to Sent, which both sending tools share."""

    mailbox: Mailbox
    outbox: Outbox
    correspondents: Correspondents
    clock: Clock
    agenda: Agenda | None = None
    """The calendar that the times of a text are held against; None where nobody has one."""
    filling: Filling | None = None
    """Fills gaps with what the user said before, and keeps what the user fills in."""
    offers: Offers | None = None
    """None where nobody has a calendar."""
    kind: ClassVar[str] = SENT_KIND
    wording: ClassVar[Wording] = REPLIED
    claims_subject: ClassVar[bool] = True

    @property
    def read_by(self) -> Clock:
        """The clock that mail and meetings are read by."""
        return self.agenda.clock if self.agenda else self.clock

    @property
    def drafts(self) -> Drafts:
        """The drafts that wait in the mailbox."""
        return Drafts(self.mailbox, self.outbox)

    async def propose(
        self,
        turn: Turn,
        message: OutgoingMessage,
        *,
        kind: CardKind,
        warnings: tuple[str, ...],
        times: TimesInDraft | None = None,
    ) -> Action | Done:
        """Save the message as a draft and resolve the action that would send it; `times` are those that its text names."""
        subject_key = self._subject_key(turn, message)
        rows, drafts = await self._found(subject_key, turn)
        if sent := await self.done_before(rows, turn):
            message_id = LetterDetails.of_row(sent[0]).message.message_id
            return Done(
                f"This was sent already, approved earlier (Message-ID {message_id}). Do not send it again.",
                True,
            )
        before = self.sentences(rows, turn)
        draft, untouched = await self.drafts.save(message, turn, drafts)
        wanted, message = message.sender, replace(message, sender=draft.message.sender)
        about = await asyncio.to_thread(_answered_in_short, turn) if message.in_reply_to else message.subject
        quoted = [each for each in await asyncio.to_thread(_asked, turn) if each in message.body]
        shown = shown_fields(message)
        gaps = await asyncio.to_thread(gaps_of, read_texts(shown), turn.conversation.words)
        current = turn.conversation.current
        details = LetterDetails(
            replace(message, to=(), cc=(), bcc=(), subject="", body=""),
            based_on=current.id,
            draft_id=draft.id,
            digest=untouched,
            about=about,
            answered_date=current.date,
            own=tuple(sorted(turn.user.own)),
            read=tuple(each.id for each in turn.conversation.earlier),
            before=before,
            quoted=tuple(quoted),
            times_taken=tuple(times.keys) if times else None,
        )
        times = times or TimesInDraft()
        warnings = (*warnings, *times.warnings())
        effects = _sent_from(wanted, message.sender, turn) if self.mailbox.sends else (LEFT,)
        return turn.action(
            kind,
            addressed(kind, message, about),
            shown,
            details=details,
            subject_key=subject_key,
            gaps=gaps,
            meeting=times.as_meeting(),
            reasons=times.reasons(),
            effects=effects,
            warnings=(*before, *warnings, *gap_warnings(gaps, shown, current)),
        )

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Check an edit: addresses parse, somebody receives it, there is a body."""
        try:
            message = outgoing(action.with_args({**edited, "subject": edited["subject"].strip()}))
            to_bytes(message, date=self.clock.now())
        except InputError as error:
            return Problem(f"The edit was not taken: {error}")
        if not message.recipients:
            return Problem("The edit was not taken: 'to' names nobody.")
        if not edited["body"].strip():
            return Problem("The edit was not taken: 'body' is empty.")
        return _with_message(action, message)

    def is_again(self, action: Action, row: OutboxRow) -> bool:
        """Another letter about the same message, or a new one to the same people under the same subject or with the same text."""
        if super().is_again(action, row):
            return True
        sent, mine = row.payload.get("args", {}), action.args
        return (
            row.kind == self.kind
            and action.subject_key.startswith(NEW)
            and _people(sent.get("to", "")) == _people(mine["to"])
            and any(
                " ".join(mine[each].split()) == " ".join(sent[each].split()) for each in ("subject", "body")
            )
        )

    def payload(self, action: Action) -> Mapping[str, Any]:
        """The message, and its digest as it lies among the drafts just before it is sent."""
        letter = LetterDetails.of(action)
        kept = LetterDetails(letter.message, letter.based_on)
        return {"args": dict(action.args), "details": kept.as_json(), "digest": digest(outgoing(action))}

    def wording_for(self, subject_key: str) -> Wording:
        """A reply, or a mail that answers none."""
        return WRITTEN if subject_key.startswith(NEW) else REPLIED

    async def do(self, action: Action) -> dict[str, Any]:
        """Send it."""
        message = outgoing(action)
        sent_id = await self._send(LetterDetails.of(action).draft_id, message)
        await self._note(message)
        return {"sent_id": sent_id, "message_id": message.message_id}

    async def whether_sent(self, message_id: str) -> Reconciled:
        """Whether a letter went out: by what is among the sent ones, and by what the mailbox knows of its sending."""
        if sent := await self.mailbox.find_sent(message_id):
            return Happened({"sent_id": sent, "message_id": message_id})
        reason = await self.mailbox.maybe_sent(message_id)
        return Unknown(reason) if reason else NotHappened()

    def in_doubt(self, action: Action, error: UncertainError) -> AskAgain:
        """Sent again it may arrive twice."""
        return AskAgain(
            action.renewed(),
            f"This may have been sent: {error.reason}. If you find that it was, put this card away; accept to send it again, and it may "
            "arrive twice.",
        )

    async def found(self, action: Action) -> Reconciled:
        """It is among the sent ones, or its draft is still there: sending takes that away."""
        message = outgoing(action)
        found = await self.whether_sent(message.message_id)
        if not isinstance(found, NotHappened):
            if isinstance(found, Happened):
                await self._note(message)
            return found
        if await self.drafts.current(LetterDetails.of(action).draft_id, message.message_id):
            return NotHappened()
        return Unknown("the draft is gone and the message is not among the sent ones")

    async def after(self, action: Action, result: Mapping[str, Any]) -> Done:
        """What the user filled in is kept."""
        kept = await self.filling.keep_filled(action) if self.filling else ""
        return Done(f"Sent to {action.args['to']}.{kept} The text as sent:\n{action.args['body']}", True)

    async def _note(self, sent: OutgoingMessage) -> None:
        """Remember whom the user has written to, with the record that the message is out; so nothing that goes wrong here counts."""
        try:
            others = [a for a in sent.recipients if a.key != sent.sender.key]
            await self.correspondents.note_with_next(self.mailbox.name, others)
        except Exception as error:  # noqa: BLE001 - a bug here must not make a sent message look unsent
            log.warning("correspondents_not_noted", reason=type(error).__name__)

    async def discard(self, action: Action) -> None:
        """Delete the waiting draft, unless a person has changed it in the mailbox."""
        if draft := await self.drafts.untouched(LetterDetails.of(action)):
            await self.mailbox.delete_draft(draft.id)

    async def send(self, message: OutgoingMessage) -> str:
        """Send a message that needs no draft for a person to look at, unless it is among the sent ones; the sent message's id.

        An effect of the caller's outbox, so that it happens once.
        """
        sent_id = await self._send("", message)
        await self._note(message)
        return sent_id

    async def _send(self, draft_id: str, message: OutgoingMessage) -> str:
        sent = await self.mailbox.find_sent(message.message_id)
        if sent:
            return sent  # The person sent the draft from the mailbox.
        draft = await self.drafts.current(draft_id, message.message_id)
        # What may be out is another draft when a person has it sent again: each is sent once.
        is_again = draft is not None and await self.mailbox.maybe_sent(message.message_id)
        if draft is None or is_again or digest(draft.message) != digest(message):
            draft = await self.mailbox.save_draft(message, replaces=draft.id if draft else None)
        return await self.mailbox.send_draft(draft.id)

    async def _found(self, subject_key: str, turn: Turn) -> tuple[Sequence[OutboxRow], Sequence[OutboxRow]]:
        """The rows of the subject, after a look at what was begun and came to no end that anybody saw; and those of the drafts."""

        async def read() -> tuple[Sequence[OutboxRow], Sequence[OutboxRow]]:
            sent = await self.outbox.find(subject_key, SENT_KIND)
            return sent, await self.drafts.of(turn.run_thread_id)

        rows, drafts = await self.outbox.in_one_read(read)
        return await self.look_up(subject_key, turn, rows), drafts

    async def ask_first(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        """Concerns about the conversation and the draft since, and about what its readers should not read."""
        letter = LetterDetails.of(action)
        draft = await self.drafts.current(letter.draft_id, letter.message.message_id)
        if draft and digest(draft.message) != letter.digest:
            return self._draft_changed(action, draft)
        if draft is None and await self.mailbox.find_sent(letter.message.message_id):
            return None  # Sent from the mailbox by the person: performing reconciles to done.
        if not self.mailbox.sends:
            return await self._left(action, draft)
        found = [
            *self.earlier(action, rows),
            *await self._meanwhile(action, rows),
        ]
        if times := await self._times(action):
            found += times.concerns(letter.times_taken or ())
        if draft is None:
            text = "The draft was deleted in the mailbox. Accept again to send it all the same."
            found.append(Concern("deleted", text))
        return until_complete(action, asked_about(action, found, acknowledged))

    async def _left(self, action: Action, draft: Draft | None) -> AskAgain:
        """The letter is among the drafts as it was accepted, for a person to send."""
        message = outgoing(action)
        if draft is None or digest(draft.message) != digest(message):
            draft = await self.mailbox.save_draft(message, replaces=draft.id if draft else None)
        letter = replace(LetterDetails.of(action), draft_id=draft.id, digest=digest(draft.message))
        return AskAgain(replace(_with_message(action.renewed(), message), details=letter.as_json()), LEFT)

    async def _times(self, action: Action) -> TimesInDraft | None:
        """The times of the text as it is to be sent, where it or what it answers is about a meeting."""
        letter, text = LetterDetails.of(action), action.args["body"]
        for each in letter.quoted:
            text = text.replace(each, " ")
        if self.agenda is None or (letter.times_taken is None and not words.MEETING.search(text)):
            return None
        message = outgoing(action)
        people = {each.key for each in message.recipients}
        now = now_for(self.read_by, action.arrived)
        return await self.agenda.of_text(text, people, now)

    async def _meanwhile(self, action: Action, rows: Sequence[OutboxRow]) -> list[Concern]:
        """Concerns about newer messages of the conversation: by the user's own hand, and from others."""
        answered = answered_by(action)
        if not answered.mail_thread_id or not answered.id:
            return []
        answered, conversation = await conversation_with(self.mailbox, answered)
        later = since(answered, conversation)
        letter = LetterDetails.of(action)
        ours = {each.message.message_id for each in (letter, *map(LetterDetails.of_row, rows))}
        written = await written_elsewhere(later, self.outbox, ours)
        own = {letter.message.sender.key, *letter.own}
        replies = [each for each in written if answers(each, answered, conversation, own)]
        found = elsewhere_concerns(written, replies, action.timezone)
        new = [each for each in later if not (each.sent or each.sender.key in own or each.id in letter.read)]
        for newer in [each for each in new if not bulk_of(each).is_automatic][-1:]:
            text = f"A newer message from {newer.sender.email} arrived in this conversation. Accept again to send all the same."
            found.append(Concern(f"newer:{newer.id}", text))
        return found

    def _subject_key(self, turn: Turn, message: OutgoingMessage) -> str:
        """The mail's subject in the outbox: the message answered, or the recipients and subject of a new one."""
        current = turn.conversation.current
        if message.in_reply_to or message.mail_thread_id:
            return reply_key(self.mailbox.name, current)
        to = format_addresses(message.to)
        return key_of("new", self.mailbox.name, message_key(self.mailbox.name, current), to, message.subject)

    def _draft_changed(self, action: Action, draft: Draft) -> AskAgain:
        letter = replace(LetterDetails.of(action), digest=digest(draft.message), draft_id=draft.id)
        changed = replace(_with_message(action.renewed(), draft.message), details=letter.as_json())
        return AskAgain(changed, "The draft was changed in the mailbox: this is its text now.")


def _with_message(action: Action, message: OutgoingMessage) -> Action:
    """The action with this message in its fields, and whom it goes to in its title."""
    kind, about = kind_of(action.kind), LetterDetails.of(action).about
    text = title(f"{kind.begins}{addressed(kind, message, about)}")
    return replace(action, args=shown_fields(message), title=text)


def _sent_from(wanted: Address, sender: Address, turn: Turn) -> tuple[str, ...]:
    """From which of the user's addresses the mail goes out, where that is not plain."""
    if wanted.key != sender.key:
        return (
            f"It goes out from {sender.email}: the account may not send as {wanted.email}, which the mail was written to.",
        )
    main = turn.user.address.key
    return (f"It goes out from {sender.email}, which the mail was written to.",) if sender.key != main else ()


def _asked(turn: Turn) -> list[str]:
    """What the message asks, as a letter may repeat it: its words are not the letter's."""
    return [each.asked for each in points_of(turn.conversation.current)]


def _answered_in_short(turn: Turn) -> str:
    """What the message that is answered wants, and by when if that fits into a title; of the user's own what it asks."""
    current = turn.conversation.current
    if current.sent and current.sender.key in turn.user.own:
        return asked_first(current)
    found = wanted_by(current, turn.user.timezone, turn.user.own)
    by = f", {found.by}" if found.by and len(found.gist) + len(found.by) < MAX_LENGTH - 2 else ""
    return f"{found.gist}{by}"


def _people(to: str) -> set[str]:
    return {each.key for each in parse_recipients(to)}
