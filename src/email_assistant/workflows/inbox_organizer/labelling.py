"""Labels that sort mail: `Agent/{category}`, one a message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from email_assistant.errors import NotFoundError
from email_assistant.mail.mailbox import LABEL_PREFIX, Mailbox
from email_assistant.mail.message import Message
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, Action, Problem, Risk
from email_assistant.review.kinds import EVERY_ANSWER, CardKind, QueueSection, RowGroup, declare
from email_assistant.tools.tool import Turn, ignored_words


async def _taken_off(mailbox: Mailbox, message_id: str, args: Mapping[str, str]) -> str:
    """The label comes off the mail again; nobody else has seen it."""
    category = " ".join(args.get("category", "").split()).casefold().removeprefix(LABEL_PREFIX.casefold())
    try:
        there = await mailbox.labels(message_id)
        ours = frozenset(each for each in there if each.casefold() == (LABEL_PREFIX + category).casefold())
        if ours:
            await mailbox.change_labels(message_id, add=frozenset(), remove=ours)
    except NotFoundError:
        return ""
    return f"The label {min(ours)} was taken off." if ours else ""


LABEL = declare(
    CardKind(
        "label",
        EVERY_ANSWER,
        "Label as ",
        "Does “{subject}” from {who} belong under {category}?",
        noun="Label",
        section=QueueSection.TOGETHER,
        confirm="once",
        held=True,
        draws="category",
        button="Label {category}",
        choice="category",
        beside="Label",
        together=RowGroup.LABELS,
        gist="{subject}",
        done="labelled",
        underway="is labelled",
        undo=_taken_off,
    )
)
GUESS = declare(replace(LABEL, name="guessed_label", answers=(IGNORE, EDIT, ACCEPT)))
"""Of mail that is not worth a person's minute: no run waits for it."""
PRIORITIES = ("Priority/Critical", "Priority/High")
"""The levels of importance that have a label."""


@dataclass(frozen=True)
class Labelling:
    """Gives messages their category's label."""

    mailbox: Mailbox
    categories: tuple[str, ...]
    name: ClassVar[str] = LABEL.name
    risk: ClassVar[Risk] = Risk.REVERSIBLE

    def propose(
        self, turn: Turn, category: str, confidence: float, reasons: Sequence[str], kind: CardKind = LABEL
    ) -> Action:
        """The card that asks whether the message belongs to the category, of which somebody is so sure, from 0 to 1."""
        current = turn.conversation.current
        action = turn.action(
            kind,
            f"{category}: {_about(current)}",
            {"category": category},
            reasons=tuple(reasons),
            warnings=ignored_words(turn),
        )
        return replace(action, options=self.categories, confidence=confidence)

    def revise(self, action: Action, edited: Mapping[str, str]) -> Action | Problem:
        """The action with the category as the human wrote it, in any case of letters."""
        category = self.known(edited["category"])
        if category is None:
            return Problem(f"'category' must be one of: {'; '.join(self.categories)}.")
        return action.with_args({"category": category})

    def known(self, text: str) -> str | None:
        """The category that is written so, or None."""
        wanted = " ".join(text.split()).casefold().removeprefix(LABEL_PREFIX.casefold())
        return next((category for category in self.categories if category.casefold() == wanted), None)

    async def there(self, message_id: str) -> str | None:
        """The one category whose label the message has; None for none, for several, and for what is not in this mailbox."""
        try:
            labels = await self.mailbox.labels(message_id)
        except NotFoundError:
            return None
        ours = {self.known(each) for each in labels if each.casefold().startswith(LABEL_PREFIX.casefold())}
        found = ours - {None}
        return found.pop() if len(found) == 1 else None

    async def apply(self, message_id: str, category: str) -> str | None:
        """Give the message the category's label in place of another category's; repeating it changes nothing.

        Returns the label, or None when the message is not in this mailbox.
        """
        return await self._one_of(message_id, category, self.categories)

    async def prioritise(self, message_id: str, level: str) -> str | None:
        """Give the message the label of its importance, or take it away when the level ("low") has none.

        Returns the label, or None when it has none.
        """
        wanted = next(
            (name for name in PRIORITIES if name.casefold() == f"priority/{level}".casefold()), None
        )
        return await self._one_of(message_id, wanted, PRIORITIES)

    async def _one_of(self, message_id: str, wanted: str | None, names: Sequence[str]) -> str | None:
        """Leave the message with one of these labels, or none of them."""
        label = LABEL_PREFIX + wanted if wanted else None
        others = {(LABEL_PREFIX + each).casefold() for each in names} - {(label or "").casefold()}
        try:
            there = await self.mailbox.labels(message_id)
            wrong = frozenset(each for each in there if each.casefold() in others)
            missing = frozenset({label}) - there if label else frozenset()
            if wrong or missing:
                await self.mailbox.change_labels(message_id, add=missing, remove=wrong)
        except NotFoundError:
            return None
        return label


def _about(message: Message) -> str:
    sender = message.sender.name or message.sender.email
    return f"{sender}: {message.subject or '(no subject)'}"
