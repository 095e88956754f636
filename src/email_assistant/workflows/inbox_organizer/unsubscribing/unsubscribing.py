"""Leaving mailings, several on one card, with one click (RFC 8058) after approval; the card names those that want a mail."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from email_assistant.app.accounts import AccountDeps
from email_assistant.effects.once import Effect, perform_once
from email_assistant.effects.outbox import NotHappened, Outbox, Reconciled
from email_assistant.effects.store import Intent, bounded
from email_assistant.errors import InputError, NotFoundError, ProviderError, TransientError
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.text import one_line
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, Action, Details, Problem, Risk
from email_assistant.review.kinds import CardKind, QueueSection, declare
from email_assistant.tools.tool import AskAgain, Done, Turn
from email_assistant.workflows.inbox_organizer.records.subscriptions import (
    Subscription,
    Subscriptions,
    SubscriptionState,
)
from email_assistant.workflows.inbox_organizer.unsubscribing.list_headers import (
    Unsubscribe,
    Unsubscriber,
    unsubscribe_of,
)
from email_assistant.workflows.inbox_organizer.unsubscribing.one_click import OneClick
from email_assistant.workflows.inbox_organizer.unsubscribing.requests import (
    KIND,
    Mailings,
    leaving_subject,
)

UNSUBSCRIBE = declare(
    CardKind(
        KIND,
        (IGNORE, EDIT, ACCEPT),
        "Unsubscribe from ",
        "These mailings come often and were never answered; you can leave them.",
        noun="Mailings",
        section=QueueSection.TOGETHER,
        confirm="once",
        held=True,
        goes_with_mail=False,
    )
)
MAX_LISTS = 10
"""Lists on one card; the others come on the next."""
_REASON = 200
_SHOWN = 60
"""Characters of a name that the sender has chosen: what is said of the list must fit beside it."""


@dataclass(frozen=True, slots=True)
class DueList:
    """A list as its card and the request need it."""

    key: str
    name: str
    url: str
    """Where it is asked with one click."""
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnsubscribeDetails(Details):
    """What the card carries that proposes to leave mailings."""

    lists: tuple[DueList, ...]


@dataclass(frozen=True, slots=True)
class Leaving:
    """A list that is to be left by an approved action."""

    action_id: str
    key: str
    url: str


@dataclass(frozen=True)
class Unsubscribing(Effect[Leaving, None]):
    """Proposes to leave what was never answered, and leaves what was approved."""

    mailbox: Mailbox
    subscriptions: Subscriptions
    outbox: Outbox
    unsubscriber: Unsubscriber
    host: str = ""
    """The authserv-id of the host that receives the user's mail."""
    allow: frozenset[str] = frozenset()
    """See `unsubscribe_of`."""
    name: ClassVar[str] = UNSUBSCRIBE.name
    kind: ClassVar[str] = KIND
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    @classmethod
    def of(cls, deps: AccountDeps) -> Self:
        """Those of the user's mailbox."""
        subscriptions = Subscriptions(deps.database, deps.clock)
        return cls(deps.mailbox, subscriptions, deps.outbox, OneClick(), deps.settings.receiving_host)

    async def propose(self, turn: Turn) -> Action | None:
        """One card for the lists that are due and take one click, None when there are none; no other asks about them while it waits.

        Safe to repeat: a run that was cut off finds the lists again that it had taken.
        """
        name, by_mail = self.mailbox.name, []
        items: list[DueList] = []
        for due in await self.subscriptions.due_recommendations(name, turn.run_thread_id):
            offer = await self._offer(due)
            if offer is None:
                continue
            if not offer.one_click:
                by_mail += [_wants_mail(due, offer.mail)] if offer.mail else []
            elif await self.subscriptions.recommend(name, due.list_key, turn.run_thread_id):
                items.append(await self._item(due, offer))
            if len(items) == MAX_LISTS:
                break
        if not items:
            return None
        what = items[0].name if len(items) == 1 else f"{len(items)} lists"
        return turn.action(
            UNSUBSCRIBE,
            what,
            {"lists": ", ".join(item.key for item in items)},
            details=UnsubscribeDetails(tuple(items)),
            reasons=(*(line for item in items for line in item.told), *by_mail[:MAX_LISTS]),
        )

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Only taking lists off the card is an edit; those are kept from then on."""
        wanted = [each.strip() for each in edited["lists"].split(",") if each.strip()]
        known = [item.key for item in UnsubscribeDetails.of(action).lists]
        unknown = [each for each in wanted if each not in known]
        if unknown:
            return Problem(f"The edit was not taken: this card has no list {unknown[0][:80]!r}.")
        if not wanted:
            return Problem("The edit was not taken: no list is left; ignore the card to keep all of them.")
        return action.with_args({"lists": ", ".join(dict.fromkeys(wanted))})

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Leave each list on the card, each once; what did not work is told, and can be tried again."""
        wanted = [each.strip() for each in action.args["lists"].split(",")]
        left: list[DueList] = []
        later: list[str] = []
        refused: list[str] = []
        for item in UnsubscribeDetails.of(action).lists:
            if item.key not in wanted:
                await self._move(item.key, SubscriptionState.kept, SubscriptionState.recommended)
                continue
            try:
                await self._leave(action, item)
            except TransientError as error:
                later.append(f"{item.name}: {error}")
            except (InputError, ProviderError) as error:
                refused.append(f"{item.name}: {error}")
            else:
                left.append(item)
        if later:
            return AskAgain(
                action, f"Not everything worked: {'; '.join(later)[:500]} Accept to try these again."
            )
        answer = _answer(left)
        return Done(
            f"{answer} Refused: {'; '.join(refused)[:500]}".strip() if refused else answer, bool(left)
        )

    async def discard(self, action: Action) -> None:
        """The user wants to stay."""
        for item in UnsubscribeDetails.of(action).lists:
            await self._move(item.key, SubscriptionState.kept, SubscriptionState.recommended)

    async def _leave(self, action: Action, item: DueList) -> None:
        """Only what was done, or perhaps was, counts as requested: a list whose card is lost before that is asked about again."""
        key = item.key
        try:
            await perform_once(self.outbox, self, Leaving(action.id, key, item.url))
        except TransientError:
            await self._requested(key)  # Perhaps it was taken: silence or more mail will tell.
            raise
        except (InputError, ProviderError):
            for before in (SubscriptionState.recommended, SubscriptionState.requested):
                await self._move(key, SubscriptionState.active, before)
            raise
        await self._requested(key)
        await self._move(key, SubscriptionState.unsubscribed, SubscriptionState.requested)

    def intent(self, what: Leaving) -> Intent:
        """Once for each action and list."""
        subject = leaving_subject(self.mailbox.name, what.key)
        return Intent(f"{what.action_id}:{bounded(what.key)}", self.kind, subject, {"list": what.key})

    async def do(self, what: Leaving) -> dict[str, Any]:
        """Ask it with one click."""
        await self.unsubscriber.post(what.url)
        return {"list": what.key}

    async def found(self, what: Leaving) -> Reconciled:
        """Asking twice does no harm (RFC 8058 §3.1)."""
        return NotHappened()

    async def after(self, what: Leaving, result: Mapping[str, Any]) -> None:
        """Nothing here: the list's state is kept in `_leave`."""

    async def _requested(self, key: str) -> None:
        for before in (SubscriptionState.recommended, SubscriptionState.active):
            if await self._move(key, SubscriptionState.requested, before):
                return

    async def _move(self, key: str, to: SubscriptionState, expected: SubscriptionState) -> bool:
        return await self.subscriptions.move(self.mailbox.name, key, to, expected=expected)

    async def _offer(self, due: Subscription) -> Unsubscribe | None:
        """The list's ways out by its latest message; None when there are none any more, or not now."""
        try:
            message = await self.mailbox.fetch(due.message_id)
        except NotFoundError:
            return None
        return unsubscribe_of(message, host=self.host, allow=self.allow)

    async def _item(self, due: Subscription, offer: Unsubscribe) -> DueList:
        failure = await Mailings(self.mailbox, self.subscriptions, self.outbox).failure(due.list_key)
        told = tuple(_described(due, offer, failure))
        return DueList(due.list_key, due.name or due.sender, offer.one_click, told)


def _described(due: Subscription, offer: Unsubscribe, failure: str) -> list[str]:
    """Two lines for the card, or three; each is short enough to be shown whole."""
    signers = one_line(", ".join(offer.signers[:3]), limit=_SHOWN)
    facts = [
        _counted(due),
        *([f"signed by {signers}"] if signers else []),
        *([] if offer.verified else ["its signature was not checked"]),
        *(["mail still came after it was asked to stop"] if due.still_coming else []),
    ]
    failed = [f"Leaving it has failed: {one_line(failure, limit=_REASON)}."] if failure else []
    return [*failed, f"{'; '.join(facts)}.", f"To leave it, the request goes to {offer.place}."]


def _wants_mail(due: Subscription, address: str) -> str:
    return f"{_counted(due)}. It can be left by a mail only: write to {address}."


def _counted(due: Subscription) -> str:
    name, key = one_line(due.name or due.sender, limit=_SHOWN), one_line(due.list_key, limit=_SHOWN)
    return f"{name} ({key}): {due.messages} messages since {due.first_at:%d %b %Y}, none answered"


def _answer(left: list[DueList]) -> str:
    """The answer: what was done."""
    lists = "list" if len(left) == 1 else "lists"
    return f"Asked {len(left)} {lists} to stop." if left else "No list was left."
