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


def test_a_file_with_wrong_rows(command: Command) -> None:
    """Nothing comes in, and one line says why; when asked, the others come in and each that did not is told."""
    Path("a.csv").write_text("email,name\nana@x.example,Ana\nnobody,Bo\n,Cy\ndi@x.example,=1+1\n")
    line = told(command("import", "a.csv"))
    assert (
        'a.csv: nothing was imported, 2 entries are wrong: line 3: address: not an email address: "nobody"; line 5: name:'
        in line
    )
    assert done(command("list", "--json")) == "[]\n"
    out = done(command("import", "a.csv", "--skip-bad"))
    assert out.splitlines()[:3] == [
        "a.csv: 1 new, 0 changed, 0 known already.",
        "Left out, as they have no email address: 1.",
        "Left out, as they are wrong: 2.",
    ]
    assert len(out.splitlines()) == 5
    rows = "nobody\n" * 30
    Path("b.csv").write_text("email\n" + rows)
    assert "line 4: address" in (line := told(command("import", "b.csv")))
    assert "; and 27 more. " in line
    assert done(command("import", "b.csv", "--skip-bad")).endswith("  and 10 more\n")


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
