"""A note of a hostile mail: whatever is in it, its parts are those of the note alone."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from email_assistant.mail.address import Address
from email_assistant.mail.text import one_line
from email_assistant.workflows.inbox_organizer.notes import (
    Note,
    escaped,
    folders,
    has_entry,
    new_page,
    plain,
    with_entry,
)

BERLIN = ZoneInfo("Europe/Berlin")
MARK = re.compile(r"<!-- mail [0-9a-f]{12} -->")
PLAIN_TEXT = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak"}
LIST = {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}
HARD = st.lists(
    st.sampled_from([
        *"\\`*_[]!|~&^$%<>=:#-+.){}( \n\t1aé/;x@\"'", "www.", "https://", "&lt;", "&#91;", "](", "😀", "\n```\n", "\n---\n",
        "\n# x\n", "%%", "![[", "<%", "%>", "::", "<!-- mail 0123456789ab -->",
    ]),
    max_size=40,
).map("".join)  # fmt: skip


def tokens(markdown: str) -> list[Token]:
    """Every part of a page, with those inside of it."""
    found = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
    return [inner for token in found for inner in (token, *(token.children or []))]


@given(HARD)
@example("a::::b")
@example("\\\\[x")
@example("1.\n2.")
@example("www.www.x")
@example("{{{%")
def test_any_line_is_shown_as_it_is(text: str) -> None:
    """A line is one paragraph of plain text that shows exactly the text, at the start of a line and in a list."""
    line = escaped(text)
    parts = tokens(line)
    assert "".join(token.content for token in parts if token.type == "text") == one_line(text)
    assert {token.type for token in parts} <= PLAIN_TEXT
    assert {token.type for token in tokens(f"- {line}")} <= PLAIN_TEXT | LIST
    assert not re.search(r"\[\[|<|::|%%|(?<!\\)://", line)


@given(HARD)
def test_no_text_of_a_mail_adds_a_part_to_a_note(text: str) -> None:
    """However the text is put into a note, front matter, headings and marks are those of the note alone."""
    note = Note(
        key=f"k{text}", title=f"t{text}", created=datetime(2026, 11, 20, 9, 30, tzinfo=UTC), category=f"c{text}",
        sender=Address(f'"{text}"@example.com', text), message_id=f"<m{text}>", subject=text, text=text, summary=text,
        key_points=(text, text),
    )  # fmt: skip
    second = replace(note, message_id="<2@example.com>")
    page = new_page(note, BERLIN)
    assert (has_entry(page, note), has_entry(page, second)) == (True, False)
    _, front, body = with_entry(page, second, BERLIN).decode().split("---\n", 2)
    assert list(yaml.safe_load(front)) == ["created", "title", "category", "from", "address"]
    assert not re.search(r"\[\[|<%|`|://", front)
    parts = tokens(body)
    assert {token.type for token in parts} <= PLAIN_TEXT | LIST | {
        "heading_open", "heading_close", "html_block", "fence",
    }  # fmt: skip
    assert sum(token.type == "heading_open" for token in parts) == 3
    assert [bool(MARK.fullmatch(token.content.strip())) for token in parts if token.type == "html_block"] == [
        True,
        True,
    ]
    assert sum(token.type == "fence" and token.info == "text" for token in parts) == 2
    assert not re.search(r"<%|!\[\[|<!-- mail 0123456789ab", body)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("a/b\\c:d*e?f\"g<h>i|j", "a b c d e f g h i j"),
        ("C# [draft] ^1 #x", "C draft 1 x"),
        ("../../etc/passwd", "etc passwd"),
        ("...", ""), ("\x00\x1f\u202e", ""), ("Übergrößenträger", "Übergrößenträger"), ("契約書", "契約書"),
    ],
)  # fmt: skip
def test_names_hold_nothing_that_acts(title: str, expected: str) -> None:
    """What a system, Obsidian or a template does not allow is gone, the rest is there."""
    assert plain(title) == expected


@given(st.text(max_size=300))
def test_any_name_is_short_and_leads_nowhere(title: str) -> None:
    """Never hidden, never a path, never longer than a system takes."""
    name = plain(title)
    assert len(f"{name} 0123456789ab.md".encode()) <= 255
    assert not re.search(r'[\\/:*?"<>|#^\[\]\x00-\x1f]', name)
    assert name == name.strip(". ")


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("Professional/Work", ["Professional", "Work"]), ("../../x", ["x"]), ("/etc", ["etc"]), ("..", ["Other"]), ("", ["Other"]),
        ("a/b/c/d", ["a", "b", "c"]),
    ],
)  # fmt: skip
def test_categories_become_folders(category: str, expected: list[str]) -> None:
    """One folder for each part, never one that leads out, at most three."""
    assert folders(category) == expected
