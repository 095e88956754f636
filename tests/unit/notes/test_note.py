"""Notes and topics."""

import time

import pytest

from email_assistant.notes.note import topic


@pytest.mark.parametrize(
    "title",
    [
        "Spring budget",
        "  spring   BUDGET!",
        "Re: Spring budget",
        "AW: Fwd: RE[2]: spring-budget",
        "Ｓｐｒｉｎｇ budget",
    ],
)
def test_the_same_words_are_the_same_topic(title: str) -> None:
    """Case, prefixes of replies, punctuation and the width of letters do not count."""
    assert topic(title, "Work", "example.com") == topic("Spring budget", "WORK ", "Example.com") != ""


@pytest.mark.parametrize(
    ("title", "category", "domain"),
    [
        ("Spring budgets", "Work", "example.com"),
        ("Spring budget", "Home", "example.com"),
        ("Spring budget", "Work", "example.org"),
        ("Spring budget", "Work", "example.com\nx"),
    ],
)
def test_other_words_are_another_topic(title: str, category: str, domain: str) -> None:
    """Title, category and organisation all count."""
    assert topic(title, category, domain) != topic("Spring budget", "Work", "example.com")


@pytest.mark.parametrize("title", ["", "Invoice", "Re: Re:", "!!!", "Fwd: invoice"])
def test_one_word_is_no_topic(title: str) -> None:
    """What says next to nothing gathers nothing."""
    assert topic(title, "Work", "example.com") == ""


def test_a_sender_without_a_domain_has_no_topic() -> None:
    """Then nothing tells who belongs together."""
    assert topic("Spring budget", "Work", "") == ""


def test_endless_prefixes_take_no_time() -> None:
    """A subject of a million "Re:" is cut before it is read."""
    begun = time.perf_counter()
    topic("Re: " * 1_000_000 + "x y", "Work", "example.com")
    assert time.perf_counter() - begun < 1
