"""Separating what a message adds from history and signature."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.mail.text import ReplyParts, split_reply

ATTRIBUTIONS = [
    "On Mon, 3 May 2027 at 10:00, Bo Lee <bo@example.com> wrote:",
    "Am Mo., 3. Mai 2027 um 10:00 Uhr schrieb Bo Lee <bo@example.com>:",
    "2027年5月3日(月) 10:00 Bo Lee <bo@example.com>:",
    "po 3. 5. 2027 v 10:00 odesílatel Bartholomew Alexander Cholmondeley-Smythe\n<bartholomew@cholmondeley-smythe.example> napsal:",
    "-------- Původní zpráva --------\n3. 5. 2027 v 10:00, Bo Lee:",
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
        "-----Αρχικό μήνυμα-----\nΑπό: Bo Lee\nΣτάλθηκε: 3 Μαΐου 2027 10:00\nΠρος: Ana\nΘέμα: Ring\n\nold",
        "    Dne pondělí 3. května 2027 10:00:12 SEČ uživatel Bo Lee zaslal:\n\n    old",
    ],
)
def test_header_blocks_begin_history(block: str) -> None:
    """The header blocks and separators of mail programs begin history, in languages whose words nobody listed as well."""
    assert split_reply(f"Please see below.\n\n{block}") == ReplyParts("Please see below.", block)


@pytest.mark.parametrize(
    "history",
    [
        "{0}\n> Fine.\n>\n> {1}\n>\n> > Monday?\n> > > Or Tuesday?",
        "{0}\n\n{1}\n> Monday?\n\nFine.",
        "{0}\n> Fine.\n{1}\n>> Monday?",
        "---------- Forwarded message ---------\nFrom: Bo <bo@example.com>\nTo: Al\n\nFine.\n\n{1}\n> Monday?\n\nBye",
        "Begin forwarded message:\n\n> From: Bo <bo@example.com>\n>\n> Fine.\n>\n>> {1}\n>>\n>> Monday?",
    ],
)
def test_nothing_of_a_nested_quotation_is_text(history: str) -> None:
    """Quotations in a quotation, and an answer within a forwarded mail, are history with their heads."""
    history = history.format(*ATTRIBUTIONS)
    assert split_reply(f"Yes, Monday works.\n\n{history}") == ReplyParts("Yes, Monday works.", history)


@pytest.mark.parametrize(
    "own",
    [
        "On Monday 3 May 2027 at 10:00 the following applies:\n\nThe gate is closed. Please ring.",
        "When: Monday, 3 May 2027, 10:00\nWhere: the workshop\nWho: Bo Lee <bo@example.com>\n\nDoes it suit you?",
        "Who: Bo Lee <bo@example.com>\nWhen: 3 May 2027 10:00\nWhere: the workshop\nWhat: the ring\n\nDoes it suit you?",
        "Name: Bo Lee\nTelefon: 030 1234567\nE-Mail: bo@example.com\nDatum: 3.5.2027 10:00\n\nBitte um Rückruf.",
        "-----Reservation-----\nName: Bo Lee\nDate: 3 May 2027 10:00\nGuests: 4\nPhone: 030 1234567\n\nPlease confirm.",
        "________________________________\nWhen: 3 May 2027 10:00\nWhere: the workshop\nWho: Bo and Al\n\nPlease confirm.",
        "Write to bo@example.com by 3 May 2027, 10:00, which of these you want:\n\n- the oak\n- the ash",
        "I reached Bo Lee <bo@example.com> and he says:\n\nThe ring is ready.",
        "The programme of 3.5.2027:\n10:00 Welcome\n11:00 Talk: wood\n12:00 Lunch",
        "The server went down on 3 May 2027 at 10:00:12 UTC with this error:\n\nThe disk is full.",
        "Unsere Termine am 3.05.27 ab 10:00 Uhr sind wie folgt:\n\nMontag und Dienstag.",
        "As I wrote on 3.5.2027, there are some things left that we have to settle before the fitting of the ring:\n\n- the size",
        "Bank: Example Bank\nIBAN: DE00 1234\nName: Bo Lee\n\nPlease pay by Monday.",
        "Two questions:\n\n1. Is 10:00 right?\n2. Is 2027 right: yes or no?",
    ],
)
def test_own_text_that_looks_like_a_head_is_not_lost(own: str) -> None:
    """Forms, lists of details and announcements of times stay the writer's own."""
    assert split_reply(f"Hello Ana,\n\n{own}") == ReplyParts(f"Hello Ana,\n\n{own}")


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
