"""A whole note, of a hostile mail."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from email_assistant.mail.address import Address
from email_assistant.workflows.inbox_organizer.notes.obsidian import (
    Note,
    has_entry,
    new_page,
    with_entry,
)
from email_assistant.workflows.inbox_organizer.notes.obsidian_text import link

BERLIN = ZoneInfo("Europe/Berlin")
NAMES = ["created", "title", "category", "from", "tags"]
MARK = re.compile(r"<!-- mail [0-9a-f]{12} -->")
OURS = re.compile(r"Summary|Key points|Links|2026-11-2\d \d\d:\d\d t.*|t.*")
ALLOWED = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "softbreak",
    "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "link_open", "link_close", "html_block",
}  # fmt: skip
HARD = st.lists(
    st.sampled_from(
        [*"\\`*_[]!|~&^$%<>=:#-+.(){} \n\r\t1a@\"'", "---\n", "\n# x\n", "```\n", "![[", "]]", "<%", "%>", "%%", "https://", "::"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def note_of(text: str) -> Note:
    """A note that has the text in every field."""
    return Note(
        key=f"k{text}", title=f"t{text}", created=datetime(2026, 11, 20, 9, 30, tzinfo=UTC), category=f"c{text}",
        sender=Address(f'"{text}"@example.com', text), message_id=f"<m{text}>", subject=text, summary=text,
        key_points=(text, text), links=(text, f"https://example.com/{text}"), tags=(text, f"x{text}"),
    )  # fmt: skip


@example(
    "https://https://"
)  # as a whole a plain, if odd, address: the only way to another host is to be given as a link
@given(HARD)
def test_no_text_of_a_mail_adds_a_part_to_a_note(text: str) -> None:
    """However the text is put into a note, front matter, headings and links are those of the note alone."""
    note = note_of(text)
    second = replace(note, message_id="<2@example.com>")
    page = new_page(note, BERLIN)
    assert (has_entry(page, note), has_entry(page, second)) == (True, False)
    page = with_entry(page, second, BERLIN)
    _, front, body = page.decode().split("---\n", 2)
    assert list(yaml.safe_load(front)) == NAMES
    assert not re.search(r"\[\[|<%|`|://", front)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = parser.parse(body)
    kinds = {inner.type for token in tokens for inner in (token, *(token.children or []))}
    assert kinds <= ALLOWED
    headings = [tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open"]
    assert all(OURS.fullmatch(heading) for heading in headings)
    assert sum(heading.startswith(("t", "2026")) for heading in headings) == 3
    assert [bool(MARK.fullmatch(t.content.strip())) for t in tokens if t.type == "html_block"] == [True, True]
    links = [c.attrs["href"] for t in tokens for c in t.children or [] if c.type == "link_open"]
    assert {urlsplit(str(href)).hostname for href in links} <= {
        urlsplit(link(given).strip("<>")).hostname for given in note.links
    }
    assert not re.search(r"\[\[|<%|%%|(?<!\\)`", body)
