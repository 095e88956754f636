"""Importance of a message: six weighted factors, by rules alone, each with its reason; those about its people stand here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from math import fsum
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import in_utc, is_zone
from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.mail.domain import registered, seen
from email_assistant.mail.lookalikes import FREE_MAIL
from email_assistant.mail.message import Conversation, Message
from email_assistant.workflows.inbox_organizer.importance_case import Case, FactorValue, Origin, Relation
from email_assistant.workflows.inbox_organizer.importance_stakes import deadline, finance, urgency

_LATELY = timedelta(days=7)
_FEW, _SEVERAL = 4, 10

__all__ = ["WEIGHTS", "Factor", "Importance", "Level", "Relation", "importance_of", "is_colleague", "is_vip"]

WEIGHTS: Mapping[str, float] = {
    "sender authority": 0.25,
    "urgency": 0.20,
    "deadline": 0.20,
    "financial": 0.15,
    "thread activity": 0.10,
    "recipient position": 0.10,
}
"""The factors by name, and how much each counts; together 1."""
_DECIMALS = 6
"""Further ones are the noise of binary fractions, which must not decide on a level."""


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
class Factor:
    """One of the six: its share of the whole, how much it applies (0 to 1), and why."""

    name: str
    weight: float
    value: float
    reason: str
    """One plain sentence for the user. It holds none of the message's words but amounts and days, written by us."""


@dataclass(frozen=True, slots=True)
class Importance:
    """The weighted sum of the factors, 0 to 1, and the factors in the order of their weights."""

    score: float
    factors: tuple[Factor, ...]

    @property
    def level(self) -> Level:
        """The step the score is in."""
        return Level.of(self.score)


def importance_of(
    conversation: Conversation, *, own: frozenset[str], relation: Relation, now: datetime, timezone: str
) -> Importance:
    """How important the current message of the conversation is to the user.

    `own` are the user's addresses as `Address.key`s, `now` is aware, `timezone` the IANA name of the user's zone.
    Reads what the message adds, not what it quotes. What a stranger writes can make a message high, never
    critical; a sender in doubt has no authority, and the other factors alone cannot make it critical. Takes
    bounded time on any message, but too much for an event loop, and may read time zone data: call it in a thread.
    Raises `InputError` for a time without a zone and for an unknown zone.
    """
    if not is_zone(timezone):
        raise InputError(f"'timezone' is not an IANA time zone: {timezone!r:.60}")
    case = Case(conversation, own, relation, in_utc("now", now), ZoneInfo(timezone))
    factors = tuple(_factor(name, case) for name in WEIGHTS)
    return Importance(round(fsum(f.weight * f.value for f in factors), _DECIMALS), factors)


def _factor(name: str, case: Case) -> Factor:
    found = _FACTORS[name](case)
    return Factor(name, WEIGHTS[name], round(found.value, _DECIMALS), found.reason)


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


def authority(case: Case) -> FactorValue:
    """How much the sender's word counts; the first that applies. What the message says about its sender counts for nothing."""
    relation = case.relation
    colleague, correspondent = relation.is_colleague, case.is_correspondent
    applies = (
        (relation.in_doubt, 0.0, "The sender may not be who it seems."),
        (relation.is_vip, 1.0, "The sender is one of your VIPs."),
        (case.is_own(case.message.sender), 0.5, "You wrote it yourself."),
        (case.origin is Origin.MAILING, 0.1, "It went to many people, or it advertises something."),
        (case.is_program, 0.3, "A program sent it."),
        (colleague and correspondent, 0.9, "The sender is a colleague you have written to."),
        (correspondent, 0.8, "You have written to the sender before."),
        (colleague, 0.7, "The sender is a colleague."),
    )
    found = (FactorValue(value, reason) for holds, value, reason in applies if holds)
    return next(found, FactorValue(0.4, "You have not written to the sender before."))


def activity(case: Case) -> FactorValue:
    """How lively the conversation has been in the week up to now."""
    if case.origin is Origin.MAILING:
        return FactorValue(0.0, "It is not part of a conversation.")
    recent = [message for message in (*case.earlier, case.message) if _is_recent(message, case)]
    if not recent:
        return FactorValue(0.2, "It is more than a week old.")
    if len(recent) == 1:
        return FactorValue(0.5, "It is the only message of its conversation in a week.")
    people = {message.sender.key for message in recent}
    takes_part = any(case.is_own(message.sender) for message in recent)
    value = 0.5 + 0.1 * min(len(recent) - 1, 2) + 0.1 * (len(people) > 2) + 0.3 * takes_part
    by = "one person" if len(people) == 1 else f"{len(people)} people"
    with_you = ", you among them" if takes_part else ""
    return FactorValue(
        min(value, 1.0), f"Its conversation had {len(recent)} messages of {by} in a week{with_you}."
    )


def _is_recent(message: Message, case: Case) -> bool:
    # Without a date, only the message that has just come in is taken for new.
    return message is case.message if message.date is None else case.now - message.date <= _LATELY


def position(case: Case) -> FactorValue:
    """How far the message is meant for the user, by the fields the user stands in (RFC 5322 §3.6.3)."""
    own = sum(map(case.is_own, case.message.to))
    others = len(case.message.to) - own
    if case.is_bulk:
        return FactorValue(0.0, "It went to a mailing list.")
    if not own and not case.is_copied:
        return FactorValue(0.0, "You are not named among its recipients.")
    if own and not others:
        return FactorValue(1.0, "It is addressed to you alone.")
    if others < _SEVERAL and case.is_called:
        return FactorValue(0.9, "It has several recipients, and it calls you by name.")
    if not own:
        return FactorValue(0.4 if others <= _FEW else 0.2, "You are only in copy.")
    value = 0.8 if others < _FEW else 0.5 if others < _SEVERAL else 0.3
    return FactorValue(value, f"You are one of {len(case.message.to)} recipients.")


_FACTORS: Mapping[str, Callable[[Case], FactorValue]] = {
    "sender authority": authority,
    "urgency": urgency,
    "deadline": deadline,
    "financial": finance,
    "thread activity": activity,
    "recipient position": position,
}
