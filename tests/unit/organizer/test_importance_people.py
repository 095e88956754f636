"""Who writes, to whom, and how lively the conversation is."""

from typing import Any

import pytest

from email_assistant.mail.address import Address
from email_assistant.workflows.inbox_organizer.importance import Factor, importance_of, is_colleague, is_vip
from email_assistant.workflows.inbox_organizer.importance_case import Relation
from tests.unit.offline.building import OWN, ROBIN, WEDNESDAY, conversation, message
from tests.unit.organizer.test_importance import BERLIN, factor, weigh

ANA, TOM = Address("ana@example.com", "Ana"), Address("tom@example.org", "Tom")


def people(count: int) -> tuple[Address, ...]:
    """So many others."""
    return tuple(Address(f"p{n}@example.org") for n in range(count))


@pytest.mark.parametrize(
    ("relation", "value"),
    [
        (Relation(is_vip=True), 1.0),
        (Relation(is_correspondent=True), 0.8),
        (Relation(), 0.4),
        (Relation(in_doubt=True), 0.0),
        (Relation(is_vip=True, is_colleague=True, is_correspondent=True, in_doubt=True), 0.0),
    ],
)
def test_authority(relation: Relation, value: float) -> None:
    """A VIP counts most, a stranger little, and who may be forged not at all."""
    assert factor(weigh("Hello", relation), "sender authority").value == value


def test_whom_the_user_answered_in_the_conversation_is_known() -> None:
    """The user's own earlier message to the sender counts, one that came in from outside does not."""
    for headers, value in (({}, 0.8), ({"return-path": "<x@evil.test>"}, 0.4)):
        mine = message("Yes", sender=ROBIN.email, to=(ANA,), headers=headers)
        found = importance_of(
            conversation("Thanks", earlier=(mine,)),
            own=OWN,
            relation=Relation(),
            now=WEDNESDAY,
            timezone=BERLIN,
        )
        assert factor(found, "sender authority").value == value


def position(**more: Any) -> Factor:
    """The factor for these recipients."""
    return factor(weigh(more.pop("text", "Hello"), **more), "recipient position")


@pytest.mark.parametrize(
    ("to", "cc", "value"),
    [
        ((ROBIN,), (), 1.0),
        ((ROBIN, *people(2)), (), 0.8),
        ((ROBIN, *people(30)), (), 0.3),
        (people(1), (ROBIN,), 0.4),
        (people(1), people(2), 0.0),
    ],
)
def test_position(to: tuple[Address, ...], cc: tuple[Address, ...], value: float) -> None:
    """Alone in To counts most, one of few less, a copy little, a blind copy nothing."""
    assert position(to=to, cc=cc).value == value


VIPS = frozenset({"ceo@example.com", "example.org", "@Example.NET", " bücher.example ", "com", "@", "", "x@"})


@pytest.mark.parametrize(
    "email",
    ["ceo@example.com", "CEO@example.com", "anybody@example.org", "a@mail.example.org", "a@example.net",
     "a@deep.sub.example.net", "a@example.org.", "a@xn--bcher-kva.example"],
)  # fmt: skip
def test_vips(email: str) -> None:
    """By address, and by domain with its subdomains, however it is written."""
    assert is_vip(Address(email), VIPS)


@pytest.mark.parametrize(
    "email",
    ["cto@example.com", "ceo@mail.example.com", "a@notexample.org", "a@example.org.evil.test", "a@example",
     "example.org@evil.test", "ceo@example.com@evil.test", '"a@example.org"@evil.test', "a@net", "", "example.org",
     "ceo+x@example.com"],
)  # fmt: skip
def test_no_vips(email: str) -> None:
    """Neighbours, look-alikes and what merely contains a VIP's address are nobody."""
    assert not is_vip(Address(email), VIPS)


def test_a_vips_name_makes_nobody_a_vip() -> None:
    """Everybody can call themselves what they like."""
    assert not is_vip(Address("x@evil.test", "ceo@example.com"), VIPS)
    assert not is_vip(Address("x@evil.test"), frozenset())


def test_colleagues() -> None:
    """Of the same organisation, subdomains included; a provider of mail for all is none."""
    own = frozenset({"robin@vale.example", "robin.vale@gmail.com"})
    assert is_colleague(Address("ida@vale.example"), own)
    assert is_colleague(Address("ida@berlin.vale.example"), own)
    assert not is_colleague(Address("x@gmail.com"), own)
    assert not is_colleague(Address("x@vale.example.evil.test"), own)
    assert not is_colleague(Address("x@notvale.example"), own)
    assert not is_colleague(Address("x@localhost"), frozenset({"robin@localhost"}))
    assert not is_colleague(Address(""), frozenset({"", "robin"}))


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [("vale.me.uk", "evil.me.uk"), ("vale.com.au", "evil.com.au"), ("vale.github.io", "evil.github.io")],
)
def test_neighbours_below_a_public_suffix_are_no_colleagues(mine: str, theirs: str) -> None:
    """Anybody may register a name beside the user's; below the user's own only the user may."""
    own = frozenset({f"ana@{mine}"})
    assert not is_colleague(Address(f"x@{theirs}"), own)
    assert is_colleague(Address(f"x@mail.{mine}"), own)
