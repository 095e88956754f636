"""Categories by rule: which of the configured ones a mail belongs to, how sure that is, and by which words or headers.

It stands in for a language model, to try the product and to test with; what headers and subject tell, no model is asked about at all.
The confidences were measured; see `CONFIDENCE`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from email_assistant.mail.domains import FREE_MAIL, registered
from email_assistant.mail.headers import Bulk, bulk_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import one_line
from email_assistant.models.offline.reading import body_words, orders_an_assistant, own_words, subject_words
from email_assistant.workflows.inbox_organizer.offline import category as words
from email_assistant.workflows.inbox_organizer.offline.category import (
    CATEGORIES,
    MAX_PHRASES,
    WORDED,
    Category,
    Ruled,
    phrases,
)

_READ = 12_000
"""Characters of the text that are looked at: a category shows early, or not at all."""
_IN_SUBJECT = 1.5
_C = Category
PERSONAL = (_C.FRIENDS, _C.FAMILY)
PEOPLE = (*PERSONAL, _C.WORK, _C.RECRUITERS)
MAILINGS = (_C.NEWSLETTERS, _C.PROMOTIONS)

_WORDS: tuple[tuple[re.Pattern[str], float, tuple[str, ...]], ...] = (
    (words.OFFER, 2.0, (_C.PROMOTIONS,)),
    (words.LETTER, 2.5, (_C.NEWSLETTERS,)),
    (words.ORDER, 3.0, (_C.ORDERS,)),
    (words.WORK, 2.0, (_C.WORK,)),
    (words.RECRUITING, 3.0, (_C.RECRUITERS,)),
    (words.FAMILY, 3.0, (_C.FAMILY,)),
    (words.FRIEND, 2.0, (_C.FRIENDS,)),
    (words.GRAVE, 3.0, (_C.IMPORTANT,)),
    *((pattern, 3.0, (name,)) for name, pattern in WORDED.items()),
)

# What mail is more often when nothing else speaks.
_USUAL = {_C.PROMOTIONS: 0.4, _C.WORK: 0.3, _C.NEWSLETTERS: 0.2, _C.ORDERS: 0.2, _C.FRIENDS: 0.1}


@dataclass
class CategoryPoints:
    """Points for each category, and the words they were given for."""

    points: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    found: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, weight: float, *categories: str) -> None:
        """Give each of the categories so many points; negative ones speak against it."""
        for category in categories:
            self.points[category] += weight


def evidence_of(conversation: Conversation, *, own: frozenset[str], is_correspondent: bool) -> CategoryPoints:
    """All that is known of the current message without a model; `own` are the user's addresses in lower case."""
    message = conversation.current
    evidence = CategoryPoints()
    for category, points in _USUAL.items():
        evidence.add(points, category)
    bulk = bulk_of(message)
    _headers(evidence, bulk)
    _sender(evidence, message, bulk, own)
    if is_correspondent:
        evidence.add(1.0, *PERSONAL, _C.WORK)
        evidence.add(-1.5, *MAILINGS, _C.RECRUITERS)
    if message.in_reply_to or conversation.has_part_of(own):
        evidence.add(0.5, *PERSONAL, _C.WORK)
        evidence.add(-1.5, *MAILINGS)
    _words(evidence, message)
    return evidence


def _headers(evidence: CategoryPoints, bulk: Bulk) -> None:
    if bulk.is_discussion:
        evidence.add(5.0, _C.NEWSLETTERS)
        evidence.add(-2.0, *PERSONAL)
    elif bulk.to_many:
        evidence.add(2.0, *MAILINGS)
        evidence.add(-3.0, *PERSONAL, _C.IMPORTANT)
    else:
        evidence.add(-2.0, _C.NEWSLETTERS)
    if bulk.one_way:
        evidence.add(-3.0, *PERSONAL)
    if bulk.is_no_reply or bulk.is_automatic:
        evidence.add(1.0, _C.ORDERS, _C.IMPORTANT)


def _sender(evidence: CategoryPoints, message: Message, bulk: Bulk, own: frozenset[str]) -> None:
    domain = registered(message.sender.domain)
    homes = {registered(address.rpartition("@")[2]) for address in own} - FREE_MAIL
    if domain and domain in homes:
        evidence.add(4.0, _C.WORK)
    if domain in FREE_MAIL:
        evidence.add(1.0, *PERSONAL)
    if not (bulk.one_way or bulk.is_discussion):
        evidence.add(1.0, *PEOPLE)
    if _shares_surname(message, own) and domain not in homes:
        evidence.add(3.0, _C.FAMILY)


def _shares_surname(message: Message, own: frozenset[str]) -> bool:
    """Whether the sender's last name is that of the user, as the message itself addresses them."""
    mine = {
        a.name.split()[-1].casefold()
        for a in (*message.to, *message.cc)
        if a.key in own and " " in a.name.strip()
    }
    theirs = message.sender.name.split()
    return len(theirs) > 1 and theirs[-1].casefold() in mine


def _words(evidence: CategoryPoints, message: Message) -> None:
    """A second word of a kind counts half: long mail says everything once."""
    subject = without_name(subject_words(message), message)
    body = without_name(_joined(f"{body_words(message)[:_READ]}\n{message.signature[:500]}"), message)
    for pattern, weight, categories in _WORDS:
        in_subject, in_body = list(_matches(pattern, subject)), list(_matches(pattern, body))
        found = [*in_subject, *in_body]
        if not found:
            continue
        several = len({phrase.casefold() for phrase in found}) > 1
        evidence.add(
            weight * (_IN_SUBJECT if in_subject else 1.0) * (_IN_SUBJECT if several else 1.0), *categories
        )
        for category in categories:
            evidence.found[category].extend(found)


def without_name(text: str, message: Message) -> str:
    """The text without the sender's name: "Weekly Grocer" is no weekly, "Order of Tea" no order."""
    name = message.sender.name.strip()
    return re.sub(re.escape(name), "\n", text, flags=re.IGNORECASE) if len(name) > 3 else text


def _joined(text: str) -> str:
    """The text as one line, so that a phrase is found across a wrapped line."""
    return " ".join(text.split())


def _matches(pattern: re.Pattern[str], text: str, limit: int = 5) -> Iterator[str]:
    for number, match in enumerate(pattern.finditer(text)):
        if number == limit:
            return
        yield match.group()


SURE = 0.95
"""Confidence of what headers decide; of the generated mail at least so much is right in every set of texts."""

CONFIDENCE = ((3.0, 0.95), (1.0, 0.85), (0.6, 0.6))
"""Points ahead of the next category, and the confidence that they give: of the suite's 191 labelled mails half get 0.8 or more, of which
nine in ten are right.
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
    if not bought or bulk.to_many or not bulk.one_way or _offers(subject) or words.GRAVE.search(subject):
        return None
    reasoning = "It was sent automatically, and its subject speaks of something bought."
    return Ruled(Category.ORDERS.value, SURE, reasoning, phrases([bought.group()]))


def _mailing(bulk: Bulk, subject: str, mailbox: str) -> Ruled | None:
    """A mailing that can be unsubscribed from: an offer, or something to read, by its subject or else its sender."""
    if not bulk.can_unsubscribe or words.ORDER.search(subject) or words.GRAVE.search(subject):
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
    found = words.OFFER.search(subject)
    return found.group() if found else ""
