"""Text of mail in notes is inert, and still reads as it did."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from email_assistant.mail.text import one_line
from email_assistant.workflows.inbox_organizer.notes.obsidian_text import (
    MAX_LINES,
    inline,
    link,
    paragraphs,
    property_text,
    tag,
)


def readable(line: str) -> str:
    """A line of Markdown as plain text."""
    unescaped = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", line).replace("&lt;", "<").replace("&amp;", "&")
    return one_line(unescaped)


# What Obsidian and its plugins look for in the raw text; a backslash before a mark makes it none.
HARD = st.lists(
    st.sampled_from(
        [
            *"\\`*_[]!|~&^$%<>=:#-+.){}( \n\t1aé/;x",
            "www.",
            "https://",
            "&lt;",
            "&#91;",
            "](",
            "😀",
            "```",
            "---",
            "%%",
        ]
    ),
    max_size=40,
).map("".join)


def walk(tokens: list[Token]) -> list[Token]:
    """Every token with those inside of it."""
    return [inner for token in tokens for inner in (token, *walk(token.children or []))]


def shown(markdown: str) -> tuple[str, set[str]]:
    """What a reader sees of Markdown (with tables and links found in text), and the kinds of its parts."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = walk(parser.parse(markdown))
    words = [
        token.content if token.type == "text" else "\n"
        for token in tokens
        if token.type in ("text", "softbreak")
    ]
    return "".join(words), {token.type for token in tokens}


PLAIN_TEXT = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak"}


@given(HARD)
@example("a::::b")
@example("\\\\[x")
@example("1.\n2.")
@example("www.www.x")
@example("{{{%")
def test_any_line_is_shown_as_it_is(text: str) -> None:
    """A line is one paragraph of plain text that shows exactly the text, at the start of a line and in a list."""
    expected = one_line(text)
    line = inline(text)
    assert shown(line)[0] == expected
    assert shown(f"# x {line} .")[0] == f"x {expected} ."
    assert shown(line)[1] <= PLAIN_TEXT
    assert shown(f"- {line}")[1] <= PLAIN_TEXT | {
        "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
    }  # fmt: skip
    assert readable(line) == expected
    assert "[[" not in line
    assert "<" not in line
    assert "::" not in line
    assert "%%" not in line
    assert not re.search(r"(?<!\\)://", line)


@given(st.lists(HARD, max_size=6).map("\n".join))
def test_paragraphs_stay_paragraphs(text: str) -> None:
    """Lines of one text make nothing together either: no table, no heading by underlining, no code by indenting."""
    assert shown(paragraphs(text))[1] <= PLAIN_TEXT


def test_long_texts_are_cut() -> None:
    """Lines and characters are bounded, and megabytes take no time."""
    assert len(inline("x" * 10_000_000, 100)) == 100
    assert inline("x" * 101, 100).endswith("…")
    assert paragraphs("a\n" * 5_000_000).count("\n") == MAX_LINES
    assert len(property_text("[" * 10_000_000, 50)) == 50


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Note]]", "((Note))"),
        ("<% x %>", "‹% x %›"),
        ("https://example.com", "https: //example.com"),
        ("a\nkey: b\n---", "a key: b ---"),
    ],
)
def test_properties_cannot_act(text: str, expected: str) -> None:
    """Obsidian takes brackets and whole addresses in properties for links, and some plugins render them."""
    assert property_text(text, 100) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com", "<https://example.com>"),
        ("https://example.com:8443/ü", "<https://example.com:8443/%C3%BC>"),
        ("https://example.com/a>b<c [[d]]|`e`", "<https://example.com/a%3Eb%3Cc%20%5B%5Bd%5D%5D%7C%60e%60>"),
        ("http://example.com", ""),
        ("javascript:alert(1)", ""),
        ("https://good.example@evil.example/", ""),
        ("https://[::1]/", ""),
        ("https://example.com/" + "a" * 2000, ""),
    ],
)
def test_links_are_plain_https(url: str, expected: str) -> None:
    """Everything else is left out; what is kept shows where it leads and cannot break out."""
    assert link(url) == expected


@given(HARD)
def test_a_link_is_a_link_and_nothing_else(text: str) -> None:
    """Whatever an address holds, it is one autolink or left out."""
    markdown = link("https://example.com/" + text)
    kinds = [token.type for token in walk(MarkdownIt("commonmark").parse(f"- {markdown}"))]
    assert not markdown or kinds.count("link_open") == 1
    assert "<%" not in markdown
    assert re.fullmatch(r"(<[!-;=?-~]+>)?", markdown)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("budget", "budget"), ("#budget", "budget"), ("spring 2027", "spring-2027"), ("2027", ""), ("1/2-3", ""),
        ("a/b", "a/b"), ("a//b/", "a/b"), ("[[x]] y", "x-y"), ("<% x %>", "x"), ("Über_uns", "Über_uns"), ("", ""),
        ("😀", ""), ("a" * 90, "a" * 50), ("a\nb: c", "a-b-c"),
    ],
)  # fmt: skip
def test_tags_are_tags(text: str, expected: str) -> None:
    """Letters, digits, "_", "-" and "/", and not digits alone, as Obsidian wants them."""
    assert tag(text) == expected
