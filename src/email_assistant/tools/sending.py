"""Sending, shared by the tools that do: a draft in the mailbox, reviewed, then sent exactly once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import structlog

from email_assistant.clock import Clock
from email_assistant.effects.outbox import (
    ActionChangedError,
    DoneElsewhereError,
    Happened,
    NotHappened,
    Outbox,
    OutboxRow,
    OutboxStatus,
    Reconciled,
    Unknown,
    UnresolvedEffectError,
)
from email_assistant.effects.subjects import subject_key as key_of
from email_assistant.errors import InputError, ProviderError, TransientError
from email_assistant.journal.correspondents import Correspondents
from email_assistant.mail.address import Address, format_addresses, parse_recipients
from email_assistant.mail.identity import key_of_id, message_key
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Draft, Message, OutgoingMessage
from email_assistant.mail.threading import answers, base_subject, since
from email_assistant.mail.wire import to_bytes
from email_assistant.models.offline import words
from email_assistant.models.offline.gaps import asked_in
from email_assistant.review.action import Action, Problem
from email_assistant.review.card import title
from email_assistant.review.card_view import gap_line
from email_assistant.review.kinds import CardKind
from email_assistant.tools.concerns import Concern, asked_about, gap_concern, gaps_of
from email_assistant.tools.drafts import SENT_KIND, Drafts, digest, reply_key
from email_assistant.tools.earlier import (
    Told,
    accepted_in,
    asked_again,
    doer_in,
    earlier_concerns,
    forgotten,
    others,
    sentence,
)
from email_assistant.tools.elsewhere import conversation_with, elsewhere_concerns, written_elsewhere
from email_assistant.tools.held_times import HeldTimes
from email_assistant.tools.times_in_draft import Agenda, TimesInDraft, concerns_about
from email_assistant.tools.tool import AskAgain, Done, Turn

log = structlog.get_logger(__name__)
_OF_THE_CARD = frozenset(
    {"draft_id", "digest", "offline", "doer", "timezone", "before", "times_taken", "holds", "answered_date"}
)
"""Facts that may come out otherwise when a card is made again for the same message."""
HOLDS = "When it is sent, these times are held in your calendar until one of them is chosen."
MAX_BEFORE = 3
"""So many earlier replies are told on a card."""
REPLIED = Told(
    "A reply to this message was sent",
    "A reply to this message was begun, and nobody knows yet whether it went out,",
    "send this one as well",
    lambda row: f"“{row.payload['args']['body']}”",
)
WRITTEN = Told(
    "A message to the same people under the same subject was sent",
    "A message to the same people under the same subject was begun, and nobody knows yet whether it went out,",
    "send this one as well",
    lambda row: f"“{row.payload['args']['body']}”",
)


@dataclass(frozen=True)
class Sending:
    """What both sending tools share: the draft's life from proposal to Sent."""

    mailbox: Mailbox
    outbox: Outbox
    correspondents: Correspondents
    clock: Clock
    agenda: Agenda | None = None
    """What the times of a text are held against; None where nobody has a calendar."""
    held: HeldTimes | None = None
    """Keeps the times free that a reply offers; None where the user does not wish it."""

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
        if sent := [row for row in rows if forgotten(row, turn) and row.status is OutboxStatus.done]:
            return Done(
                f"This was sent already, approved earlier (Message-ID {_message_id(sent[0])}). Do not send it again.",
                True,
            )
        before = [
            sentence(row, _told(subject_key), turn.user.timezone) for row in others(rows, turn)[-MAX_BEFORE:]
        ]
        draft, untouched = await self.drafts.save(message, turn, drafts)
        names = ", ".join(map(_called, message.to[:2])) or "nobody"
        found: dict[str, Any] = {"before": before} | ({"times_taken": times.keys} if times else {})
        times = times or TimesInDraft()
        warnings = (*warnings, *times.warnings())
        effects: tuple[str, ...] = ()
        if self.held and message.mail_thread_id and times.is_offer:
            found |= {"holds": True}
            effects = (HOLDS,)
        return Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=kind.name,
            title=title(f"{kind.begins}{names}: {message.subject}"),
            args=_shown(message),
            facts=_facts(message, draft.id, untouched, subject_key, turn) | found,
            revision=turn.revision,
            reasons=times.reasons(),
            effects=effects,
            warnings=(*before, *warnings, *_gaps(_shown(message), turn.conversation.current)),
        )

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Check an edit: addresses parse, somebody receives it, there is a body."""
        try:
            to, cc = parse_recipients(edited["to"]), parse_recipients(edited["cc"])
            message = replace(
                outgoing(action), to=to, cc=cc, subject=edited["subject"].strip(), body=edited["body"]
            )
            to_bytes(message, date=self.clock.now())
        except InputError as error:
            return Problem(f"The edit was not taken: {error}")
        if not to and not cc:
            return Problem("The edit was not taken: 'to' names nobody.")
        if not edited["body"].strip():
            return Problem("The edit was not taken: 'body' is empty.")
        return action.with_args(_shown(message))

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Send what was reviewed, unless the conversation or the draft has changed since."""
        action, row, rows = await self.outbox.in_one_read(lambda: self._on_record(action))
        if row is None and (again := await self._changed_meanwhile(action, rows, acknowledged)):
            return again
        message = outgoing(action)

        async def do() -> dict[str, Any]:
            sent_id = await self._send(action.facts["draft_id"], message)
            await self._note(message)
            return {"sent_id": sent_id, "message_id": message.message_id}

        async def reconcile() -> Reconciled:
            sent = await self.mailbox.find_sent(message.message_id)
            if sent:
                await self._note(message)
                return Happened({"sent_id": sent, "message_id": message.message_id})
            if await self.drafts.current(action.facts["draft_id"], message.message_id):
                return NotHappened()
            return Unknown("the draft is gone and the message is not among the sent ones")

        try:
            await self._perform_once(action, do, reconcile, accepted_in(acknowledged))
        except DoneElsewhereError as error:
            return asked_again(action, error, _told(action.facts["subject_key"]))
        except (ActionChangedError, UnresolvedEffectError) as error:
            return await self._undecided(action, error)
        told = await self._hold(action) if action.facts.get("holds") else ""
        return Done(f"Sent to {action.args['to']}.{told} The text as sent:\n{message.body}", True)

    async def _hold(self, action: Action) -> str:
        """Keep the times free that were offered, in a sentence; the mail is out, whatever becomes of that."""
        times = await self._times(action)
        if times is None or self.held is None:
            return ""
        free = [each.event for each in times.times if each.is_free]
        title = f"Held: {base_subject(action.args['subject'])}"
        try:
            if times.trouble:
                raise ProviderError(times.trouble)
            await self.held.hold(free, action.facts["mail_thread_id"], title, by=action.id)
        except (ProviderError, TransientError) as error:
            return f" The times could not be held in the calendar: {error}"
        return f" Held in the calendar: {len(free)} times." if free else ""

    async def _on_record(self, action: Action) -> tuple[Action, OutboxRow | None, Sequence[OutboxRow]]:
        """The action with its row, and what was done about its subject; after a try that failed it is another action."""
        row = await self.outbox.get(action.id)
        while row is not None and row.status is OutboxStatus.failed:
            action = _next_revision(action)
            row = await self.outbox.get(action.id)
        return action, row, await self.outbox.find(self._current_key(action), SENT_KIND)

    async def _note(self, sent: OutgoingMessage) -> None:
        """Remember whom the user has written to, with the record that the message is out; so nothing that goes wrong here counts."""
        try:
            others = [a for a in (*sent.to, *sent.cc) if a.key != sent.sender.key]
            await self.correspondents.note_with_next(self.mailbox.name, others)
        except Exception as error:  # noqa: BLE001 - a bug here must not make a sent message look unsent
            log.warning("correspondents_not_noted", reason=type(error).__name__)

    async def _perform_once(
        self,
        action: Action,
        do: Callable[[], Awaitable[dict[str, Any]]],
        reconcile: Callable[[], Awaitable[Reconciled]],
        accepted: Sequence[str],
    ) -> None:
        await self.outbox.perform(
            action.id,
            kind=SENT_KIND,
            subject_key=self._current_key(action),
            payload=_effect(action),
            do=do,
            reconcile=reconcile,
            by=doer_in(action),
            accepted=accepted,
        )

    async def _undecided(self, action: Action, error: Exception) -> Done | AskAgain:
        """An earlier try may have sent something: look, and let the human decide about another."""
        if await self.mailbox.find_sent(action.facts["message_id"]):
            return Done("This had been sent already by an earlier try, as it was shown then.", True)
        problem = (
            f"An earlier try did not come to its end ({error}). Look into Sent; accept to send this again."
        )
        return AskAgain(_next_revision(action), problem)

    async def discard(self, action: Action) -> None:
        """Delete the waiting draft, unless a person has changed it in the mailbox."""
        draft = await self.drafts.current(action.facts["draft_id"], action.facts["message_id"])
        if draft and digest(draft.message) == action.facts["digest"]:
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
        if draft is None or digest(draft.message) != digest(message):
            draft = await self.mailbox.save_draft(message, replaces=draft.id if draft else None)
        return await self.mailbox.send_draft(draft.id)

    async def _found(self, subject_key: str, turn: Turn) -> tuple[Sequence[OutboxRow], Sequence[OutboxRow]]:
        """What is on record about the subject, after a look at what was begun and came to no end that anybody saw; and the drafts."""

        async def read() -> tuple[Sequence[OutboxRow], Sequence[OutboxRow]]:
            sent = await self.outbox.find(subject_key, SENT_KIND)
            return sent, await self.drafts.of(turn.run_thread_id)

        rows, drafts = await self.outbox.in_one_read(read)
        begun = [
            r for r in rows if r.status is OutboxStatus.started and r.action_id not in turn.known_actions
        ]
        for row in begun:
            await self._find_out(row, turn)
        return await self.outbox.find(subject_key, SENT_KIND) if begun else rows, drafts

    async def _find_out(self, row: OutboxRow, turn: Turn) -> None:
        message_id = _message_id(row)
        if sent := await self.mailbox.find_sent(message_id):
            await self.outbox.happened(row.action_id, {"sent_id": sent, "message_id": message_id})
        # Sending takes the draft away: it was not sent. Without the draft nobody knows, and it stays begun. Another run
        # thread may be at it at this moment.
        elif forgotten(row, turn) and await self.mailbox.find_draft(message_id):
            await self.outbox.did_not_happen(row.action_id)

    async def _changed_meanwhile(
        self, action: Action, rows: Sequence[OutboxRow], acknowledged: frozenset[str]
    ) -> AskAgain | None:
        draft = await self.drafts.current(action.facts["draft_id"], action.facts["message_id"])
        if draft and digest(draft.message) != action.facts["digest"]:
            return self._draft_changed(action, draft)
        if draft is None and await self.mailbox.find_sent(action.facts["message_id"]):
            return None  # Sent from the mailbox by the person: performing reconciles to done.
        before = earlier_concerns(rows, action, _told(action.facts["subject_key"]))
        found = [
            *before,
            *await self._meanwhile(action, rows),
            *gap_concern(*_words(action.args), done="send it"),
        ]
        found += concerns_about(await self._times(action), action.facts)
        if draft is None:
            text = "The draft was deleted in the mailbox. Accept again to send it all the same."
            found.append(Concern("deleted", text))
        return asked_about(action, found, acknowledged)

    async def _times(self, action: Action) -> TimesInDraft | None:
        """The times of the text as it is to be sent, where it or what it answers is about a meeting."""
        text = action.args["body"]
        if self.agenda is None or not ("times_taken" in action.facts or words.MEETING.search(text)):
            return None
        message = outgoing(action)
        people = {each.key for each in (*message.to, *message.cc)}
        return await self.agenda.of_text(text, people, message.mail_thread_id)

    async def _meanwhile(self, action: Action, rows: Sequence[OutboxRow]) -> list[Concern]:
        """What the conversation has had since the message that is answered: by the user's own hand, and from others."""
        answered = _answered(action)
        if not answered.mail_thread_id or not answered.id:
            return []
        answered, conversation = await conversation_with(self.mailbox, answered)
        later = since(answered, conversation)
        ours = {action.facts["message_id"], *map(_message_id, rows)}
        written = await written_elsewhere(later, self.outbox, ours)
        timezone = str(action.facts.get("timezone") or "UTC")
        own = {action.facts["sender"].lower()}
        replies = [each for each in written if answers(each, answered, conversation, own)]
        found = elsewhere_concerns(written, replies, timezone)
        for newer in [each for each in later if not each.sent and each.sender.key not in own][-1:]:
            text = f"A newer message from {newer.sender.email} arrived in this conversation. Accept again to send all the same."
            found.append(Concern(f"newer:{newer.id}", text))
        return found

    def _subject_key(self, turn: Turn, message: OutgoingMessage) -> str:
        """What the mail is about, in the outbox: the message answered, or the recipients and subject of a new one."""
        current = turn.conversation.current
        if message.in_reply_to or message.mail_thread_id:
            return reply_key(self.mailbox.name, current)
        to = format_addresses(message.to)
        return key_of("new", self.mailbox.name, message_key(self.mailbox.name, current), to, message.subject)

    def _current_key(self, action: Action) -> str:
        """The subject's key; a card that was made before keys went by the message has one by its run thread."""
        key, answered = str(action.facts["subject_key"]), str(action.facts["based_on"])
        is_old = answered and key == f"reply:{doer_in(action).run_thread_id}:{answered}"
        return key_of("reply", key_of_id(self.mailbox.name, answered)) if is_old else key

    def _draft_changed(self, action: Action, draft: Draft) -> AskAgain:
        changed = replace(
            _next_revision(action),
            args=_shown(draft.message),
            facts={**action.facts, "digest": digest(draft.message), "draft_id": draft.id},
        )
        return AskAgain(changed, "The draft was changed in the mailbox: this is its text now.")


def _answered(action: Action) -> Message:
    """The message answered, as far as the action tells of it: it may have been deleted."""
    facts, written = action.facts, str(action.facts.get("answered_date") or "")
    to = parse_recipients(action.args["to"])
    return Message(
        id=facts["based_on"],
        mail_thread_id=facts["mail_thread_id"],
        sender=to[0] if to else Address(""),
        reply_to=to,
        subject="",
        text="",
        date=datetime.fromisoformat(written) if written else None,
        message_id=facts["in_reply_to"],
    )


def _effect(action: Action) -> dict[str, Any]:
    """What sending the action does, as the outbox compares it: the message, not what else its card said of it."""
    about = {name: value for name, value in action.facts.items() if name not in _OF_THE_CARD}
    return {"args": dict(action.args), "facts": about}


def outgoing(action: Action) -> OutgoingMessage:
    """The message an action stands for."""
    return OutgoingMessage(
        sender=Address(action.facts["sender"], action.facts["sender_name"]),
        to=parse_recipients(action.args["to"]),
        cc=parse_recipients(action.args["cc"]),
        subject=action.args["subject"],
        body=action.args["body"],
        message_id=action.facts["message_id"],
        in_reply_to=action.facts["in_reply_to"],
        references=tuple(action.facts["references"]),
        mail_thread_id=action.facts["mail_thread_id"],
    )


def _called(recipient: Address) -> str:
    """The name, unless it could be taken for another address."""
    return recipient.email if "@" in recipient.name else recipient.name or recipient.email


def _shown(message: OutgoingMessage) -> dict[str, str]:
    return {
        "to": format_addresses(message.to),
        "cc": format_addresses(message.cc),
        "subject": message.subject,
        "body": message.body,
    }


def _facts(
    message: OutgoingMessage, draft_id: str, untouched: str, subject_key: str, turn: Turn
) -> dict[str, Any]:
    return {
        "draft_id": draft_id,
        "digest": untouched,
        "message_id": message.message_id,
        "in_reply_to": message.in_reply_to,
        "references": list(message.references),
        "mail_thread_id": message.mail_thread_id,
        "based_on": turn.conversation.current.id,
        "answered_date": date.isoformat() if (date := turn.conversation.current.date) else "",
        "sender": message.sender.email,
        "sender_name": message.sender.name,
        "subject_key": subject_key,
        "doer": asdict(turn.doer),
        "timezone": turn.user.timezone,
    }


def reasons_for_a_person(action: Action) -> tuple[str, ...]:
    """Why a message must not go out unseen, however sure its writer is."""
    if before := action.facts.get("before"):
        return tuple(before)
    if gaps_of(_words(action.args)):
        return ("The text has gaps that only a person can fill.",)
    return ("There is something to look at closely before it is sent.",) if action.warnings else ()


def _words(args: Mapping[str, str]) -> tuple[str, str]:
    """What its readers read."""
    return args["subject"], args["body"]


def _gaps(args: Mapping[str, str], answered: Message) -> tuple[str, ...]:
    """A warning for each place that the writer left for the user to fill, with what of the message it is to answer."""
    return tuple(
        gap_line({"text": gap, "question": asked_in(gap, answered)}) for gap in gaps_of(_words(args))
    )


def _next_revision(action: Action) -> Action:
    revision = action.revision + 1
    return replace(action, id=f"{action.id.rpartition(':')[0]}:{revision}", revision=revision)


def _message_id(row: OutboxRow) -> str:
    return str(row.payload.get("facts", {}).get("message_id", ""))


def _told(subject_key: str) -> Told:
    return WRITTEN if subject_key.startswith("new:") else REPLIED
