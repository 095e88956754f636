"""Mail whose category its headers and subject tell without any model."""

from collections.abc import Sequence

from email_assistant.mail.bulk import Bulk, bulk_of
from email_assistant.mail.message import Message
from email_assistant.models.offline.injection import orders_an_assistant
from email_assistant.models.offline.reading import subject_words
from email_assistant.workflows.inbox_organizer.offline import category_words as words
from email_assistant.workflows.inbox_organizer.offline.category import CATEGORIES, Category, Ruled, phrases
from email_assistant.workflows.inbox_organizer.offline.category_evidence import without_name

SURE = 0.95
"""Confidence of what headers decide; of the generated mail at least so much is right in every set of texts."""


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
