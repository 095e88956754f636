"""Importance of a message, 0 to 1: what a model says, within limits that code sets; by rule where no model was asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from email_assistant.mail.address import Address
from email_assistant.mail.domains import FREE_MAIL, registered, seen
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Conversation
from email_assistant.models.offline import words
from email_assistant.models.offline.reading import own_words
from email_assistant.models.offline.triage import asks
from email_assistant.models.offline.wanted import wanted_by
from email_assistant.workflows.inbox_organizer.offline.category import GRAVE

MAX_TO_MANY, MAX_IN_DOUBT, MAX_STRANGER = 0.69, 0.75, 0.9
_BY_DAYS = (
    (0, 0.4, "it wants something by today"),
    (1, 0.3, "it wants something by tomorrow"),
    (3, 0.2, "it wants something within days"),
)
_STILL = 2
"""Days after which what was to be done by then is over."""
_READ = 50_000


class Level(StrEnum):
    """Importance in four steps. As texts they sort by letter: compare them with `at_least`."""

    CRITICAL = "critical"
    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"

    @classmethod
    def of(cls, score: float) -> "Level":
        """The level of a score: critical above 0.9, high from 0.7 to 0.9 itself, normal from 0.4, else low."""
        if score > 0.9:
            return cls.CRITICAL
        if score >= 0.7:
            return cls.HIGH
        return cls.NORMAL if score >= 0.4 else cls.LOW

    def at_least(self, other: "Level") -> bool:
        """Whether this is as important as the other, or more."""
        order = list(Level)
        return order.index(self) <= order.index(other)


@dataclass(frozen=True, slots=True)
class Relation:
    """The sender's relation to the user, apart from what the message says of it."""

    is_vip: bool = False
    is_correspondent: bool = False
    """The user has written to the sender."""
    is_colleague: bool = False
    """Of the user's organisation, by a domain that is not a mail provider's."""
    in_doubt: bool = False
    """The sender may be forged: then the other three say nothing."""
    to_many: bool = False
    """It went to many, and is neither of a conversation of the user's nor asks something of the user by name."""

    @property
    def is_known(self) -> bool:
        """Whether the sender is somebody to the user."""
        return not self.in_doubt and (self.is_vip or self.is_correspondent or self.is_colleague)


@dataclass(frozen=True, slots=True)
class Importance:
    """A score, 0 to 1, and what made it, in one plain sentence for the user."""

    score: float
    reason: str

    @property
    def level(self) -> Level:
        """The step the score is in."""
        return Level.of(self.score)


def limited(importance: Importance, relation: Relation) -> Importance:
    """The same within what such a sender's mail can reach, whatever stands in it.

    A stranger's mail is never critical, nor is that of a sender in doubt; mail to many is not shown first.
    """
    limits = (
        (relation.to_many, MAX_TO_MANY, "It went to many people."),
        (relation.in_doubt, MAX_IN_DOUBT, "The sender may not be who it seems."),
        (not relation.is_known, MAX_STRANGER, "You have not written to the sender before."),
    )
    score, reason = min(1.0, max(0.0, importance.score)), importance.reason
    for holds, limit, why in limits:
        if holds and score > limit:
            return Importance(limit, f"{reason} {why}".strip())
    return Importance(score, reason)


def importance_by_rule(
    conversation: Conversation, relation: Relation, *, own: frozenset[str], now: datetime, timezone: str
) -> Importance:
    """The importance by who writes, by when something is wanted, and whether it speaks of something grave.

    `own` are the user's addresses as `Address.key`s, `now` is aware, `timezone` the IANA name of the user's zone.
    May read time zone data from disk: call it in a thread.
    """
    today = now.astimezone(ZoneInfo(timezone))
    found = list(_signs(conversation, relation, own, today, timezone))
    text = ", ".join(reason for _, reason in found)
    return limited(Importance(round(sum(value for value, _ in found), 2), f"By rule: {text}."), relation)


def _signs(
    conversation: Conversation, relation: Relation, own: frozenset[str], today: datetime, timezone: str
) -> Iterator[tuple[float, str]]:
    """How much each sign adds, and what it is; the sender comes first."""
    message = conversation.current
    bulk = bulk_of(message)
    if relation.to_many:
        yield 0.2, "it went to many people"
        return
    if relation.in_doubt:
        yield 0.2, "the sender may not be who it seems"
    elif relation.is_vip:
        yield 0.58, "the sender is one of your VIPs"
    elif relation.is_known:
        yield 0.38, "you know the sender"
    elif bulk.is_automatic or bulk.is_no_reply:
        yield 0.28, "a program sent it"
    else:
        yield 0.28, "you have not written to the sender before"
    text = own_words(message)[:_READ]
    wish = wanted_by(message, timezone, own)
    ahead = (wish.deadline - today.date()).days if wish.deadline else None
    if ahead is not None and ahead >= -_STILL:
        yield from [(value, why) for days, value, why in _BY_DAYS if ahead <= days][:1]
    if asks(message) and not words.NO_REPLY_NEEDED.search(text):
        yield 0.12, "it asks you for something"
    if GRAVE.search(text):
        yield 0.4, "it speaks of something grave"
    if any(each.key in own for each in message.cc) and not any(each.key in own for each in message.to):
        yield -0.15, "you are only in copy"


def is_vip(address: Address, vips: frozenset[str]) -> bool:
    """Whether the address is one of the VIPs: addresses (`ceo@example.com`) and domains (`example.com`, `@example.com`).

    A domain includes its subdomains. Only the address counts, never the display name. Entries that are neither
    (a single word, which would be a whole top-level domain) match nothing.
    """
    domain = seen(address.domain.rstrip("."))
    if not domain:
        return False
    for entry in vips:
        local, _, wanted = entry.strip().lower().rpartition("@")
        wanted = seen(wanted.rstrip("."))
        if local:
            if address.key.rpartition("@")[0] == local and domain == wanted:
                return True
        elif "." in wanted.strip(".") and (domain == wanted or domain.endswith(f".{wanted}")):
            return True
    return False


def is_colleague(address: Address, own: frozenset[str]) -> bool:
    """Whether the address is of an organisation that one of the user's addresses is of; mail providers are none."""
    theirs = registered(address.domain)
    homes = {registered(Address(mine).domain) for mine in own}
    return "." in theirs and theirs in homes and theirs not in FREE_MAIL
