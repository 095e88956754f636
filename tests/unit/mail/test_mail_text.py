"""Cleaning of text from outside, and fences around it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.mail.text import clean, fence, one_line

# Characters that matter to the cleaner, drawn often.
TRICKY = st.text(
    st.one_of(
        st.sampled_from(
            "\u200b\u200c\u200d\ufe0f\ufe0e\ufe00\u202e\u2066\u00ad\ufeff\x00\x1b\r\n\t\x85\u2028[m0a 9❤👩💻🏽"
        ),
        st.sampled_from("\U000e0041\U000e0100\U0001f3f4\U000e0067\U000e0062\U000e007fمक्葛∩"),
        st.characters(),
        st.characters(categories=["Cs"]),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    "text",
    [
        "👩\u200d💻",
        "❤\ufe0f",
        "می\u200cخواهم",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_needed_invisible_characters_stay(text: str) -> None:
    """Joiners and selectors that emoji or a script need are kept, without a note."""
    assert clean(text) == (text, ())


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("pass\u200bword", "password"),
        ("invoice\u202egnp.exe", "invoicegnp.exe"),
        ("👍\ufe0f\ufe01\ufe02", "👍\ufe0f"),
        ("\x1b[31mred\x1b[0m", "red"),
    ],
)
def test_suspicious_characters_go_and_are_told(text: str, cleaned: str) -> None:
    """Characters that hide or disguise text are removed, and one sentence says so."""
    result, notes = clean(text)
    assert result == cleaned
    assert len(notes) == 1
    assert notes[0].endswith(".")


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("soft\u00adhyphen", "softhyphen"),
        ("a\n\n \n\t\n\nb", "a\n\n\nb"),
        ("\udc80", "\ufffd"),
    ],
)
def test_harmless_oddities_are_normalised_silently(text: str, cleaned: str) -> None:
    """Newlines, blank lines, soft hyphens and direction marks are tidied without a note."""
    assert clean(text) == (cleaned, ())


@given(TRICKY)
def test_cleaning_again_changes_nothing(text: str) -> None:
    """Clean text is a fixed point, gives no more notes, and can always be encoded."""
    cleaned, _ = clean(text)
    cleaned.encode("utf-8")
    assert clean(cleaned) == (cleaned, ())


@given(TRICKY, st.integers(min_value=0, max_value=10))
def test_one_line_is_one_line(text: str, limit: int) -> None:
    """A subject or name has no line break, no outer white space, and keeps to its limit."""
    line = one_line(text, limit=limit)
    assert len(line) <= limit
    assert line == " ".join(line.split()) == one_line(line)


@given(st.text(st.sampled_from("`~ \na")))
def test_a_fence_cannot_be_closed_from_inside(text: str) -> None:
    """No line of the fenced text is a closing fence."""
    opening, *inside, closing = fence(text).split("\n")
    ticks = closing.count("`")
    assert opening == closing + "text"
    assert "\n".join(inside) == text
    assert max((len(run) for run in re.findall("`+", text)), default=0) < ticks >= 3
