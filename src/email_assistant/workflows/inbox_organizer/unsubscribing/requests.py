"""Requests to leave mailings: those by a mail, and what became of all.

The mail is saved as a draft, exactly once. Sending it is the user's, so nothing here sends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from email_assistant.effects.intent import Intent, bounded
from email_assistant.effects.once import Effect
from email_assistant.effects.outbox import Happened, NotHappened, Outbox, Reconciled
from email_assistant.journal.mailboxes import Correspondents
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.mail.address import Address
from email_assistant.mail.authenticity import Sought
from email_assistant.mail.conversation import new_mail
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.message import Draft, Message, OutgoingMessage
from email_assistant.workflows.inbox_organizer.records.subscriptions import (
    MAILTO,
    Subscription,
    Subscriptions,
    SubscriptionState,
)
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import Unsubscribe
from email_assistant.workflows.inbox_organizer.unsubscribing.uris import not_the_lists, without_tag

if TYPE_CHECKING:  # Slow to import.
    from email_assistant.tools.tool import Turn

MAIL_KIND, KIND = "unsubscribe_draft", "unsubscribe"
"""The effects that leave a list: by a mail, and by one click."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """A list that is to be left, by which approved action, and how."""

    action_id: str
    key: str
    mail: Mapping[str, str] | None = None
    """The mail that asks it to stop, as JSON."""
    url: str = ""
    """Or where it is asked with one click."""

    def intent(self, mailbox: str, kind: str) -> Intent:
        """Of either way: once for each action and list."""
        payload = {"list": self.key} | ({"mail": dict(self.mail)} if self.mail else {})
        action_id = f"{self.action_id}:{bounded(self.key)}"
        return Intent(action_id, kind, leaving_subject(mailbox, self.key), payload)


@dataclass(frozen=True)
class UnsubscribeMails(Effect[Leaving, None]):
    """The mails that ask lists to stop, on record in the outbox; unlike replies that wait they are never swept."""

    mailbox: Mailbox
    outbox: Outbox
    correspondents: Correspondents
    kind: ClassVar[str] = MAIL_KIND

    async def resolve(
        self, key: str, message: Message, offer: Unsubscribe, turn: Turn
    ) -> Mapping[str, str] | None:
        """The mail that the message's list wants, as JSON; None when the user must not be made to write there."""
        from email_assistant.tools.mail_tools import message_id

        mail, user = offer.mailto, turn.user
        if mail is None or not user.address.email:
            return None
        refused = await asyncio.to_thread(
            not_the_lists, mail.address, message, own=user.own | {user.address.key}, signers=offer.signers
        )
        if refused or await self._is_persons(key, mail.address):
            return None
        # The list's key makes one id of each list on the card, the same in every replay.
        for_list = replace(turn, tool_call_id=f"{turn.tool_call_id}:{bounded(key)}")
        return {
            "to": mail.address,
            "subject": mail.subject,
            "body": mail.body,
            "sender": turn.sender.email,
            "sender_name": turn.sender.name,
            "message_id": message_id(for_list),
        }

    def intent(self, what: Leaving) -> Intent:
        """Once for each action and list."""
        return what.intent(self.mailbox.name, self.kind)

    async def do(self, what: Leaving) -> dict[str, Any]:
        """Save the mail as a draft."""
        return {"list": what.key, "draft_id": (await self.mailbox.save_draft(_outgoing(what))).id}

    async def found(self, what: Leaving) -> Reconciled:
        """Among the drafts or the sent ones: the user may have been quicker."""
        message_id = (what.mail or {})["message_id"]
        draft = await self.mailbox.find_draft(message_id)
        if draft or await self.mailbox.find_sent(message_id):
            return Happened({"list": what.key, "draft_id": draft.id if draft else ""})
        return NotHappened()

    async def after(self, what: Leaving, result: Mapping[str, Any]) -> None:
        """Sending it is the user's."""

    async def waiting(self, key: str) -> Draft | None:
        """The list's last mail, if it still lies among the drafts."""
        rows = [row for row in await self._rows(key) if row.status is not OutboxStatus.failed]
        if not rows:
            return None
        draft = await self.mailbox.find_draft(str(rows[-1].payload["mail"]["message_id"]))
        if draft and rows[-1].status is OutboxStatus.started:
            await self.outbox.happened(rows[-1].action_id, {"list": key, "draft_id": draft.id})
        return draft

    async def _is_persons(self, key: str, address: str) -> bool:
        """Whether the user has written there, other than to leave this very list."""
        own_mails = {row.payload["mail"]["to"].lower() for row in await self._rows(key)}
        for each in {address.lower(), without_tag(address.lower())} - own_mails:
            known = await self.correspondents.known(self.mailbox.name, Sought(each, "", ()))
            if known.sender is not None:
                return True
        return False

    async def _rows(self, key: str) -> list[OutboxRow]:
        return await self.outbox.find(leaving_subject(self.mailbox.name, key), MAIL_KIND)


def leaving_subject(mailbox: str, key: str) -> str:
    """Under which subject the outbox has the requests to leave a list."""
    return f"unsubscribe:{bounded(mailbox)}:{bounded(key)}"


def mail_line(mail: Mapping[str, str]) -> str:
    """All of the mail in one clause, for the card."""
    text = f" and the text “{' / '.join(mail['body'].splitlines())}”" if mail["body"] else ""
    subject = f"the subject “{mail['subject']}”" if mail["subject"] else "no subject"
    return f"a mail to {mail['to']} with {subject}{text} is saved as a draft for you to send"


def _outgoing(what: Leaving) -> OutgoingMessage:
    mail = what.mail or {}
    return new_mail(
        sender=Address(mail["sender"], mail["sender_name"]),
        to=[Address(mail["to"])],
        subject=mail["subject"],
        body=mail["body"],
        message_id=mail["message_id"],
    )


MAX_LISTED = 1_000

MailingState = Literal["left", "asked", "failed", "kept", "card waits", "comes in"]
_STATES: dict[SubscriptionState, MailingState] = {
    SubscriptionState.unsubscribed: "left",
    SubscriptionState.requested: "asked",
    SubscriptionState.kept: "kept",
    SubscriptionState.recommended: "card waits",
    SubscriptionState.active: "comes in",
}
BY_HAND = "leave it by the link in its latest mail; else you are asked again when more of it comes"


@dataclass(frozen=True, slots=True)
class Mailing:
    """One mailing."""

    key: str
    name: str
    state: MailingState
    messages: int
    last_at: datetime
    reason: str = ""
    """The reason why leaving it has failed; "" when it has not."""
    next: str = ""
    """The user's next step; "" when nothing is."""


@dataclass(frozen=True)
class Mailings:
    """Reads what is on record of the mailbox's mailings, and of the requests to leave them."""

    mailbox: Mailbox
    subscriptions: Subscriptions
    outbox: Outbox

    async def all(self) -> list[Mailing]:
        """Every mailing, the one with most mail first."""
        found = await self.subscriptions.all(self.mailbox.name, MAX_LISTED)
        failures = await self._failures()
        return [self._mailing(one, failures) for one in found]

    async def failure(self, key: str) -> str:
        """The reason why the last request to leave the mailing has failed, or "" when it did not."""
        return (await self._failures()).get(leaving_subject(self.mailbox.name, key), "")

    async def _failures(self) -> dict[str, str]:
        """The reason, by subject, where the last request has failed."""
        rows = await self.outbox.of_kinds(KIND, MAIL_KIND)
        last = {row.subject_key: row for row in sorted(rows, key=lambda row: row.updated_at)}
        return {key: row.reason for key, row in last.items() if row.status is OutboxStatus.failed}

    def _mailing(self, one: Subscription, failures: Mapping[str, str]) -> Mailing:
        state, reason, todo = _STATES[one.state], "", ""
        if one.state is SubscriptionState.active:
            reason = failures.get(leaving_subject(self.mailbox.name, one.list_key), "")
        if reason:
            state, todo = "failed", BY_HAND
        elif one.state is SubscriptionState.requested and one.method == MAILTO:
            todo = "send the draft that asks it to stop, unless you have"
        elif one.still_coming:
            todo = "mail still comes although it was asked to stop: you are asked again"
        return Mailing(one.list_key, one.name or one.sender, state, one.messages, one.last_at, reason, todo)
