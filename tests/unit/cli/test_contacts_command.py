"""`contacts`, as somebody new to it would use it, and as nobody should."""

import json
from functools import partial
from pathlib import Path

import pytest

from tests.unit.cli.called import Command, done, told


@pytest.fixture
def command(command: Command) -> Command:
    """`contacts …`."""
    return partial(command, "contacts")


def test_from_nothing_to_contacts(command: Command) -> None:
    """An empty list says what to do; a file comes in, twice is the same; a contact is shown, changed and removed."""
    assert done(command("list")) == "There are no contacts: `contacts import FILE`.\n"
    assert done(command("list", "--json")) == "[]\n"
    Path("friends.csv").write_text(
        "Email;Name;Company;Tags\nAna@vale.example;Ana;Vale GmbH;wood,oak\nbo@x.example;Bo;;\n"
    )
    assert done(command("import", "friends.csv")) == "friends.csv: 2 new, 0 changed, 0 known already.\n"
    assert done(command("import", "friends.csv")) == "friends.csv: 0 new, 0 changed, 2 known already.\n"
    assert done(command("list", "nothing")) == "No contact is found.\n"
    done(command("set", "ANA@vale.example", "--role", "Buyer", "--tags", ""))
    assert "by hand" in done(command("show", "ana@vale.example"))
    found = json.loads(done(command("show", "ana@vale.example", "--json")))
    assert (found["role"], found["tags"]) == ("Buyer", [])
    assert [one["address"] for one in json.loads(done(command("list", "--json")))] == [
        "ana@vale.example",
        "bo@x.example",
    ]
    assert done(command("remove", "Bo@x.example")) == "Removed: bo@x.example\n"
    assert "no contact has the address bo@x.example" in told(command("remove", "bo@x.example"))


def test_a_file_with_a_wrong_row(command: Command) -> None:
    """Nothing comes in, and one line says why; what has no address is left out, and that is told."""
    Path("a.csv").write_text("email,name\nana@x.example,Ana\n,Cy\nnobody,Bo\n")
    words = 'a.csv: nothing was imported: line 4: address: not an email address: "nobody"'
    assert words in told(command("import", "a.csv"))
    assert done(command("list", "--json")) == "[]\n"
    Path("a.csv").write_text("email,name\nana@x.example,Ana\n,Cy\n")
    assert done(command("import", "a.csv")).splitlines() == [
        "a.csv: 1 new, 0 changed, 0 known already.",
        "Left out, as they have no email address: 1.",
    ]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("import", "none.csv"), "none.csv: no such file"),
        (("import", "image.png"), "image.png: not a text file"),
        (("import", "plain.txt"), 'plain.txt: line 1 names no column of addresses: call one "email"'),
        (("show", "ana"), "address: not an email address"),
        (("set", "ana@x.example", "--name", "x" * 500), "name: longer than 200 characters"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(command: Command, args: tuple[str, ...], words: str) -> None:
    """With the name of the file or field."""
    Path("image.png").write_bytes(b"\x89PNG\r\n\0\0")
    Path("plain.txt").write_text("Dear Ana,\nhello\n")
    assert words in told(command(*args))


def test_hostile_text_cannot_act(command: Command) -> None:
    """What a terminal would obey does not reach it, from a file or its name."""
    name = "a\x1b[31m.csv"
    Path(name).write_text("email,name\nana@x.example,A\u202ena\n")
    out = done(command("import", name)) + done(command("list")) + done(command("show", "ana@x.example"))
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "ana@x.example  Ana\n" in out
