"""The importance of the sample mailbox."""

from datetime import timedelta

import pytest

from email_assistant.workflows.inbox_organizer.importance import (
    Importance,
    Level,
    importance_of,
    is_colleague,
)
from email_assistant.workflows.inbox_organizer.importance_case import Relation
from tests.unit.offline.building import OWN, WEDNESDAY, sample, sample_messages
from tests.unit.organizer.test_importance import BERLIN

CLIENTS = frozenset(
    ["mara@lindqvist.example", "ingrid.moe@fjordhotel.example", "gordon.pryce@mailbox.example", "hana.sato@kumo-textiles.example",
     "jonas@brandtholz.example", "claims@nordlicht.example", "grants@craftfund.example", "rosa@family.example",
     "daniel.ortiz@ortizhale.example", "lea@fontaine-paints.example", "tara@quinnlofts.example", "wiebke@hansen-logistik.example"]
)  # fmt: skip
"""Those of the senders whom Robin has written to before."""
DOUBTED = frozenset({"33", "35"})


def weighed(number: str, *, is_vip: bool = False) -> Importance:
    """The importance of the sample of that number, read a little after it came in."""
    mail = sample(number)
    sender = mail.current.sender
    relation = Relation(
        is_vip=is_vip,
        is_correspondent=sender.key in CLIENTS,
        is_colleague=is_colleague(sender, OWN),
        in_doubt=number in DOUBTED,
    )
    now = (mail.current.date or WEDNESDAY) + timedelta(minutes=20)
    return importance_of(mail, own=OWN, relation=relation, now=now, timezone=BERLIN)


@pytest.mark.parametrize("number", ["07", "08", "13", "31", "32", "46"])
def test_mailings_are_low(number: str) -> None:
    """Newsletter, promotion, social notification, cold sales, spam, and a question to a list."""
    assert weighed(number).level == Level.LOW


@pytest.mark.parametrize("number", ["17", "28"])
def test_what_cannot_wait_is_high(number: str) -> None:
    """The tiles that have to be ordered by Friday, and a complaint that wants an answer this week."""
    assert weighed(number).level == Level.HIGH


def test_a_vip_lifts_a_level() -> None:
    """The tiles come from a client who is a VIP."""
    assert weighed("17", is_vip=True).score - weighed("17").score == pytest.approx(0.05)
    assert weighed("02", is_vip=True).level == Level.NORMAL


@pytest.mark.parametrize("number", sorted(DOUBTED))
def test_pretenders_stay_below_high(number: str) -> None:
    """New bank details to be paid today, and somebody who claims to be Robin."""
    assert not weighed(number).level.at_least(Level.HIGH)


def test_only_few_are_high() -> None:
    """A level that half of the mail has says nothing: of all samples a few are high, most are normal or low."""
    levels = [weighed(name[:2]).level for name in sample_messages()]
    assert levels.count(Level.HIGH) + levels.count(Level.CRITICAL) <= len(levels) // 8
    assert levels.count(Level.NORMAL) > len(levels) // 4
    assert levels.count(Level.LOW) > len(levels) // 4
