"""`send_email` and `compose_email`."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from pydantic import Field

from email_assistant.clock import now_for
from email_assistant.errors import InputError
from email_assistant.facts.fact import Source
from email_assistant.mail import conversation
from email_assistant.mail.address import parse_recipients
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import OutgoingMessage
from email_assistant.models.offline.offers import not_understood
from email_assistant.models.offline.reply import with_words
from email_assistant.models.offline.wanted import TIME, without_quotes
from email_assistant.review.action import Action, Problem, Risk
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, QueueSection, declare
from email_assistant.tools.draft_check import TimesInDraft, found_nowhere, warnings_about_recipients
from email_assistant.tools.filling import Filled
from email_assistant.tools.outgoing import unanswered_since
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import Arguments, AskAgain, Done, Turn, words_put_in

REPLY = declare(
    CardKind(
        "send_email",
        EVERY_ANSWER,
        "Send reply to ",
        "{who} {wants}",
        noun="Reply",
        section=QueueSection.REPLIES,
        confirm="once",
        held=True,
        draws="letter",
        button="Send to {recipients}",
        lesson="response_preferences",
        outcome="replied",
        done="sent",
        underway="goes out",
        goes_when_answered=True,
    )
)
NEW_MAIL = declare(
    CardKind(
        "compose_email",
        EVERY_ANSWER,
        "Send email to ",
        "{who} {wants}; this mail is written about it.",
        noun="New mail",
        section=QueueSection.REPLIES,
        confirm="once",
        held=True,
        draws="letter",
        button="Send to {recipients}",
        lesson="response_preferences",
        outcome="written",
        done="sent",
        underway="goes out",
    )
)
SENDER_ALONE = "The mail names you neither in To nor in Cc, so this answers the sender alone."
NOT_THE_LIST = "Nobody else on the list gets it."


class SendEmailArguments(Arguments):
    """What the model may choose about a reply; recipients, subject and threading come from the conversation."""

    body: str = Field(min_length=1, description="The whole text of the reply, with greeting and sign-off.")
    reply_all: bool = Field(True, description="Answer everyone on the message, or its sender only.")
    additional_recipients: list[str] = Field(
        default_factory=list, description="Further addresses, only when the user asked for them."
    )


class ComposeEmailArguments(Arguments):
    """A new message outside the conversation."""

    to: str = Field(min_length=3, description="Recipients' addresses, separated by commas.")
    subject: str = Field(min_length=1)
    body: str = Field(min_length=1)


@dataclass(frozen=True)
class MailTool:
    """The common part of what sends a mail; the draft's life is `Sending`'s."""

    sending: Sending
    name: ClassVar[str]
    card: ClassVar[CardKind]

    @property
    def effect(self) -> Sending:
        """What of it is done."""
        return self.sending

    async def _propose(self, turn: Turn, message: OutgoingMessage, card: CardKind) -> Action | Done:
        filling = self.sending.filling
        filled = await filling.fill(message.body, turn) if filling else Filled(message.body)
        said = turn.ignored_words
        message = replace(message, body=await asyncio.to_thread(with_words, filled.text, said))
        ours = tuple(Source("what you said", each, "ours") for each in said)
        turn = replace(turn, sources=(*turn.sources, *filled.sources, *ours))
        times = await self._times(message, turn)
        warnings = (
            *(words_put_in(turn) or _unchanged(message, turn)),
            *await warnings_about_recipients(
                message, turn, self.sending.correspondents, self.sending.mailbox.name
            ),
            *await self._found_nowhere(message, turn, times),
        )
        proposed = await self.sending.propose(turn, message, kind=card, warnings=warnings, times=times)
        now = self.sending.clock.now()
        if not isinstance(proposed, Action):
            return proposed
        times_offered = self.sending.offers if TIME in proposed.gaps else None
        offers = await times_offered(turn) if times_offered else ()
        proposed = replace(proposed, offers=(*filled.offers, *offers))
        return filled.on_card(proposed, turn.user.timezone, now)

    async def _times(self, message: OutgoingMessage, turn: Turn) -> TimesInDraft | None:
        people = {each.key for each in (*message.to, *message.cc)}
        agenda = self.sending.agenda
        text = await asyncio.to_thread(without_quotes, message.body, turn.conversation.current)
        return await agenda.of_reply(text, turn.conversation, people) if agenda else None

    async def _found_nowhere(
        self, message: OutgoingMessage, turn: Turn, times: TimesInDraft | None
    ) -> tuple[str, ...]:
        if turn.is_checked:
            return ()
        now = now_for(self.sending.read_by, turn.conversation.arrived)
        rests_on = tuple(times.source(now)) if times else ()
        text = await asyncio.to_thread(without_quotes, message.body, turn.conversation.current)
        return await found_nowhere(text, replace(turn, sources=(*turn.sources, *rests_on)), now)

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """See `Sending.revise`."""
        return await self.sending.revise(action, edited)

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """See `Sending.perform`."""
        return await self.sending.perform(action, acknowledged=acknowledged)

    async def discard(self, action: Action) -> None:
        """See `Sending.discard`."""
        await self.sending.discard(action)

    def feedback(self, text: str) -> str:
        """Feedback on the draft."""
        return f"Not sent. The user wants the draft changed: {text}\nWrite it anew with {self.name}."


@dataclass(frozen=True)
class SendEmail(MailTool):
    """Answers the current message, in its conversation."""

    name: ClassVar[str] = REPLY.name
    card: ClassVar[CardKind] = REPLY
    description: ClassVar[str] = "Reply to the current message."
    arguments: ClassVar[type[Arguments]] = SendEmailArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    async def prepare(self, args: SendEmailArguments, turn: Turn) -> Action | Done:
        """Resolve recipients, subject and threading from the conversation and save the draft."""
        extra = parse_recipients(", ".join(args.additional_recipients))
        current = turn.conversation.current
        is_own = current.sender.key in turn.user.own
        if is_own and not current.sent:
            raise InputError(
                f"The message is from your own address {current.sender.email}: nobody answers themselves."
            )
        message = conversation.reply(
            current,
            sender=turn.sender,
            own=turn.user.own,
            body=args.body,
            message_id=message_id(turn),
            reply_all=args.reply_all,
            additional=extra,
        )
        if not message.to and not message.cc:
            raise InputError("There is nobody to reply to: the message has no usable sender address.")
        if all(one.key in turn.user.own for one in (*message.to, *message.cc)):
            raise InputError("There is nobody to reply to: the answer would go to your own address alone.")
        proposed = await self._propose(turn, message, NEW_MAIL if is_own else self.card)
        if is_own and isinstance(proposed, Action):
            since = unanswered_since(current, turn.user.own, turn.user.timezone)
            return replace(proposed, headline=f"{since}: {{gist}}")
        now = now_for(self.sending.read_by, turn.conversation.arrived)
        text = not_understood(turn.conversation, now=now, timezone=turn.user.timezone)
        if text and isinstance(proposed, Action):
            proposed = replace(proposed, warnings=(*proposed.warnings, text))
        if isinstance(proposed, Action) and args.reply_all and not conversation.names(current, turn.user.own):
            text = f"{SENDER_ALONE} {NOT_THE_LIST}" if bulk_of(current).is_list else SENDER_ALONE
            return replace(proposed, effects=(*proposed.effects, text))
        return proposed


@dataclass(frozen=True)
class ComposeEmail(MailTool):
    """Writes to somebody outside the conversation."""

    name: ClassVar[str] = NEW_MAIL.name
    card: ClassVar[CardKind] = NEW_MAIL
    description: ClassVar[str] = "Write a new message outside this conversation."
    arguments: ClassVar[type[Arguments]] = ComposeEmailArguments
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    async def prepare(self, args: ComposeEmailArguments, turn: Turn) -> Action | Done:
        """Check the recipients and save the draft."""
        to = parse_recipients(args.to)
        if not to:
            raise InputError("compose_email: to names nobody")
        message = conversation.new_mail(
            sender=turn.user.sender, to=to, subject=args.subject, body=args.body, message_id=message_id(turn)
        )
        return await self._propose(turn, message, self.card)


def message_id(turn: Turn) -> str:
    """A Message-ID that is the same whenever this turn is replayed (RFC 5322 §3.6.4), so a repeat is recognised."""
    key = hashlib.sha256(turn.action_id.encode()).hexdigest()[:32]
    return f"<{key}@{turn.user.address.domain or 'localhost'}>"


def _unchanged(message: OutgoingMessage, turn: Turn) -> tuple[str, ...]:
    """A warning where the text is that of the draft which was sent back."""
    before = (turn.previous or {}).get("args", {}).get("body")
    return (
        ("The text is the same as in the draft before: edit it yourself.",) if before == message.body else ()
    )
