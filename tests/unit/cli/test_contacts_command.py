"""`contacts`, as somebody new to it would use it, and as nobody should."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from email_assistant.cli.main import main
from email_assistant.settings import NAMES

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `contacts …` in a folder of its own with no settings; gives its exit code, stdout and stderr."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["email-assistant", "contacts", *args])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


def done(result: tuple[int, str, str]) -> str:
    """What a command that ended well printed."""
    code, out, err = result
    assert (code, err) == (0, "")
    return out


def told(result: tuple[int, str, str]) -> str:
    """The one line on stderr of a command that failed."""
    code, out, err = result
    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert line.startswith("email-assistant: ")
    return line


def test_from_nothing_to_contacts(command: Command) -> None:
    """An empty list says what to do; a file comes in, twice is the same; a contact is shown, changed and removed."""
    assert done(command("list")) == "There are no contacts: `contacts import FILE`.\n"
    assert done(command("list", "--json")) == "[]\n"
    Path("friends.csv").write_text(
        "Email;Name;Company;Tags\nAna@vale.example;Ana;Vale GmbH;wood,oak\nbo@x.example;Bo;;\n"
    )
    assert done(command("import", "friends.csv")) == "friends.csv: 2 new, 0 changed, 0 known already.\n"
    assert done(command("import", "friends.csv")) == "friends.csv: 0 new, 0 changed, 2 known already.\n"
    assert done(command("list")) == "ana@vale.example  Ana, Vale GmbH  [wood, oak]\nbo@x.example  Bo\n"
    assert done(command("list", "OAK vale")) == "ana@vale.example  Ana, Vale GmbH  [wood, oak]\n"
    assert done(command("list", "nothing")) == "No contact is found.\n"
    assert done(command("set", "ANA@vale.example", "--role", "Buyer", "--tags", "")) == (
        "ana@vale.example  Ana, Buyer, Vale GmbH\n"
    )
    shown = done(command("show", "ana@vale.example"))
    assert "address       ana@vale.example\nname          Ana\n" in shown
    assert "source        by hand\n" in shown
    found = json.loads(done(command("show", "ana@vale.example", "--json")))
    assert (found["role"], found["tags"]) == ("Buyer", [])
    assert [one["address"] for one in json.loads(done(command("list", "--json")))] == [
        "ana@vale.example",
        "bo@x.example",
    ]
    assert done(command("remove", "Bo@x.example")) == "Removed: bo@x.example\n"
    assert "no contact has the address bo@x.example" in told(command("remove", "bo@x.example"))
    assert "no contact has the address bo@x.example" in told(command("show", "bo@x.example"))


def test_pages(command: Command) -> None:
    """A list that is cut says how to go on."""
    Path("a.csv").write_text("email\n" + "".join(f"p{n}@x.example\n" for n in range(5)))
    done(command("import", "a.csv"))
    assert done(command("list", "--limit", "2")) == (
        "p0@x.example\np1@x.example\nThere are more: --after p1@x.example shows them.\n"
    )
    assert (
        done(command("list", "--limit", "3", "--after", "p1@x.example"))
        == "p2@x.example\np3@x.example\np4@x.example\n"
    )
    assert "There are more: a higher --limit" in done(command("list", "x.example", "--limit", "4"))


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
        (("import", "."), "not a file"),
        (("import", "image.png"), "image.png: not a text file"),
        (("import", "plain.txt"), 'plain.txt: line 1 names no column of addresses: call one "email"'),
        (("import", "plain.txt", "--encoding", "nope"), "--encoding: there is no text encoding 'nope'"),
        (("show", "ana"), "address: not an email address"),
        (("set", "ana", "--name", "Ana"), "address: not an email address"),
        (("set", "ana@x.example", "--name", "x" * 500), "name: longer than 200 characters"),
        (("remove", "\x1b[31m"), "address: not an email address"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(command: Command, args: tuple[str, ...], words: str) -> None:
    """With the name of the file or field."""
    Path("image.png").write_bytes(b"\x89PNG\r\n\0\0")
    Path("plain.txt").write_text("Dear Ana,\nhello\n")
    assert words in told(command(*args))


@pytest.mark.parametrize(
    "args",
    [
        ("import",),
        ("set", "a@x.example"),
        ("list", "x", "--after", "a@x.example"),
        ("list", "--limit", "0"),
        ("nope",),
    ],
)
def test_wrong_usage_is_2(command: Command, args: tuple[str, ...]) -> None:
    """With the usage on stderr."""
    code, out, err = command(*args)
    assert (code, out) == (2, "")
    assert "Usage: " in err


def test_hostile_text_cannot_act(command: Command) -> None:
    """What a terminal would obey does not reach it, from a file or its name."""
    name = "a\x1b[31m.csv"
    Path(name).write_text("email,name\nana@x.example,A\u202ena\n")
    out = done(command("import", name)) + done(command("list")) + done(command("show", "ana@x.example"))
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "ana@x.example  Ana\n" in out
