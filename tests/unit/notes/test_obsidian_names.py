"""Names of files that every system can handle."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.workflows.inbox_organizer.notes.obsidian_text import (
    folders,
    stem,
)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("a/b\\c:d*e?f\"g<h>i|j", "a b c d e f g h i j"),
        ("C# [draft] ^1 #x", "C draft 1 x"),
        ("../../etc/passwd", "etc passwd"),
        ("CON", "Note CON"), ("nul.txt", "Note nul.txt"), ("COM1", "Note COM1"), ("lpt² .x", "Note lpt² .x"),
        ("Party 🎉👩‍👩‍👧", "Party"), ("🎉", "Note"), ("", "Note"), ("...", "Note"), ("\x00\x1f\u202e\ud800", "Note"),
        ("Cafe\u0301", "Café"), ("Übergrößenträger", "Übergrößenträger"), ("契約書", "契約書"), ("5 € & more", "5 € & more"),
    ],
)  # fmt: skip
def test_titles_become_names(title: str, expected: str) -> None:
    """What a system or Obsidian does not allow is gone, the rest is there."""
    assert stem(title) == expected


@given(st.text(max_size=300))
def test_any_title_gives_a_name_for_every_system(title: str) -> None:
    """Never empty, hidden, reserved, too long, or in need of normalisation; it stays the same when made again."""
    name = stem(title)
    assert 0 < len(name.encode()) <= 125
    assert not re.search(r'[\\/:*?"<>|#^\[\]\x00-\x1f]', name)
    assert name == name.strip(" ")
    assert not name.startswith(".")
    assert not name.endswith(".")
    assert unicodedata.is_normalized("NFC", name)
    assert stem(name) == name


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("Professional/Work", ("Professional", "Work")), ("Finance", ("Finance",)), ("../../x", ("x",)), ("/etc", ("etc",)),
        ("..", ("Other",)), ("", ("Other",)), ("a/b/c/d", ("a", "b", "c")), ("aux/.git", ("Note aux", "git")),
        ("a\\..\\b", ("a .. b",)),
    ],
)  # fmt: skip
def test_categories_become_folders(category: str, expected: tuple[str, ...]) -> None:
    """One folder for each part, never one that leads out, at most three."""
    assert folders(category) == expected
