"""Importance of a message: six weighted factors, by rules alone, each with its reason."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from math import fsum
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import in_utc, is_zone
from email_assistant.errors import InputError
from email_assistant.language.deadlines import ASKING, PROMISE
from email_assistant.language.measures import amounts
from email_assistant.mail.address import Address
from email_assistant.mail.domains import FREE_MAIL, registered, seen
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline import words as common
from email_assistant.workflows.inbox_organizer.importance_case import (
    CHASING,
    IF_URGENT,
    MONEY,
    MONEY_DUE,
    NO_HURRY,
    OVERDUE,
    PRESSING,
    PRICES,
    Case,
    FactorValue,
    Origin,
    Relation,
)

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

# What one unit is worth in euro, roughly: only the size of an amount matters here.
_WORTH = {
    "EUR": 1.0, "USD": 0.9, "GBP": 1.2, "CHF": 1.0, "CAD": 0.65, "AUD": 0.6, "NZD": 0.55, "JPY": 0.006, "CNY": 0.13, "INR": 0.011,
    "SEK": 0.09, "NOK": 0.085, "DKK": 0.13, "kr": 0.1, "PLN": 0.23, "CZK": 0.04, "HUF": 0.0025, "MXN": 0.05, "BRL": 0.17,
    "TRY": 0.025, "RUB": 0.01, "KRW": 0.0007, "cent": 0.01,
}  # fmt: skip
_READ = 50_000
_MAX_WORTH = 1e12

_BY_WORTH = ((1_000, 1.0), (250, 0.8), (50, 0.6), (0, 0.4))
_BY_DISTANCE = ((0, 1.0), (1, 0.9), (2, 0.8), (4, 0.7), (7, 0.6), (14, 0.4))
_LATER = 0.2
_SINCE = ((2, 0.9), (7, 0.5))
_OVERDUE = 0.9
_LATELY = timedelta(days=7)
_FEW, _SEVERAL = 4, 10
_RAISED = frozenset(["1", "2", "high", "urgent"])
_ASKED = ((0, 1.0, "It asks for something today."), (1, 0.8, "It asks for something by tomorrow."),
          (3, 0.7, "It asks for something within a few days."))  # fmt: skip


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
    """The importance of the current message of the conversation to the user.

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
    """The weight of the sender's word; the first that applies. What the message says about its sender counts for nothing."""
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
    """The liveliness of the conversation in the week up to now."""
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
    """The user's place among the recipients, by the fields the user stands in (RFC 5322 §3.6.3)."""
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


def urgency(case: Case) -> FactorValue:
    """The pressure of its words: the strongest sign counts."""
    best = max(_urgencies(case), key=lambda each: each.value)
    return best._replace(value=best.value * case.share)


def _urgencies(case: Case) -> Iterator[FactorValue]:
    said = case.text
    if any(map(_presses, case.lines)):
        yield FactorValue(1.0, "It says that it is urgent.")
    if NO_HURRY.search(said):
        yield FactorValue(0.0, "It says that there is no hurry.")
        return
    days = [(each.day - case.today).days for each in case.deadlines if each.asked]
    ahead = min((ahead for ahead in days if ahead >= 0), default=None)
    yield from (FactorValue(v, why) for limit, v, why in _ASKED if ahead is not None and ahead <= limit)
    if CHASING.search(said):
        yield FactorValue(0.7, "It asks again for something.")
    if common.COMPLAINT.search(said):
        yield FactorValue(0.7, "It is a complaint.")
    if common.cancels(said):
        yield FactorValue(0.6, "It cancels something.")
    if common.ALERT.search(said):
        yield FactorValue(0.7, "It warns of something.")
    if _RAISED & {case.header("importance"), case.header("x-priority")[:1]}:
        yield FactorValue(0.6, "Its sender marked it as important.")
    yield _plain(said)


def _presses(line: str) -> bool:
    """Whether a sentence says that something is urgent; "we will answer as soon as possible" does not."""
    if PROMISE.search(line) and not ASKING.search(line):
        return False
    line = IF_URGENT.sub(" ", NO_HURRY.sub(" ", line))
    return PRESSING.search(line) is not None


def _plain(said: str) -> FactorValue:
    """The urgency of a message without any pressure."""
    if common.NO_REPLY_NEEDED.search(said):
        return FactorValue(0.1, "It says that no reply is needed.")
    if common.QUESTION.search(said) or common.REQUEST.search(said) or ASKING.search(said):
        return FactorValue(0.5, "It asks you for something.")
    return FactorValue(0.2, "It asks you for nothing.")


def deadline(case: Case) -> FactorValue:
    """Today counts most, two weeks ahead little, what is long over nothing."""
    found = [_of_day(each.day, case.today) for each in case.deadlines]
    if any(OVERDUE.search(line) for line in case.lines):
        found.append(FactorValue(_OVERDUE, "Something in it is overdue."))
    best = max(found, key=lambda each: each.value, default=FactorValue(0.0, "It sets no deadline."))
    return best._replace(value=best.value * case.share)


def _of_day(day: date, today: date) -> FactorValue:
    ahead = (day - today).days
    written = f"{day:%A} {day.day} {day:%B %Y}"
    if ahead < 0:
        value = next((value for limit, value in _SINCE if -ahead <= limit), 0.0)
        return FactorValue(value, f"The deadline was on {written}.")
    value = next((value for limit, value in _BY_DISTANCE if ahead <= limit), _LATER)
    return FactorValue(
        value, f"The deadline is {('today', 'tomorrow')[ahead] if ahead < 2 else f'on {written}'}."
    )


@dataclass(frozen=True, slots=True)
class Worth:
    """An amount with its currency, as `language.measures` reads it; `in_euro` to compare with others, no rate of exchange."""

    number: Decimal
    currency: str

    @property
    def in_euro(self) -> float:
        """The size of the amount in euro."""
        return float(self.number) * _WORTH[self.currency]

    def __str__(self) -> str:
        """Written by us: whole units, a comma for thousands, the currency's code."""
        cents = self.number < 100 and self.number != int(self.number)
        return f"{self.number:,.2f} {self.currency}" if cents else f"{self.number:,.0f} {self.currency}"


def largest_amount(text: str) -> Worth | None:
    """The amount worth most of those in the first 50,000 characters of a text, or None."""
    found = (Worth(amount.value, amount.currency) for amount in amounts(text[:_READ]))
    return max((a for a in found if 0 < a.in_euro <= _MAX_WORTH), key=lambda a: a.in_euro, default=None)


def finance(case: Case) -> FactorValue:
    """The money at stake, by the largest amount named or by words alone."""
    amount = largest_amount(case.text)
    best = max(_of_amount(amount), _of_words(case.text), key=lambda each: each.value)
    return best._replace(value=best.value * case.origin.value)


def _of_amount(amount: Worth | None) -> FactorValue:
    if amount is None:
        return FactorValue(0.0, "It does not speak of money.")
    return FactorValue(
        next(v for limit, v in _BY_WORTH if amount.in_euro >= limit), f"It speaks of {amount}."
    )


def _of_words(text: str) -> FactorValue:
    if MONEY_DUE.search(text):
        return FactorValue(0.8, "It speaks of something to be paid.")
    if common.NEW_BANK_DETAILS.search(text):
        return FactorValue(0.8, "It speaks of bank details.")
    if MONEY.search(text):
        return FactorValue(0.6, "It speaks of a matter of money.")
    if PRICES.search(text):
        return FactorValue(0.4, "It speaks of a price or costs.")
    return FactorValue(0.0, "It does not speak of money.")


_FACTORS: Mapping[str, Callable[[Case], FactorValue]] = {
    "sender authority": authority,
    "urgency": urgency,
    "deadline": deadline,
    "financial": finance,
    "thread activity": activity,
    "recipient position": position,
}
