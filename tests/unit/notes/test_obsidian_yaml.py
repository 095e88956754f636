"""Front matter: written for every YAML reader, and changed at one place only."""

import contextlib
import time
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.adapters.obsidian_yaml import (
    UnreadableError,
    added,
    quoted,
    replaced,
    timestamp,
    top_level,
    written,
)


@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=50))
def test_any_text_comes_back_and_stays_on_one_line(text: str) -> None:
    """Whatever is written is read back the same, and cannot end its line or its quotes."""
    line = quoted(text)
    assert yaml.safe_load(line) == text
    assert len(line.splitlines()) == 1
    front = written({"a": text, "b": [text, text], "c": []})
    assert yaml.safe_load(front) == {"a": text, "b": [text, text], "c": []}
    assert [value.items for value in top_level(front).values()] == [(text,), (text, text), ()]


@pytest.mark.parametrize(
    "text", ["12e5", "0o14", "no", "null", "~", "2026-11-20", "1_000", "=", "<<", "", "😀"]
)
def test_texts_that_look_like_something_else_are_quoted(text: str) -> None:
    """Versions of YAML differ in what they take for a number; quotes settle it. Emoji are not escaped."""
    assert quoted(text) == f'"{text}"'


def test_times_are_times() -> None:
    """A time is written without quotes, in whole seconds, with its offset."""
    front = written({"at": timestamp(datetime(2026, 11, 20, 9, 30, 1, 5, tzinfo=UTC))})
    assert front == "at: 2026-11-20T09:30:01+00:00\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ids:\n  - a\nz: 1\n", 'ids:\n  - a\n  - "b"\nz: 1\n'),
        ("ids:\r\n- a  # c\r\nz: 1\r\n", 'ids:\r\n- a  # c\r\n- "b"\r\nz: 1\r\n'),
        ("ids:\n\n  -   'a'", "ids:\n\n  -   'a'\n  -   \"b\""),
        ("ids: [a, 'c' ] # x\n", "ids: [a, 'c', \"b\" ] # x\n"),
        ("ids: [\n  a,\n  c,\n]\n", 'ids: [\n  a,\n  c, "b",\n]\n'),
        ("ids: []\n", 'ids: ["b"]\n'),
        ("ids:\nz: 1\n", 'ids: ["b"]\nz: 1\n'),
        ("z: 1\nids:", 'z: 1\nids: ["b"]'),
        ("ids: null # none\n", 'ids: ["b"] # none\n'),
        ("ids: a\n", 'ids: ["a", "b"]\n'),
        ("{ids: [a], z: 1}\n", '{ids: [a, "b"], z: 1}\n'),
        ("x: &v [1]\ny: *v\nids: [a]\n", 'x: &v [1]\ny: *v\nids: [a, "b"]\n'),
        ("# c\n\nü😀: x\nids:\n- !!str a\n", '# c\n\nü😀: x\nids:\n- !!str a\n- "b"\n'),
    ],
)
def test_an_item_is_added_in_the_way_of_the_list(before: str, after: str) -> None:
    """Block and flow lists, comments, line ends, empty and single values: everything else stays as it was."""
    assert added(before, "ids", "b") == after


@pytest.mark.parametrize(
    "text",
    [
        "ids: {a: b}\n", "ids: [[a]]\n", "ids:\n- - a\n", "ids: &x a\nids: b\n", "ids: |\n  a\n  b\nz: 1\n", "z: 1\n", "- ids\n",
        "ids: 'a\n", "ids: [a\n", "ids: a\n---\nids: b\n", "text", "ids: *x\n", "a: \ud800\nids: []\n", "\x00", "? [a]\n: b\n",
    ],
)  # fmt: skip
def test_what_cannot_be_changed_for_certain_is_refused(text: str) -> None:
    """Never a guess."""
    with pytest.raises(UnreadableError):
        added(text, "ids", "b")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("at: x  # c\nz: 1\n", "at: NEW  # c\nz: 1\n"),
        ("at: 'x'\r\n", "at: NEW\r\n"),
        ("at:\nz: 1\n", "at: NEW\nz: 1\n"),
        ("z: 1\n", "z: 1\n"),
        ("at: [x]\n", "at: [x]\n"),
    ],
)
def test_a_scalar_is_replaced(before: str, after: str) -> None:
    """Only the value; a list or a value that is not there is left alone."""
    assert replaced(before, "at", "NEW") == after


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 100_000,
        "a: " + "{b: " * 100_000,
        "- " * 100_000,
        "a: &a [x]\n" + "".join(f"{chr(98 + n)}: [*a, *a]\n" for n in range(20)),
        "".join(f"k{n}: v\n" for n in range(60_000)),
        "a: " + "'" * 300_000,
    ],
    ids=["brackets", "braces", "dashes", "aliases", "keys", "quotes"],
)
def test_hostile_yaml_takes_no_time(text: str) -> None:
    """Depth, size and aliases are bounded: it is read or refused at once."""
    begun = time.perf_counter()
    with contextlib.suppress(UnreadableError):
        top_level(text)
    assert time.perf_counter() - begun < 3
