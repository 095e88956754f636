"""Guessed labels: those that are too uncertain to be given, of mail that is not worth a person's minute.

No run waits for them. They stand in one table on the review page and in `review`, where one answer settles them all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from email_assistant.app.accounts import AccountDeps
from email_assistant.errors import InputError
from email_assistant.journal.records import DEFERRED, SUPERSEDED, MailStatus
from email_assistant.journal.trace import Trace
from email_assistant.kit.observer import review_id_of
from email_assistant.review.action import Action
from email_assistant.workflows.inbox_organizer.labelling import Labelling
from email_assistant.workflows.inbox_organizer.offline.category import CATEGORIES
from email_assistant.workflows.inbox_organizer.records.hints import CategoryHints
from email_assistant.workflows.inbox_organizer.status import GRAPH, GUESSED, LABELED


@dataclass(frozen=True)
class LabelGuesses:
    """The table of guessed labels, in the journal's reviews."""

    trace: Trace

    async def put(
        self,
        run_thread_id: str,
        action: Action,
        card: Mapping[str, Any],
        message_id: str,
        keys: Sequence[str],
    ) -> None:
        """Put the card of a guessed label there; one of an earlier message of the thread gives way. Safe to repeat.

        `keys` are what another label of the person's teaches about; see `hint_keys`.
        """
        about = {"graph": GRAPH, "message_id": message_id, "keys": list(keys)}
        await self.trace.review_deferred(
            review_id_of(run_thread_id, action.id),
            thread_id=DEFERRED + run_thread_id,
            title=action.title,
            card={**card, **about},
        )

    async def withdraw(self, run_thread_id: str) -> None:
        """An earlier message's guess gives way: the newer one of the thread has its label, or is asked about."""
        await self.trace.reviews_closed(DEFERRED + run_thread_id, SUPERSEDED, "a newer message was sorted")


async def settle(deps: AccountDeps, review_id: str, args: Mapping[str, str]) -> None:
    """Give the label that a person wants, learn from it where it is another one, and say so of the mail; safe to repeat."""
    review = await deps.trace.review(review_id)
    if review is None or not isinstance(review.card, dict):
        raise InputError("This guess is not on record any more.")
    labelling = Labelling(deps.mailbox, deps.settings.category_names or CATEGORIES)
    category = labelling.known(args["category"])
    if category is None:
        raise InputError(f"'category' must be one of: {'; '.join(labelling.categories)}.")
    mailbox, message_id, keys = deps.mailbox.name, review.card["message_id"], review.card["keys"]
    guessed = review.card["action_request"]["args"]["category"]
    if category == guessed:  # Whoever has given another label in the mailbox meanwhile has said more.
        category = await labelling.there(message_id) or category
    label = await labelling.apply(message_id, category)
    hints = CategoryHints(deps.database, deps.clock)
    await (hints.gave if category == guessed else hints.teach)(mailbox, keys, category, message_id)
    record = await deps.mail_log.get(mailbox, message_id, GRAPH)
    if label and record and (record.status, record.outcome) == (MailStatus.done, GUESSED):
        await deps.mail_log.set_status(
            mailbox, message_id, GRAPH, MailStatus.done, reason=label, outcome=LABELED
        )
