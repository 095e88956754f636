"""The importance of ordinary mail."""

from datetime import datetime
from math import fsum
from typing import Any

import pytest

from email_assistant.workflows.inbox_organizer.importance import (
    WEIGHTS,
    Factor,
    Importance,
    Level,
    importance_of,
)
from email_assistant.workflows.inbox_organizer.importance_case import Relation
from tests.unit.offline.building import OWN, WEDNESDAY, conversation

BERLIN = "Europe/Berlin"
BOSS = Relation(is_vip=True)
COLLEAGUE = Relation(is_colleague=True, is_correspondent=True)
FRIEND = Relation(is_correspondent=True)
STRANGER = Relation()
BULK = {"list-unsubscribe": "<https://shop.example/leave>", "list-id": "Shop <news.shop.example>"}


def weigh(text: str, relation: Relation = FRIEND, *, now: datetime = WEDNESDAY, **more: Any) -> Importance:
    """The importance of a message to Robin, written and read on Wednesday, 18 November 2026 unless told otherwise."""
    return importance_of(conversation(text, **more), own=OWN, relation=relation, now=now, timezone=BERLIN)


def factor(importance: Importance, name: str) -> Factor:
    """One of the factors."""
    return next(f for f in importance.factors if f.name == name)


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (0.399999, Level.LOW),
        (0.4, Level.NORMAL),
        (0.699999, Level.NORMAL),
        (0.7, Level.HIGH),
        (0.9, Level.HIGH),
        (0.900001, Level.CRITICAL),
    ],
)
def test_bounds_of_the_levels(score: float, level: Level) -> None:
    """0.4 itself is normal, 0.7 itself and 0.9 itself are high."""
    assert Importance(score, ()).level == level


@pytest.mark.parametrize(
    ("level", "relation", "text", "more"),
    [
        (Level.CRITICAL, BOSS, "Please decide today, the invoice over 4,000 euro is due tonight.", {}),
        (Level.HIGH, COLLEAGUE, "Can you review the slides by tomorrow?", {}),
        (Level.HIGH, FRIEND, "Your rent of 900 euro is overdue, please pay by Friday.", {}),
        (Level.NORMAL, BOSS, "The minutes of the meeting are attached.", {}),
        (Level.NORMAL, FRIEND, "Do you remember the name of that restaurant?", {}),
        (Level.LOW, FRIEND, "Greetings from the seaside!", {}),
        (Level.LOW, FRIEND, "This week in design: eleven chairs.", {"headers": BULK}),
        (Level.LOW, STRANGER, "LAST CHANCE! 50% off ends today", {"sender": "shop@shop.example"}),
    ],
)
def test_levels(level: Level, relation: Relation, text: str, more: dict[str, Any]) -> None:
    """By who wants what until when, and how much money is in it; nobody gains anything by shouting."""
    assert weigh(text, relation, **more).level == level


@pytest.mark.parametrize("name", ["urgency", "deadline", "financial"])
def test_words_of_programs_and_mailings_count_less(name: str) -> None:
    """The same words count most from a person, less from a program and least in a mailing."""
    text = "Urgent: please pay the invoice over 4,000 EUR today."
    person, program, mailing = (
        factor(weigh(text, headers=headers), name).value
        for headers in ({}, {"auto-submitted": "auto-generated"}, BULK)
    )
    assert person == 1.0
    assert person > program > mailing > 0


def test_a_vips_program_counts_like_a_person() -> None:
    """Who makes the bank's address a VIP wants its warnings to count, though a program wrote them."""
    text = "An unusual payment of 1,240.00 EUR was blocked. Please confirm it today."
    headers = {"auto-submitted": "auto-generated"}
    assert weigh(text, BOSS, headers=headers).level == Level.CRITICAL
    assert not weigh(text, STRANGER, headers=headers).level.at_least(Level.HIGH)


def test_what_was_said_before_does_not_count() -> None:
    """Neither the quoted history, nor the signature, nor the subject of a reply presses."""
    found = weigh(
        "Done, thank you.",
        subject="Re: URGENT: please answer today",
        quoted="Please answer today!",
        signature="Urgent? Call 0800 today.",
    )
    assert factor(found, "urgency").value <= 0.2
    assert factor(found, "deadline").value == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("This is urgent.", 1.0),
        ("It's not urgent.", 0.0),
        ("Answer whenever you have time, no hurry.", 0.0),
        ("We will answer as soon as possible.", 0.2),
        ("In urgent cases call the reception.", 0.2),
        ("Could you call me today?", 1.0),
        ("Could you send me the plan?", 0.5),
        ("I am disappointed, I want a refund.", 0.7),
        ("We had a lovely time.", 0.2),
    ],
)
def test_urgency(text: str, value: float) -> None:
    """Pressure counts, a wish counts by its day, and what says that it can wait may wait."""
    assert factor(weigh(text), "urgency").value == pytest.approx(value)


def test_factors_add_up() -> None:
    """The six factors come in the order of their weights, and the score is their weighted sum."""
    found = weigh("Please pay 300 euro by Friday.")
    assert {f.name: f.weight for f in found.factors} == dict(WEIGHTS)
    assert [f.weight for f in found.factors] == [0.25, 0.20, 0.20, 0.15, 0.10, 0.10]
    assert found.score == pytest.approx(fsum(f.weight * f.value for f in found.factors))
    assert all(f.reason.endswith(".") for f in found.factors)


def test_reasons_name_the_amount_and_the_day() -> None:
    """What is said to the user is our own writing of what was found."""
    reasons = {f.name: f.reason for f in weigh("Please pay 1.240,00 EUR by 25 November.").factors}
    assert reasons["financial"] == "It speaks of 1,240 EUR."
    assert reasons["deadline"] == "The deadline is on Wednesday 25 November 2026."
