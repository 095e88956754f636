"""Separating what a message adds from history and signature."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.mail.quoting import ReplyParts, split_reply

ATTRIBUTIONS = [
    "On Mon, 3 May 2027 at 10:00, Bo Lee <bo@example.com> wrote:",
    "Am Mo., 3. Mai 2027 um 10:00 Uhr schrieb Bo Lee <bo@example.com>:",
    "2027年5月3日(月) 10:00 Bo Lee <bo@example.com>:",
]


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_attributions_begin_history(attribution: str) -> None:
    """An attribution of many languages and the marked lines below it are history."""
    parts = split_reply(f"Yes, Monday works.\n\n{attribution}\n> Can we meet?\n> Bo")
    assert parts == ReplyParts("Yes, Monday works.", f"{attribution}\n> Can we meet?\n> Bo")


@pytest.mark.parametrize(
    "block",
    [
        "________________________________\nFrom: Bo Lee\nSent: Monday, May 3, 2027\nTo: Ana\nSubject: Ring\n\nold",
        "*From:* Bo Lee\n*Sent:* Monday\n*To:* Ana\n*Subject:* Ring\n\nold",
        "-----Original Message-----\nold",
        "---------- Forwarded message ---------\nFrom: Bo <bo@example.com>\nold",
        "Von: Bo Lee\nGesendet: Montag\nAn: Ana\nBetreff: Ring\n\nold",
    ],
)
def test_header_blocks_begin_history(block: str) -> None:
    """The header blocks and separators of mail programs begin history."""
    assert split_reply(f"Please see below.\n\n{block}") == ReplyParts("Please see below.", block)


def test_answers_between_quotes_are_text() -> None:
    """Answers below and between quoted lines belong to the message."""
    parts = split_reply(
        "On Mon, 3 May 2027 at 10:00, Bo wrote:\n\n> Can we meet?\n\nYes.\n\n> With the ring?\n\nNo.\n\n-- \nAna"
    )
    assert parts.text.split() == ["Yes.", "No."]
    assert parts.quoted.count(">") == 2
    assert parts.signature == "-- \nAna"


@pytest.mark.parametrize(
    "text",
    [
        "From: Paris\nTo: Rome\nDate: 3 May\nPlease book it.",
        "Thanks, I will come.\nThank you,\nbut could you also bring the ring?\nSee you there",
        "Two things:\n\n- one\n- two\n\nBye",
        "Best,\nAna",
        "> only a quote",
        "---------- Forwarded message ---------\nFrom: Bo <bo@example.com>\nDate: x\nSubject: y\n\nbody",
    ],
)
def test_nothing_is_split_without_need(text: str) -> None:
    """Lists, forms, thanks in mid-letter and bare forwards stay whole."""
    assert split_reply(text) == ReplyParts(text)


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nAna Petrova\nExample Ltd",
        "Best regards,\nAna Petrova\n+1 555 0100",
        "Mit freundlichen Grüßen\nAna",
        "Sent from my iPhone",
    ],
)
def test_signatures_are_split_off(signature: str) -> None:
    """Delimited signatures, closing phrases and lines of phones are signatures, above history too."""
    old = "On Mon, 3 May 2027 at 10:00, Bo wrote:\n> old"
    assert split_reply(f"Hello Bo.\n\n{signature}\n\n{old}") == ReplyParts("Hello Bo.", old, signature)


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *ATTRIBUTIONS,
                "> quoted",
                ">> deep",
                "-- ",
                "--",
                "Best regards,",
                "Ana",
                "",
                "From: a@b.example",
            ]
        ),
        st.sampled_from(
            ["Subject: x", "Sent: y", "_" * 32, "wrote:", "Sent from my phone", "-----Original Message-----"]
        ),
        st.text(max_size=20),
    ),
    max_size=15,
).map("\n".join)


@given(LINES)
def test_nothing_is_lost(text: str) -> None:
    """Every character but white space is in one of the three parts, as often as before."""
    parts = split_reply(text)
    joined = parts.text + parts.quoted + parts.signature
    assert Counter("".join(joined.split())) == Counter("".join(text.split()))
    assert parts.text.strip() or not text.strip()
