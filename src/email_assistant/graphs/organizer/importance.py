"""How important a mail is: six factors, each with its weight and its reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.mail.address import Address
from email_assistant.mail.bulk import bulk_of
from email_assistant.mail.lookalikes import FREE_MAIL, registered
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.deadlines import days_left
from email_assistant.models.offline.money import is_about_money, largest_amount
from email_assistant.models.offline.reading import own_words, subject_words
from email_assistant.models.offline.words import QUESTION, REQUEST

WEIGHTS = {
    "sender authority": 0.25,
    "urgency": 0.20,
    "deadline": 0.20,
    "financial": 0.15,
    "thread activity": 0.10,
    "recipient position": 0.10,
}
BULK_DISCOUNT = 0.2
"""What urgency, deadlines and money in mail to many are worth: advertising is full of them."""
ACTIVE = timedelta(days=7)
FEW = 3
LARGE, MEDIUM = 1000.0, 100.0
"""Amounts, in whatever currency."""
DOUBTED = 0.9
"""A sender in doubt cannot be critical."""

_URGENT = re.compile(
    r"\b(?:urgent(?:ly)?|asap|as soon as possible|immediately|right away|emergency|critical|action required|time[- ]sensitive|"
    r"dringend|eilig|eilt|sofort|umgehend|schnellstmöglich|notfall|urgente(?:mente)?|cuanto antes|inmediatamente|de inmediato|"
    r"urgence|au plus vite|immédiatement|dès que possible)\b|至急|緊急",
    re.IGNORECASE,
)


class Level(StrEnum):
    """What a score means."""

    critical = "critical"
    """Above 0.9."""
    high = "high"
    """From 0.7."""
    normal = "normal"
    """From 0.4."""
    low = "low"


@dataclass(frozen=True, slots=True)
class Factor:
    """One of the six: its value from 0 to 1, and in a sentence for the user where that comes from."""

    name: str
    value: float
    reason: str

    @property
    def weight(self) -> float:
        """Its share of the score."""
        return WEIGHTS[self.name]


@dataclass(frozen=True, slots=True)
class Importance:
    """The score, 0 to 1, and what it is made of."""

    score: float
    factors: tuple[Factor, ...]

    @property
    def level(self) -> Level:
        """What the score means."""
        if self.score > 0.9:
            return Level.critical
        if self.score >= 0.7:
            return Level.high
        return Level.normal if self.score >= 0.4 else Level.low

    def as_json(self) -> dict[str, Any]:
        """For the state of a run."""
        factors = [
            {"name": f.name, "weight": f.weight, "value": f.value, "reason": f.reason} for f in self.factors
        ]
        return {"score": self.score, "level": self.level.value, "factors": factors}


@dataclass(frozen=True, slots=True)
class Relation:
    """What the sender is to the user."""

    is_vip: bool = False
    is_correspondent: bool = False
    """The user has written to them."""
    is_colleague: bool = False
    """Of the user's own organisation."""
    in_doubt: bool = False
    """Perhaps it is somebody else."""


def importance_of(
    conversation: Conversation, relation: Relation, *, own: frozenset[str], now: datetime, timezone: str
) -> Importance:
    """The importance of the current message. Reads long texts: call it in a thread."""
    message = conversation.current
    text = own_words(message)
    bulk = bulk_of(message).one_way and not relation.is_vip
    factors = (
        _authority(relation, bulk=bulk),
        _discounted(_urgency(message, text), bulk=bulk),
        _discounted(_deadline(message, text, now, ZoneInfo(timezone)), bulk=bulk),
        _discounted(_financial(text), bulk=bulk),
        _activity(conversation, own, now),
        _position(message, own),
    )
    score = round(sum(factor.weight * factor.value for factor in factors), 4)
    return Importance(min(score, DOUBTED) if relation.in_doubt else score, factors)


def is_vip(address: Address, vips: Sequence[str]) -> bool:
    """Whether an address is one of these, or of one of these domains or below them; the name never counts."""
    domain = address.domain.lower()
    for vip in vips:
        wanted = vip.strip().lower().removeprefix("@")
        if "@" in wanted:
            if address.key == wanted:
                return True
        elif wanted and (domain == wanted or domain.endswith(f".{wanted}")):
            return True
    return False


def is_colleague(address: Address, own: frozenset[str]) -> bool:
    """Whether an address is of the same organisation as one of the user's; mail providers are none."""
    mine = {registered(Address(each).domain) for each in own} - FREE_MAIL
    return bool(address.domain) and registered(address.domain) in mine


def _authority(relation: Relation, *, bulk: bool) -> Factor:
    name = "sender authority"
    if relation.in_doubt:
        return Factor(name, 0.0, "The sender is in doubt.")
    if relation.is_vip:
        return Factor(name, 1.0, "The sender is one of your VIPs.")
    if bulk:
        return Factor(name, 0.1, "It was sent to many, or by a machine.")
    if relation.is_colleague:
        return Factor(name, 0.9, "The sender is of your own organisation.")
    if relation.is_correspondent:
        return Factor(name, 0.8, "You have written to the sender before.")
    return Factor(name, 0.4, "You have never written to the sender.")


def _urgency(message: Message, text: str) -> Factor:
    if _URGENT.search(subject_words(message)):
        return Factor("urgency", 1.0, "The subject says that it is urgent.")
    if _URGENT.search(text):
        return Factor("urgency", 0.95, "It says that it is urgent.")
    if message.headers.get("importance", "").strip().lower() == "high":
        return Factor("urgency", 0.7, "The sender has marked it as important.")
    if REQUEST.search(text) or QUESTION.search(text):
        return Factor("urgency", 0.5, "It asks you for something.")
    return Factor("urgency", 0.0, "Nothing in it is urgent.")


def _deadline(message: Message, text: str, now: datetime, zone: ZoneInfo) -> Factor:
    received = (message.date or now).astimezone(zone).date()
    left = days_left(text, received, now.astimezone(zone).date())
    if left is None:
        return Factor("deadline", 0.0, "It names no deadline.")
    if left <= 1:
        return Factor("deadline", 1.0, "The deadline is today or tomorrow.")
    value = 0.8 if left <= 3 else 0.6 if left <= 7 else 0.4 if left <= 14 else 0.2
    return Factor("deadline", value, f"The deadline is in {left} days.")


def _financial(text: str) -> Factor:
    amount, about = largest_amount(text), is_about_money(text)
    if amount >= LARGE:
        return Factor("financial", 1.0, f"It is about an amount of {amount:,.0f}.")
    if amount >= MEDIUM:
        return Factor("financial", 0.8, f"It is about an amount of {amount:,.0f}.")
    if amount or about:
        return Factor("financial", 0.5, "It is about money.")
    return Factor("financial", 0.0, "It is not about money.")


def _activity(conversation: Conversation, own: frozenset[str], now: datetime) -> Factor:
    recent = [m for m in conversation.earlier if m.date and now - m.date <= ACTIVE]
    took_part = any(m.sender.key in own for m in conversation.earlier)
    value = min(1.0, 0.2 + 0.2 * len(recent) + (0.3 if took_part else 0.0))
    spoken = f"{len(recent)} earlier {'message' if len(recent) == 1 else 'messages'} in the last week"
    return Factor("thread activity", value, f"{spoken}{', and you took part' if took_part else ''}.")


def _position(message: Message, own: frozenset[str]) -> Factor:
    name = "recipient position"
    if any(address.key in own for address in message.to):
        if len(message.to) == 1:
            return Factor(name, 1.0, "It was sent to you alone." if not message.cc else "It was sent to you.")
        return Factor(
            name, 0.7 if len(message.to) <= FEW else 0.4, f"It was sent to {len(message.to)} people."
        )
    if any(address.key in own for address in message.cc):
        return Factor(name, 0.3, "You are in copy.")
    return Factor(name, 0.1, "Your address is not among the recipients.")


def _discounted(factor: Factor, *, bulk: bool) -> Factor:
    if not bulk or not factor.value:
        return factor
    return Factor(factor.name, factor.value * BULK_DISCOUNT, f"{factor.reason} Mail to many often says so.")
