"""Leaving mailings by their one-click address (RFC 8058), several on one card, after approval."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from email_assistant.effects.outbox import Outbox, Reconciled, reconciled_not_done
from email_assistant.errors import InputError, NotFoundError, ProviderError, TransientError
from email_assistant.journal.subscriptions import Subscription, Subscriptions, SubscriptionState
from email_assistant.mail.mailbox import Mailbox
from email_assistant.mail.unsubscribe import Unsubscriber, unsubscribe_of
from email_assistant.review.action import Action, Problem
from email_assistant.review.card import title
from email_assistant.review.risk import Risk
from email_assistant.tools.tool import AskAgain, Done, Turn

KIND = "unsubscribe"
ONE_CLICK = "one_click"
MAX_LISTS = 10
"""Lists on one card; the others come on the next."""


@dataclass(frozen=True)
class Unsubscribing:
    """Proposes to leave what was never answered, and leaves what was approved."""

    mailbox: Mailbox
    subscriptions: Subscriptions
    outbox: Outbox
    unsubscriber: Unsubscriber
    host: str = ""
    """The authserv-id of the host that receives the user's mail."""
    allow: frozenset[str] = frozenset()
    """See `unsubscribe_of`."""
    name: ClassVar[str] = KIND
    risk: ClassVar[Risk] = Risk.IRREVERSIBLE

    async def propose(self, turn: Turn) -> Action | None:
        """One card for the lists that are due; None when there are none. No other card will ask about them meanwhile."""
        items = []
        for due in await self.subscriptions.due_recommendations(self.mailbox.name):
            item = await self._item(due)
            if item and await self._move(
                due.list_key, SubscriptionState.recommended, SubscriptionState.active
            ):
                items.append(item)
            if len(items) == MAX_LISTS:
                break
        if not items:
            return None
        what = items[0]["name"] if len(items) == 1 else f"{len(items)} lists"
        return Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=self.name,
            title=title(f"Unsubscribe from {what}"),
            args={"lists": ", ".join(item["key"] for item in items)},
            facts={"items": items},
            revision=turn.revision,
            reasons=tuple(item["told"] for item in items),
        )

    async def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """Only taking lists off the card is an edit; those are kept from then on."""
        wanted = [each.strip() for each in edited["lists"].split(",") if each.strip()]
        known = [item["key"] for item in action.facts["items"]]
        unknown = [each for each in wanted if each not in known]
        if unknown:
            return Problem(f"The edit was not taken: this card has no list {unknown[0][:80]!r}.")
        if not wanted:
            return Problem("The edit was not taken: no list is left; ignore the card to keep all of them.")
        return action.with_args({"lists": ", ".join(dict.fromkeys(wanted))})

    async def perform(self, action: Action, *, acknowledged: frozenset[str]) -> Done | AskAgain:
        """Leave each list on the card, each once; what did not work is told, and can be tried again."""
        wanted = [each.strip() for each in action.args["lists"].split(",")]
        later: list[str] = []
        refused: list[str] = []
        for item in action.facts["items"]:
            if item["key"] not in wanted:
                await self._move(item["key"], SubscriptionState.kept, SubscriptionState.recommended)
                continue
            try:
                await self._leave(action, item)
            except TransientError as error:
                later.append(f"{item['name']}: {error}")
            except (InputError, ProviderError) as error:
                refused.append(f"{item['name']}: {error}")
        if later:
            return AskAgain(
                action, f"Not everything worked: {'; '.join(later)[:500]} Accept to try these again."
            )
        left = len(wanted) - len(refused)
        told = f"Asked {left} {'list' if left == 1 else 'lists'} to stop."
        return Done(f"{told} Refused: {'; '.join(refused)[:500]}" if refused else told, left > 0)

    async def discard(self, action: Action) -> None:
        """The user wants to stay."""
        for item in action.facts["items"]:
            await self._move(item["key"], SubscriptionState.kept, SubscriptionState.recommended)

    async def _leave(self, action: Action, item: Mapping[str, Any]) -> None:
        key = item["key"]

        async def do() -> dict[str, Any]:
            await self.unsubscriber.post(item["url"])
            return {"list": key}

        async def reconcile() -> Reconciled:
            return reconciled_not_done()  # Asking twice does no harm (RFC 8058 §3.1).

        await self._requested(key)
        try:
            await self.outbox.perform(
                f"{action.id}:{key}",
                kind=KIND,
                subject_key=f"unsubscribe:{self.mailbox.name}:{key}"[:400],
                payload={"list": key},
                do=do,
                reconcile=reconcile,
            )
        except TransientError:
            raise  # Perhaps it was taken: it stays requested, and silence or more mail will tell.
        except (InputError, ProviderError):
            await self._move(key, SubscriptionState.active, SubscriptionState.requested)
            raise
        await self._move(key, SubscriptionState.unsubscribed, SubscriptionState.requested)

    async def _requested(self, key: str) -> None:
        for before in (SubscriptionState.recommended, SubscriptionState.active):
            if await self._move(key, SubscriptionState.requested, before):
                return

    async def _move(self, key: str, to: SubscriptionState, expected: SubscriptionState) -> bool:
        method = ONE_CLICK if to is SubscriptionState.requested else ""
        return await self.subscriptions.move(self.mailbox.name, key, to, expected=expected, method=method)

    async def _item(self, due: Subscription) -> dict[str, Any] | None:
        """What the card and the request need; None when the list has no one-click address (any more)."""
        try:
            message = await self.mailbox.fetch(due.message_id)
        except NotFoundError:
            return None
        offer = unsubscribe_of(message, host=self.host, allow=self.allow)
        if offer is None or not offer.one_click:
            return None
        told = [
            f"{due.name or due.sender} ({due.list_key}): {due.messages} messages since {due.first_at:%d %b %Y}, none answered",
            f"the request goes to {offer.place}",
            *([] if offer.verified else ["its signature was not checked"]),
            *(["mail still came after it was asked to stop"] if due.still_coming else []),
        ]
        name = due.name or due.sender
        return {"key": due.list_key, "name": name, "url": offer.one_click, "told": f"{'; '.join(told)}."}
