"""What the fact check lets through, and what it makes a gap."""

import json
from datetime import UTC, datetime

import pytest

from email_assistant.facts.check import check
from email_assistant.facts.fact import CheckedDraft, Own, Source

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
MAILED = datetime(2026, 11, 19, 16, tzinfo=UTC)
OWN = Own("Alex Doe", "alex@studio.example")


def checked(draft: str, theirs: str = "", ours: str = "") -> CheckedDraft:
    """A draft checked against one mail of the other party and one source of ours."""
    sources = (Source("the mail", theirs, "theirs", MAILED), Source("records", ours, "ours"))
    return check(draft, sources, now=NOW, timezone="Europe/Berlin", own=OWN)


@pytest.mark.parametrize(
    ("draft", "theirs"),
    [
        ("You ordered 1,234.50 EUR worth.", "1.234,50 €"),
        ("You asked for three chairs.", "3 chairs"),
        ("You asked for 24 plates.", "two dozen plates"),
        ("You named 3 March 2027.", "2027-03-03"),
        ("You named Tuesday, 24 November.", "next Tuesday"),
        ("You named 15:00.", "3pm"),
        ("You named 14 days.", "two weeks"),
        ("You wrote from 030 1234567 and call that the phone number.", "+49 30 1234567"),
        ("Your order A-1042 is here.", "order #A-1042"),
        ("Two lamps come to 39.80 EUR.", "2 lamps at 19.90 EUR each"),
        ("You named 23:00.", "5 pm ET"),
        ("You asked for ٣ chairs.", "3 chairs"),
        ("Thank you for your mail of 19 November.", ""),
    ],
)
def test_the_same_value_written_otherwise_is_supported(draft: str, theirs: str) -> None:
    """Numbers, dates, times, money and ids are compared by what they mean."""
    found = checked(draft, theirs)
    assert found.gaps == ()
    assert found.facts
    assert found.text == draft


@pytest.mark.parametrize(
    ("draft", "theirs", "quoted"),
    [
        ("You named 1.235,50 €.", "1,234.50 EUR", "1.235,50 €"),
        ("You named 12 USD.", "12 EUR", "12 USD"),
        ("You named 4 December 2027.", "4 December 2026", "4 December 2027"),
        ("You named 14:00-16:00.", "14:00-15:00", "14:00-16:00"),
        ("Your order is 1O42.", "order 1042", "1O42"),
        ("Your order is #А-1042.", "order #A-1042", "#А-1042"),
        ("See https://shop.example/b.", "https://shop.example/a", "https://shop.example/b"),
        ("2 x 19.90 EUR = 49.80 EUR", "2 lamps, 19.90 EUR", "49.80 EUR"),
        ("You named 31 November.", "31 November", "31 November"),
        ("Dear Tom,\nthanks.", "Regards, Priya", "Tom"),
    ],
)
def test_another_value_becomes_a_gap(draft: str, theirs: str, quoted: str) -> None:
    """What no source has is quoted in place, and the sentence around it stays."""
    found = checked(draft, theirs)
    assert [gap.quoted for gap in found.gaps] == [quoted]
    assert found.text == draft.replace(quoted, f"[confirm: {quoted}]", 1)


def test_a_weekday_and_its_date_must_agree() -> None:
    """Even when the mail makes the same mistake."""
    found = checked("You named Thursday, 4 December.", "Thursday, 4 December")
    assert found.gaps[0].reason == "4 December 2026 is a Friday"


class TestPromises:
    """What may be granted."""

    def test_the_other_partys_words_grant_nothing(self) -> None:
        """Neither a demand nor the claim that it was promised, not even in lines they quote."""
        for mail in (
            "You promised me a refund.",
            "I want a refund!",
            "> We will refund everything.\nas you wrote",
        ):
            found = checked("We will refund everything.", mail)
            assert [gap.kind for gap in found.gaps] == ["promise"]
            assert found.text == "[confirm: We will refund everything]."

    def test_a_source_of_ours_grants(self) -> None:
        """Unless it says the opposite."""
        assert checked("We will refund it.", ours="Damaged goods are refunded.").gaps == ()
        assert checked("We will refund it.", ours="We do not refund sale items.").gaps

    def test_what_is_granted_must_be_ours_too(self) -> None:
        """The amount of a refund does not rest on the mail that demands it; what it is for may."""
        draft = "We will refund 50 EUR for order #A-1042 of 3 March."
        mail = "Refund me 50 EUR for order #A-1042 of 3 March!"
        assert [gap.quoted for gap in checked(draft, mail, "Damaged goods are refunded.").gaps] == ["50 EUR"]
        assert checked(draft, mail, "Refunded: 50 EUR").gaps == ()

    @pytest.mark.parametrize(
        "draft",
        [
            "You asked for a refund.", "Thank you for your request for a replacement.", "Shall we refund it?",
            "We cannot refund it.", "I will look into the refund.", "I will get back to you.", "Es tut mir leid, dass Sie Ärger hatten.",
        ],
    )  # fmt: skip
    def test_restating_asking_and_denying_promise_nothing(self, draft: str) -> None:
        """These need no source."""
        assert checked(draft).gaps == ()


class TestHostile:
    """Text that was made to slip through."""

    def test_a_gap_of_the_draft_stays(self) -> None:
        """It is no claim, but it calls for a person; one that is not closed is closed."""
        found = checked("It costs [confirm: 5 EUR]. It takes [confirm: a week", "5 EUR")
        assert [gap.kind for gap in found.gaps] == ["gap", "gap"]
        assert found.text == "It costs [confirm: 5 EUR]. It takes [confirm: a week]"

    def test_a_gap_in_a_source_supports_nothing(self) -> None:
        """Nobody has confirmed what stands there."""
        assert checked("It costs 5 EUR.", "It costs [confirm: 5 EUR]", "[Confirm: 5 EUR]").gaps

    def test_invisible_characters_neither_hide_nor_join(self) -> None:
        """They are removed from the draft and from the sources before anything is read."""
        found = checked("It costs 5\u200b0 \u202eEUR\u202c.", "5 EUR, then 0")
        assert [gap.quoted for gap in found.gaps] == ["50 EUR"]
        assert checked("It costs 50 EUR.", "5\u200b0\u2060 EUR").gaps == ()

    def test_quoted_lines_claim_only_when_nobody_wrote_them(self) -> None:
        """A true quotation is the other party's; a made-up one is checked like the rest."""
        assert checked("> I want a refund of 5 EUR\n\nI see.", "I want  a refund of 5 EUR").gaps == ()
        assert checked("> I want a refund of 7 EUR\n\nI see.", "I want a refund of 5 EUR").gaps

    def test_the_sign_off_is_the_users(self) -> None:
        """A reply that signs with the sender's name is wrong although the mail has it."""
        found = checked("Hi Priya,\n\nfine.\n\nBest regards,\nPriya Nair", "Regards, Priya Nair")
        assert [gap.quoted for gap in found.gaps] == ["Priya Nair"]

    def test_a_result_of_a_tool_may_be_json(self) -> None:
        """An amount stands apart from its currency there."""
        ours = json.dumps({"price": 19.9, "currency": "EUR", "at": "2026-12-04T14:00:00Z"})
        assert checked("It costs € 19.90, on 4 December at 3 pm.", ours=ours).gaps == ()
