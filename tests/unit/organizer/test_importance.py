"""How important ordinary mail is."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.graphs.organizer.importance import (
    WEIGHTS,
    Factor,
    Importance,
    Level,
    Relation,
    importance_of,
    is_vip,
)
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation, Message

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)  # A Friday.
ME = Address("robin@vale.example", "Robin Vale")
ANA = Address("ana@petrova.example", "Ana Petrova")
FRIEND, COLLEAGUE, VIP = Relation(is_correspondent=True), Relation(is_colleague=True), Relation(is_vip=True)
STRANGER = Relation()


def message(text: str, subject: str = "Hello", *, to: tuple[Address, ...] = (ME,), **headers: str) -> Message:
    """A message of half an hour ago."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Message("1", "1", ANA, subject, text, to=to, date=NOW - timedelta(minutes=30), headers=named)


def weighed(conversation: Conversation | Message, relation: Relation = STRANGER) -> Importance:
    """Its importance to Robin."""
    whole = conversation if isinstance(conversation, Conversation) else Conversation(conversation)
    return importance_of(whole, relation, own=frozenset({ME.key}), now=NOW, timezone="Europe/Berlin")


def value(found: Importance, name: str) -> float:
    """One factor's value."""
    return next(factor.value for factor in found.factors if factor.name == name)


@pytest.mark.parametrize(
    ("mail", "relation", "level"),
    [
        (message("Please decide today whether we pay: the invoice over 4,000 euro is due today.", "Urgent: invoice"),
         VIP, Level.critical),
        (message("Bitte sofort überweisen: die Rechnung über 2.300,00 € ist bis morgen fällig.", "Dringend: Rechnung"),
         VIP, Level.critical),
        (message("Could you send me the signed contract by Monday? It is about 1,800 euro."), COLLEAGUE, Level.high),
        (message("The boiler is leaking, please call the plumber immediately! He wants 300 euro by tomorrow."),
         FRIEND, Level.high),
        (message("Are you coming to the party?"), FRIEND, Level.normal),
        (message("Could you look at the drawings?"), COLLEAGUE, Level.normal),
        (message("Könntest du mir das Protokoll schicken?"), COLLEAGUE, Level.normal),
        (message("Thanks, all fine."), STRANGER, Level.low),
        (message("Our news of the week.", "Weekly digest", list_id="<news.shop.example>"), STRANGER, Level.low),
        (message("URGENT! 50% off everything, ends today! Pay 999 euro instead of 2,000 euro!", "LAST CHANCE: urgent",
                 list_unsubscribe="<https://shop.example/u>"), STRANGER, Level.low),
        (message("Action required immediately: your invoice over 5,000 euro is due today.", "Urgent", precedence="bulk"),
         FRIEND, Level.low),
    ],
)  # fmt: skip
def test_every_level_is_reached_by_ordinary_mail(mail: Message, relation: Relation, level: Level) -> None:
    """And advertising that shouts stays low."""
    found = weighed(mail, relation)
    assert found.level is level, [(f.name, f.value, f.reason) for f in found.factors]


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (0, "low"),
        (0.3999, "low"),
        (0.4, "normal"),
        (0.6999, "normal"),
        (0.7, "high"),
        (0.9, "high"),
        (0.9001, "critical"),
    ],
)
def test_where_the_levels_begin(score: float, level: str) -> None:
    """0.9 itself is high, 0.7 is high, 0.4 is normal."""
    assert Importance(score, ()).level == level


def test_the_score_is_the_weighted_sum() -> None:
    """The weights add up to one, and each factor has one."""
    found = weighed(message("Could you pay the invoice by tomorrow?"), COLLEAGUE)
    assert [factor.name for factor in found.factors] == list(WEIGHTS)
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert found.score == pytest.approx(sum(f.weight * f.value for f in found.factors), abs=1e-4)
    assert Factor("urgency", 1, "x").weight == 0.2


def test_a_sender_in_doubt_is_never_critical() -> None:
    """However urgent it sounds: that is how such mail works."""
    mail = message("Pay 4,000 euro today, by tonight!", "Urgent")
    answered = Conversation(mail, (message("x"), message("y"), message("z"), message("w")))
    assert weighed(answered, Relation(is_vip=True)).level is Level.critical
    assert weighed(answered, Relation(is_vip=True, in_doubt=True)).level is not Level.critical


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please answer by Monday.", 0.8),
        ("The report is due tomorrow.", 1.0),
        ("It has to be done by end of day.", 1.0),
        ("Bitte bis morgen antworten.", 1.0),
        ("Die Frist ist der 27. November.", 0.6),
        ("Réponds avant lundi, s'il te plaît.", 0.8),
        ("Necesito el informe antes del lunes.", 0.8),
        ("Please confirm within 24 hours.", 1.0),
        ("Please confirm within two weeks, no later than 3 December 2026.", 0.4),
        ("The deadline is 31 January 2027.", 0.2),
        ("I will be in Berlin on Monday.", 0.0),
        ("By the way, thanks.", 0.0),
        ("It was due on 2 November 2026.", 0.0),
    ],
)  # fmt: skip
def test_deadlines(text: str, expected: float) -> None:
    """The nearer the more; a day that is no deadline counts for nothing."""
    assert value(weighed(message(text)), "deadline") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs 4,000 euro.", 1.0), ("Es kostet 4.000,00 €.", 1.0), ("$1200", 1.0), ("CHF 1'250.00", 1.0), ("€ 120", 0.8),
        ("12,50 €", 0.5), ("the invoice", 0.5), ("die Überweisung", 0.5), ("We are 4000 people.", 0.0), ("", 0.0),
    ],
)  # fmt: skip
def test_money(text: str, expected: float) -> None:
    """Amounts with a currency, and words about money."""
    assert value(weighed(message(text)), "financial") == expected


def test_where_the_user_stands() -> None:
    """Alone in To, among a few, in copy, or not at all."""
    others = tuple(Address(f"p{n}@example.com") for n in range(5))
    places = [(ME,), (ME, *others[:2]), (ME, *others), others[:1]]
    assert [value(weighed(message("Hi", to=to)), "recipient position") for to in places] == [
        1.0,
        0.7,
        0.4,
        0.1,
    ]


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        ("ceo@example.com", True), ("CEO@Example.com", True), ("x@board.example", True), ("x@eu.board.example", True),
        ("x@notboard.example", False), ("x@board.example.evil.test", False), ("ceo@example.com.evil.test", False),
        ("other@example.com", False), ("", False),
    ],
)  # fmt: skip
def test_vips_are_matched_on_the_address(address: str, is_one: bool) -> None:
    """Addresses and domains; what the display name claims counts for nothing."""
    assert is_vip(Address(address, "ceo@example.com"), ("ceo@example.com", "@Board.example", "")) is is_one


@given(st.text(max_size=400), st.text(max_size=80))
def test_any_text_has_a_score(text: str, subject: str) -> None:
    """Between 0 and 1, with a reason for each factor."""
    found = weighed(message(text, subject))
    assert 0 <= found.score <= 1
    assert all(0 <= f.value <= 1 and f.reason.endswith(".") for f in found.factors)


@pytest.mark.parametrize(
    "text",
    ["by " * 200_000, "1" * 1_000_000, "1.000." * 200_000, "€ 1 " * 200_000, "due " + "Monday, " * 100_000, "urgent " * 150_000,
     "within 999 weeks " * 50_000, "a@b " * 250_000],
)  # fmt: skip
def test_hostile_texts_take_no_time(text: str) -> None:
    """A megabyte of each is read in a moment."""
    started = time.perf_counter()
    weighed(message(text, text[:5000]))
    assert time.perf_counter() - started < 3


def test_ten_thousand_recipients() -> None:
    """They are counted, no more."""
    crowd = tuple(Address(f"p{n}@example.com") for n in range(10_000))
    found = weighed(message("Hi", to=crowd))
    assert value(found, "recipient position") == 0.1
