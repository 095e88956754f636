"""Queries in Gmail's search syntax."""

from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from email_assistant.adapters.google.gmail_listing import (
    FIELDS,
    search,
    words,
)
from email_assistant.mail.mailbox import MailQuery


def whole(query: MailQuery) -> str:
    """The search for the whole query."""
    return search(query)


class TestWords:
    """Words of a query."""

    def test_each_word_must_be_in_a_field(self) -> None:
        """Every word stands in an OR group of the fields, in Gmail's documented form."""
        assert whole(MailQuery(text="Ring ana", unread_only=True)) == (
            "in:inbox is:unread {from:Ring to:Ring cc:Ring subject:Ring} {from:ana to:ana cc:ana subject:ana}"
        )

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
