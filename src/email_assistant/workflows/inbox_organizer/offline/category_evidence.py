"""Points for each category in one mail, from its sender, its headers and its words."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from email_assistant.mail.domains import FREE_MAIL, registered
from email_assistant.mail.headers import Bulk, bulk_of
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.reading import body_words, subject_words
from email_assistant.models.offline.words import MARKETING
from email_assistant.workflows.inbox_organizer.offline import category as words
from email_assistant.workflows.inbox_organizer.offline.category import WORDED, Category

_READ = 12_000
"""Characters of the text that are looked at: a category shows early, or not at all."""
_IN_SUBJECT = 1.5
_C = Category
PERSONAL = (_C.FRIENDS, _C.FAMILY)
PEOPLE = (*PERSONAL, _C.WORK, _C.RECRUITERS)
MAILINGS = (_C.NEWSLETTERS, _C.PROMOTIONS)

_WORDS: tuple[tuple[re.Pattern[str], float, tuple[str, ...]], ...] = (
    (words.OFFER, 2.0, (_C.PROMOTIONS,)),
    (words.SHOPPING, 2.5, (_C.PROMOTIONS,)),
    (words.LETTER, 2.5, (_C.NEWSLETTERS,)),
    (words.READING, 1.5, (_C.NEWSLETTERS,)),
    (words.UNSUBSCRIBE, 1.0, MAILINGS),
    (words.ORDER, 3.0, (_C.ORDERS,)),
    (words.CHARGED, 1.0, (_C.ORDERS,)),
    (words.WORK, 2.0, (_C.WORK,)),
    (words.WORK_TONE, 1.0, (_C.WORK,)),
    (words.RECRUITING, 3.0, (_C.RECRUITERS,)),
    (words.FAMILY, 3.0, (_C.FAMILY,)),
    (words.FRIEND, 2.0, (_C.FRIENDS,)),
    (words.IMPORTANT, 3.0, (_C.IMPORTANT,)),
    *((pattern, 3.0, (name,)) for name, pattern in WORDED.items()),
)

# What mail is more often when nothing else speaks; and what the name of a mailbox says of those behind it.
_USUAL = {_C.PROMOTIONS: 0.4, _C.WORK: 0.3, _C.NEWSLETTERS: 0.2, _C.ORDERS: 0.2, _C.FRIENDS: 0.1}
_MAILBOXES: tuple[tuple[re.Pattern[str], float, Category], ...] = (
    (words.SELLING_MAILBOX, 1.5, _C.PROMOTIONS),
    (words.LETTER_MAILBOX, 1.0, _C.NEWSLETTERS),
    (words.ORDER_MAILBOX, 2.0, _C.ORDERS),
    (words.SECURITY_MAILBOX, 2.0, _C.IMPORTANT),
    (words.JOBS_MAILBOX, 1.0, _C.RECRUITERS),
)


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
    if message.in_reply_to or any(earlier.sender.key in own for earlier in conversation.earlier):
        evidence.add(0.5, *PERSONAL, _C.WORK)
        evidence.add(-1.5, *MAILINGS)
    _words(evidence, message)
    _advertising(evidence, message)
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
    local = message.sender.email.rpartition("@")[0]
    for pattern, weight, category in _MAILBOXES:
        if pattern.fullmatch(local):
            evidence.add(weight, category)
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


def _advertising(evidence: CategoryPoints, message: Message) -> None:
    """Signs of advertising: one may stand in honest mail, more of them hardly do."""
    text = _joined(f"{subject_words(message)}\n{body_words(message)[:_READ]}")
    signs = [match.group() for pattern in MARKETING if (match := pattern.search(text))]
    signs = [sign for sign in signs if not words.UNSUBSCRIBE.search(sign)]
    if len(signs) > 1:
        evidence.add(min(len(signs), 4), _C.PROMOTIONS)
        evidence.found[_C.PROMOTIONS].extend(signs)


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
