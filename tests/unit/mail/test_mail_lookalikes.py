"""What looks alike, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.mail.domains import (
    FREE_MAIL,
    IMITATED,
    MAX_SKELETON,
    SERVICES,
    domain_skeleton,
    imitated,
    is_disguised,
    name_skeleton,
    seen,
    skeleton,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana Petrova", "ANA PETROVA"),
        ("Ana Petrova", "Petrova, Ana"),
        ("Ana Petrova", "Ana Petróva"),
        ("Ana Petrova", "\u0410na P\u0435tr\u043ev\u0430"),
        ("Ana Petrova", "Ana\u200b Petrova"),
        ("Bill Miller", "BiII MiIIer"),
    ],
)
def test_names_that_look_alike(one: str, other: str) -> None:
    """Case, blanks, accents, foreign letters and the order of the words make no difference."""
    assert name_skeleton(one) == name_skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana Petrova", "Ana Petrov"),
        ("Li Wei", "Wei Liu"),
    ],
)
def test_names_that_differ(one: str, other: str) -> None:
    """Different names stay different."""
    assert name_skeleton(one) != name_skeleton(other)


@pytest.mark.parametrize(
    "domain",
    ["佐々木.example", "例え.example", "한국.example", "почта.example", "münchen.example", "hawaiʻi.example", "1x1.example",
     "mu\u0308nchen.example", "xn--mnchen-3ya.example", "\u0440\u0430\u0439.\u0440\u0444"],
)  # fmt: skip
def test_foreign_domains_are_not_disguised(domain: str) -> None:
    """A domain in its own script, composed or not, raises no alarm."""
    assert not is_disguised(domain)


@pytest.mark.parametrize(
    "domain",
    ["p\u0430ypal.example", "\u0430\u0440\u0440\u04cf\u0435.example", "xn--80ak6aa92e.example", "\uff45xample.test",
     "\U0001d41example.test"],
)  # fmt: skip
def test_disguised_domains(domain: str) -> None:
    """Mixed scripts, one script read as another, and letters that no real name has are found."""
    assert is_disguised(domain)


def test_the_much_imitated_do_not_imitate_each_other() -> None:
    """No domain on our own lists raises an alarm, and no two have the same skeleton."""
    for domain in (*IMITATED, *FREE_MAIL, *SERVICES):
        assert imitated(domain, IMITATED) == "", domain
    everything = {*IMITATED, *FREE_MAIL, *SERVICES}
    assert len({skeleton(domain) for domain in everything}) == len(everything)


@given(st.text(max_size=300))
def test_every_text_has_a_short_skeleton(text: str) -> None:
    """Anything has a skeleton, bounded in length, which does not depend on case."""
    assert len(skeleton(text)) <= MAX_SKELETON
    assert len(name_skeleton(text)) <= MAX_SKELETON
    assert len(domain_skeleton(text)) <= MAX_SKELETON
    assert isinstance(seen(text), str)
    is_disguised(text)
