"""Queries in Gmail's search syntax."""

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.adapters.google.gmail_listing import (
    FIELDS,
    draft_search,
    search,
    sent_search,
    words,
)
from email_assistant.errors import InputError
from email_assistant.mail.mailbox import MailQuery

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
SECONDS = int(NINE.timestamp())


def whole(query: MailQuery) -> str:
    """The search for the whole query."""
    return search(query)


class TestSearch:
    """The search of a query."""

    def test_the_whole_inbox(self) -> None:
        """Without conditions the inbox is searched, and nothing else."""
        assert whole(MailQuery()) == "in:inbox"

    def test_unread_mail(self) -> None:
        """Unread mail is asked for with the documented operator."""
        assert whole(MailQuery(unread_only=True)) == "in:inbox is:unread"

    def test_a_period_is_wider_by_a_second_at_each_end(self) -> None:
        """Times are seconds since 1970; whether Gmail includes the ends does not matter."""
        query = MailQuery(after=NINE, before=NINE + timedelta(hours=1))
        assert whole(query) == f"in:inbox after:{SECONDS - 1} before:{SECONDS + 3601}"

    def test_fractions_of_a_second(self) -> None:
        """A fraction widens the period to whole seconds."""
        half = timedelta(milliseconds=500)
        query = MailQuery(after=NINE + half, before=NINE + half)
        assert whole(query) == f"in:inbox after:{SECONDS - 1} before:{SECONDS + 2}"

    def test_a_zone_is_taken_into_account(self) -> None:
        """The same instant in another zone gives the same search."""
        from zoneinfo import ZoneInfo

        moved = NINE.astimezone(ZoneInfo("Asia/Kolkata"))
        assert whole(MailQuery(after=moved)) == whole(MailQuery(after=NINE))

    def test_a_naive_time_is_refused(self) -> None:
        """The error names the field."""
        with pytest.raises(InputError, match="before"):
            whole(MailQuery(before=datetime(2026, 11, 20)))

    def test_times_before_1970_are_no_condition(self) -> None:
        """Gmail has no negative times; nothing is lost by leaving them out."""
        early = datetime(1969, 12, 31, tzinfo=UTC)
        assert whole(MailQuery(after=early)) == "in:inbox"
        assert whole(MailQuery(before=early)) == "in:inbox before:1"


class TestWords:
    """Words of a query."""

    def test_each_word_must_be_in_a_field(self) -> None:
        """Every word stands in an OR group of the fields, in Gmail's documented form."""
        assert whole(MailQuery(text="Ring ana", unread_only=True)) == (
            "in:inbox is:unread {from:Ring to:Ring cc:Ring subject:Ring} {from:ana to:ana cc:ana subject:ana}"
        )

    def test_a_word_that_is_an_operator_elsewhere(self) -> None:
        """Behind a field's operator it is a word."""
        assert whole(MailQuery(text="OR")) == "in:inbox {from:OR to:OR cc:OR subject:OR}"

    def test_addresses_stay_whole(self) -> None:
        """What addresses and names are made of is kept inside a word."""
        assert words("ana.petrova+shop@example.org O'Neil Lee-Day") == [
            "ana.petrova+shop@example.org",
            "O'Neil",
            "Lee-Day",
        ]

    def test_words_of_any_script(self) -> None:
        """Letters with marks are not torn apart."""
        assert words("Größe नमस्ते 会議 Привет") == ["Größe", "नमस्ते", "会議", "Привет"]

    def test_operators_fall_apart(self) -> None:
        """Colons, braces, parentheses, quotes and a leading minus are gone."""
        assert words('-in:inbox {from:bo} ("x") \\"y') == ["in", "inbox", "from", "bo", "x", "y"]

    def test_a_word_counts_once(self) -> None:
        """Repeating a word, in whatever case, changes nothing."""
        assert words("Ring ring RING") == ["Ring"]

    def test_very_long_text_is_bounded(self) -> None:
        """Neither a very long word nor very many words make an address that is too long."""
        assert words("x" * 100_000) == ["x" * 20]
        assert len(quote(whole(MailQuery(text="𝔘" * 100_000)))) < 1_600
        for text in (" ".join(f"word{n}" for n in range(10_000)), " ".join("会議" * n for n in range(100))):
            assert words(text)
            assert len(quote(whole(MailQuery(text=text)))) < 1_600

    @given(st.text(max_size=200))
    def test_no_text_adds_syntax(self, text: str) -> None:
        """Whatever the text is, only groups of the four fields are added, with words of harmless characters."""
        found = words(text)
        groups = ["{" + " ".join(f"{field}:{word}" for field in FIELDS) + "}" for word in found]
        assert whole(MailQuery(text=text)) == " ".join(["in:inbox", *groups])
        for word in found:
            assert word[0] not in "-+@._'"
            assert not set(word) & set(' \t\n":(){}[]<>\\|~*')


class TestMessageIds:
    """Searches for a Message-ID."""

    def test_with_and_without_brackets(self) -> None:
        """The id stands bare behind the documented operator."""
        assert draft_search("<a.b-1@example.com>") == "rfc822msgid:a.b-1@example.com"
        assert sent_search("a.b-1@example.com") == "in:sent rfc822msgid:a.b-1@example.com"

    @pytest.mark.parametrize(
        "hostile", ["", "<>", "<a b@c>", '<a"@c>', "<a:b@c>", "<(a)@c>", "<-a@c>", "<ü@c>"]
    )
    def test_an_id_that_might_be_syntax_is_not_searched_for(self, hostile: str) -> None:
        """Such an id is looked for among the newest messages only."""
        assert draft_search(hostile) is None
        assert sent_search(hostile) is None
