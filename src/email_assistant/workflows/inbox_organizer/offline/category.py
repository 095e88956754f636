"""The categories, the words that tell them apart, and what a rule answers about them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from email_assistant.mail.text import one_line
from email_assistant.word_files import WordFiles

WORDS = WordFiles((Path(__file__).parents[1] / "words.toml",), frozenset({"kinds", "categories"}))
MAX_PHRASES = 5
MAX_PHRASE = 60


class Category(StrEnum):
    """The categories by which mail is weighed: those that sender and headers speak for; all there are is `CATEGORIES`."""

    IMPORTANT = "Important"
    FRIENDS = "Personal/Friends"
    FAMILY = "Personal/Family"
    RECRUITERS = "Professional/Recruiters"
    WORK = "Professional/Work"
    ORDERS = "Purchases/Orders"
    NEWSLETTERS = "Newsletters/Subscriptions"
    PROMOTIONS = "Marketing/Promotions"


with WORDS.section("kinds") as section:
    MEANINGS: dict[str, str] = section.entries("meanings")
    """Descriptions of what belongs into each, for a model and for people."""
    WORDED = {name: section.pattern(words) for name, words in section.table("words").items()}
    """Categories that their words alone tell from others."""
CATEGORIES = tuple(MEANINGS)

with WORDS.section("categories") as section:
    OFFER = section.pattern("{offer}")
    """A lower price, for a time."""
    LETTER = section.pattern("{letter}")
    """Something to read that comes again and again."""
    ORDER = section.pattern("{order}")
    """Something bought: confirmed, sent, paid or given back."""
    WORK = section.pattern("{work}")
    """Work that people do together."""
    RECRUITING = section.pattern("{recruiting}")
    """An offer of work."""
    FAMILY = section.pattern("{family}")
    FRIEND = section.pattern("{friend}")
    GRAVE = section.pattern("{grave}")
    """Speaks of what harms people, homes or rights."""
    SELLING_MAILBOX = section.pattern(r"(?:{selling_mailbox})(?:[+._-].*)?")
    EDITORS_MAILBOX = section.pattern(r"(?:{editors_mailbox})(?:[+._-].*)?")


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
