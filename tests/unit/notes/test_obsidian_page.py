"""A whole note, of a hostile mail."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from email_assistant.adapters.obsidian_page import body, identify, identity_of, new_page, stored, with_entry
from email_assistant.adapters.obsidian_text import link
from email_assistant.adapters.obsidian_yaml import UnreadableError
from email_assistant.mail.address import Address
from email_assistant.notes.note import Note

BERLIN = ZoneInfo("Europe/Berlin")
NAMES = ["title", "created", "updated", "category", "from", "tags", "email_ids", "key"]
OURS = re.compile(r"Summary|Key points|Links|2026-11-2\d \d\d:\d\d t.*|t.*")
ALLOWED = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "softbreak",
    "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "link_open", "link_close",
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
    page = with_entry(new_page(note, BERLIN), replace(note, message_id="<2@example.com>"), BERLIN)
    front = page.decode().split("---\n", 2)[1]
    values = yaml.safe_load(front)
    assert list(values) == NAMES
    assert values["email_ids"] == [stored(note.message_id), "2@example.com"]
    assert not re.search(r"\[\[|<%|`|://", front)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = parser.parse(body(page))
    kinds = {inner.type for token in tokens for inner in (token, *(token.children or []))}
    assert kinds <= ALLOWED
    headings = [tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open"]
    assert all(OURS.fullmatch(heading) for heading in headings)
    assert sum(heading.startswith(("t", "2026")) for heading in headings) == 2
    links = [c.attrs["href"] for t in tokens for c in t.children or [] if c.type == "link_open"]
    assert {urlsplit(str(href)).hostname for href in links} <= {
        urlsplit(link(given).strip("<>")).hostname for given in note.links
    }
    assert not re.search(r"\[\[|<%|%%|(?<!\\)`", body(page))


@given(HARD)
def test_a_note_is_recognised_by_what_was_written(text: str) -> None:
    """What is read back from the front matter is what the index was told, topic included."""
    note = note_of(text)
    assert identify(new_page(note, BERLIN)) == identity_of(note)


def test_long_names_leave_the_organisation_readable() -> None:
    """A display name of a kilometre does not hide whose mail it was."""
    note = replace(note_of(" words"), sender=Address(f"{'l' * 64}@{'d' * 60}.example.com", "N" * 10_000))
    assert identify(new_page(note, BERLIN)) == identity_of(note)
    assert identity_of(note).topic


@pytest.mark.parametrize(
    "data",
    [
        b"", b"text", b"---\n", b"---\nkey: a\n", b"---\nkey: a\n---\n", b"---\nemail_ids: []\n---\n",
        b"----\nkey: a\nemail_ids: []\n---\n",
        b"\n---\nkey: a\nemail_ids: []\n---\n", b"---\n- key\n- email_ids\n---\n", b"---\nx: {key: a, email_ids: b}\n---\n",
        b"\xff\xfe-\x00-\x00-\x00", b"--- #\nkey: a\nemail_ids: []\n---\n", b"---\n# key: a, email_ids\n---\n",
    ],
)  # fmt: skip
def test_other_files_are_not_ours(data: bytes) -> None:
    """Only a file whose front matter has both `key` and `email_ids` at its top level is a note of the assistant's."""
    assert identify(data) is None
    with pytest.raises(UnreadableError):
        with_entry(data, note_of("x"), BERLIN)


def test_empty_parts_are_left_out() -> None:
    """A note without summary, points and links has no headings for them."""
    note = replace(note_of(""), summary=" \n ", key_points=("", " "), links=("ftp://example.com",), tags=())
    page = new_page(note, BERLIN).decode()
    assert "##" not in page
    assert "tags: []" in page
    assert page.endswith("@example.com: (no subject)\n")
