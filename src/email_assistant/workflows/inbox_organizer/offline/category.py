"""The categories, and what a rule answers about them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from email_assistant.mail.text import one_line

MAX_PHRASES = 5
MAX_PHRASE = 60


class Category(StrEnum):
    """The categories that mail is sorted into unless others are configured."""

    IMPORTANT = "Important"
    FRIENDS = "Personal/Friends"
    FAMILY = "Personal/Family"
    RECRUITERS = "Professional/Recruiters"
    WORK = "Professional/Work"
    ORDERS = "Purchases/Orders"
    NEWSLETTERS = "Newsletters/Subscriptions"
    PROMOTIONS = "Marketing/Promotions"


CATEGORIES: tuple[str, ...] = tuple(category.value for category in Category)

MEANINGS: dict[str, str] = {
    Category.IMPORTANT: "something bad happens when it is missed: security, money overdue, authorities, health, housing",
    Category.FRIENDS: "from a friend or acquaintance, in private",
    Category.FAMILY: "from a relative",
    Category.RECRUITERS: "offers a job or asks about one, from a recruiter or an employer",
    Category.WORK: "from colleagues, clients or suppliers, or from tools used at work",
    Category.ORDERS: "about something bought: order, shipping, receipt, refund, booking",
    Category.NEWSLETTERS: "something to read that was subscribed to: newsletters, digests, job alerts, mailing lists",
    Category.PROMOTIONS: "wants to sell: offers, discounts, new collections, sales pitches, loyalty points",
}
"""What belongs into each, in words for a model and for people."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A category and why: what a rule answers in the place of a model."""

    category: str
    confidence: float
    """0 to 1: about the share of such answers that are right."""
    reasoning: str
    """One plain sentence."""
    key_phrases: tuple[str, ...] = ()
    """Words that stand in the mail, at most `MAX_PHRASES` of at most `MAX_PHRASE` characters."""


def named_in(text: str, categories: Iterable[str]) -> str | None:
    """The one category that the text names, whole or by what stands after its slash; None of none or several."""
    names, said = tuple(categories), text.casefold()
    whole = [name for name in names if name.casefold() in said]
    last = [
        name for name in names if re.search(rf"\b{re.escape(name.rpartition('/')[2].casefold())}\b", said)
    ]
    found = whole or last
    return found[0] if len(found) == 1 else None


def phrases(found: Iterable[str]) -> tuple[str, ...]:
    """The first few different ones, each on one line and bounded."""
    lines = (one_line(phrase, limit=MAX_PHRASE).strip() for phrase in found)
    unique = {line.casefold(): line for line in lines if re.search(r"\w", line)}
    return tuple(unique.values())[:MAX_PHRASES]
