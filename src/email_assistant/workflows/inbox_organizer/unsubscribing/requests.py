"""Requests to leave mailings, and what became of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Self

from email_assistant.app.accounts import mailbox_of
from email_assistant.app.journal import JournalDeps
from email_assistant.effects.outbox import Outbox
from email_assistant.effects.store import bounded
from email_assistant.journal.records import OutboxStatus
from email_assistant.mail.mailbox import Mailbox
from email_assistant.workflows.inbox_organizer.records.subscriptions import (
    Subscription,
    Subscriptions,
    SubscriptionState,
)

KIND = "unsubscribe"
"""The effect that leaves a list."""


def leaving_subject(mailbox: str, key: str) -> str:
    """Under which subject the outbox has the requests to leave a list."""
    return f"unsubscribe:{bounded(mailbox)}:{bounded(key)}"


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

    @classmethod
    def of(cls, deps: JournalDeps) -> Self:
        """Those of the user's mailbox."""
        return cls(mailbox_of(deps), Subscriptions(deps.database, deps.clock), deps.outbox)

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
        rows = await self.outbox.of_kinds(KIND)
        last = {row.subject_key: row for row in sorted(rows, key=lambda row: row.updated_at)}
        return {key: row.reason for key, row in last.items() if row.status is OutboxStatus.failed}

    def _mailing(self, one: Subscription, failures: Mapping[str, str]) -> Mailing:
        state, reason, todo = _STATES[one.state], "", ""
        if one.state is SubscriptionState.active:
            reason = failures.get(leaving_subject(self.mailbox.name, one.list_key), "")
        if reason:
            state, todo = "failed", BY_HAND
        elif one.still_coming:
            todo = "mail still comes although it was asked to stop: you are asked again"
        return Mailing(one.list_key, one.name or one.sender, state, one.messages, one.last_at, reason, todo)
