"""Cards whose mail another program has taken out of the inbox say so wherever they are drawn."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from email_assistant.review.waiting import WaitingCard

if TYPE_CHECKING:
    from email_assistant.journal.mail_log import MailLog

MOVED = "moved out of the inbox with another program"
JUNK = "marked as junk in the mailbox"
DELETED_THERE = "deleted in the mailbox"
LEFT = frozenset({MOVED, JUNK, DELETED_THERE})
"""Why a record says that its mail is not in the inbox."""


async def told_where(cards: Sequence[WaitingCard], mail_log: "MailLog") -> list[WaitingCard]:
    """The cards, those of mail that has left the inbox with a line on it; whoever answers one answers the same question."""
    reasons = await mail_log.waiting_because(LEFT)
    return [_told(card, reason) if (reason := reasons.get(card.run_thread)) else card for card in cards]


def _told(card: WaitingCard, reason: str) -> WaitingCard:
    facts = [*card.facts.facts, f"This mail was {reason}."]
    return replace(card, view={**card.view, "facts": facts}, original=card.original or card)
