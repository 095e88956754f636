"""The mailings by what became of them, in the words of the user: left, asked, failed, kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from email_assistant.effects.outbox import Outbox, OutboxStatus
from email_assistant.mail.mailbox import Mailbox
from email_assistant.workflows.inbox_organizer.records.subscription import (
    MAILTO,
    Subscription,
    SubscriptionState,
)
from email_assistant.workflows.inbox_organizer.records.subscriptions import Subscriptions
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribe_mail import KIND as MAIL_KIND
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribe_mail import leaving_subject

KIND = "unsubscribe"
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
    """Why leaving it has failed; "" when it has not."""
    next: str = ""
    """What is left to the user; "" when nothing is."""


@dataclass(frozen=True)
class Mailings:
    """Reads what is on record of the mailbox's mailings, and of the requests to leave them."""

    mailbox: Mailbox
    subscriptions: Subscriptions
    outbox: Outbox

    async def all(self) -> list[Mailing]:
        """Every mailing, the one with most mail first."""
        found = await self.subscriptions.with_state(self.mailbox.name, limit=MAX_LISTED)
        failures = await self._failures()
        return [self._mailing(one, failures) for one in found]

    async def failure(self, key: str) -> str:
        """Why the last request to leave the mailing has failed, or "" when it did not."""
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
