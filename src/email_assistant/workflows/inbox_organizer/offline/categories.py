"""Categories by rule: which of the configured ones a mail belongs to, how sure that is, and by which words or headers.

It stands in for a language model, to try the product and to test with; what headers and subject tell, no model is asked about at all.
The confidences were measured on generated mail; see `CONFIDENCE`.
"""

import re
from collections.abc import Sequence

from email_assistant.mail.headers import Bulk, bulk_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.reading import own_words, subject_words
from email_assistant.workflows.inbox_organizer.offline import category as words
from email_assistant.workflows.inbox_organizer.offline.category import (
    CATEGORIES,
    MAX_PHRASES,
    Category,
    Ruled,
    phrases,
)
from email_assistant.workflows.inbox_organizer.offline.category_evidence import (
    CategoryPoints,
    evidence_of,
    without_name,
)

SURE = 0.95
"""Confidence of what headers decide; of the generated mail at least so much is right in every set of texts."""

CONFIDENCE = ((3.0, 0.95), (1.5, 0.85), (0.7, 0.6))
"""Points ahead of the next category, and the confidence that they give.

Of 4,000 generated mails, plainly worded (and obliquely worded), 94 % (28 %) get 0.8 or more, of which 99 % (98 %) are
right; of those with 0.6 two in three are (two in three), of those with `UNSURE` half (half).
"""
UNSURE = 0.4
"""Confidence of a guess that next to nothing speaks for."""
BY_NAME = 0.45
"""Confidence in a category of the user's own whose name's words stand in the mail."""
SPOKEN_TO = 0.4
"""The most that is claimed for mail that gives orders to an assistant."""
MIN_POINTS = 2.0
"""With fewer points the winner is a guess."""
_NAME_READ = 20_000


def categorize(
    conversation: Conversation, *, categories: Sequence[str], own: frozenset[str], is_correspondent: bool
) -> Ruled:
    """The category of the current message among `categories`, of which there is at least one.

    `own` are the user's addresses in lower case; `is_correspondent` says whether the user has written to the
    sender before. A category that is none of `CATEGORIES` is found by its name's words only, at low confidence.
    Raises `ValueError` when there are no categories.
    """
    if not categories:
        raise ValueError("there are no categories to choose from")
    evidence = evidence_of(conversation, own=own, is_correspondent=is_correspondent)
    message = conversation.current
    ruled = _best(evidence, categories)
    if ruled.confidence < BY_NAME:
        ruled = _by_name(message, categories) or ruled
    if orders_an_assistant(message):
        reasoning = "It contains instructions aimed at an assistant, so this is only a guess."
        return Ruled(ruled.category, min(ruled.confidence, SPOKEN_TO), reasoning, ruled.key_phrases)
    return ruled


def _best(evidence: CategoryPoints, categories: Sequence[str]) -> Ruled:
    known = [category for category in CATEGORIES if category in categories]
    if not known:
        return Ruled(categories[0], 0.0, "No rule knows any of the categories, so this is only a guess.")
    ranked = sorted(known, key=lambda category: -evidence.points.get(category, 0.0))
    best = ranked[0]
    # The runner-up may be a category that is not configured: then this is the wrong place rather than a sure one.
    others = [evidence.points.get(category, 0.0) for category in CATEGORIES if category != best]
    points = evidence.points.get(best, 0.0)
    confidence = _confidence(points, points - max(0.0, *others))
    found = phrases(evidence.found.get(best, ()))
    return Ruled(best, confidence, _reasoning(best, found, confidence), found)


def _confidence(points: float, lead: float) -> float:
    if points < MIN_POINTS:
        return UNSURE
    return next((sure for least, sure in CONFIDENCE if lead >= least), UNSURE)


def _reasoning(category: str, found: tuple[str, ...], confidence: float) -> str:
    if confidence <= UNSURE:
        return f"Little speaks for any category; {category} is a guess."
    by = "its words" if found else "its sender"
    return f"By the rules, {by} and headers fit {category} best."


def _by_name(message: Message, categories: Sequence[str]) -> Ruled | None:
    """A category of the user's own, all of whose name's words stand in the mail."""
    text = own_words(message)[:_NAME_READ]
    for category in categories:
        names = [name for name in re.findall(r"[^\W_]+", category)[:MAX_PHRASES] if len(name) > 2]
        if category in CATEGORIES or not names:
            continue
        found = [re.search(rf"\b{re.escape(name)}", text, re.IGNORECASE) for name in names]
        standing = [match.group() for match in found if match]
        if len(standing) == len(names):
            reasoning = (
                f"The words of the category's name, {one_line(category, limit=60)}, stand in the mail."
            )
            return Ruled(category, BY_NAME, reasoning, phrases(standing))
    return None


def by_headers(message: Message, *, categories: Sequence[str] = CATEGORIES) -> Ruled | None:
    """The category that sender, headers and subject make plain, or None when a model should look.

    Discussion lists, answers, and mail that orders an assistant about are never decided, nor what would belong
    into a category that is not among `categories`.
    """
    bulk = bulk_of(message)
    if bulk.is_discussion or message.in_reply_to or orders_an_assistant(message):
        return None
    subject = without_name(subject_words(message), message)
    ruled = _order(bulk, subject) or _mailing(bulk, subject, message.sender.email.rpartition("@")[0])
    return ruled if ruled and ruled.category in categories else None


def _order(bulk: Bulk, subject: str) -> Ruled | None:
    """A notice about something bought, from an address that nobody reads, that is no mailing."""
    bought = words.ORDER.search(subject)
    if not bought or bulk.to_many or not bulk.one_way or _offers(subject) or words.IMPORTANT.search(subject):
        return None
    reasoning = "It was sent automatically, and its subject speaks of something bought."
    return Ruled(Category.ORDERS.value, SURE, reasoning, phrases([bought.group()]))


def _mailing(bulk: Bulk, subject: str, mailbox: str) -> Ruled | None:
    """A mailing that can be unsubscribed from: an offer, or something to read, by its subject or else its sender."""
    if not bulk.can_unsubscribe or words.ORDER.search(subject) or words.IMPORTANT.search(subject):
        return None
    offer, letter = _offers(subject), words.LETTER.search(subject)
    if offer and letter:
        return None
    if offer or (not letter and words.SELLING_MAILBOX.fullmatch(mailbox)):
        reasoning = f"It went to many people, and its {'subject' if offer else 'sender'} makes offers."
        return Ruled(Category.PROMOTIONS.value, SURE, reasoning, phrases([offer]))
    if letter or words.EDITORS_MAILBOX.fullmatch(mailbox):
        reasoning = (
            f"It went to many people, and its {'subject' if letter else 'sender'} is that of a newsletter."
        )
        return Ruled(Category.NEWSLETTERS.value, SURE, reasoning, phrases([letter.group()] if letter else []))
    return None


def _offers(subject: str) -> str:
    found = words.OFFER.search(subject) or words.SHOPPING.search(subject)
    return found.group() if found else ""
