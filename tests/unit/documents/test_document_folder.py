"""A folder of documents: what is taken, what is left out, and what is told."""

import os
from pathlib import Path

import pytest

from email_assistant.errors import InputError
from email_assistant.workflows.claims_desk.documents import reading
from email_assistant.workflows.claims_desk.documents.reading import read_folder
from tests.support.pdfs import Drawn, pdf


def test_documents_of_all_kinds_are_read(tmp_path: Path) -> None:
    """In the order of their names; hidden files and what is no document are left out, the latter by name."""
    (tmp_path / "c.pdf").write_bytes(pdf([Drawn("Fees")]))
    (tmp_path / "b.HTML").write_text("<h1>Fees</h1>")
    (tmp_path / "a.md").write_text("# Fees")
    for name in (".hidden.md", "logo.png", "notes.docx"):
        (tmp_path / name).write_text("x")
    found = read_folder(tmp_path)
    assert [one.name for one in found.documents] == ["a.md", "b.HTML", "c.pdf"]
    assert (found.flaws, found.others) == ([], ["logo.png", "notes.docx"])


def test_folders_in_it_are_not_looked_into(tmp_path: Path) -> None:
    """What is meant for a role often lies in a folder below, and must not become public by that."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "secret.md").write_text("secret")
    (tmp_path / "a.md").write_text("text")
    found = read_folder(tmp_path)
    assert ([one.name for one in found.documents], found.others) == (["a.md"], ["agent/"])


def test_what_cannot_be_read_is_told_by_name(tmp_path: Path) -> None:
    """A line for each, the others are read all the same."""
    (tmp_path / "empty.md").touch()
    (tmp_path / "huge.html").write_bytes(b"a" * 20_000_000)
    (tmp_path / "picture.pdf").write_bytes(b"\x89PNG\0")
    (tmp_path / "good.md").write_text("text")
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    found = read_folder(tmp_path)
    assert [one.name for one in found.documents] == ["good.md"]
    assert found.flaws == [
        "empty.md: is empty", "huge.html: is larger than 10 MB; split it, or leave its pictures out", "picture.pdf: is no PDF",
    ]  # fmt: skip
    assert found.others == ["dangling.md", "pipe.md"]


def test_two_names_that_look_the_same_are_told(tmp_path: Path) -> None:
    """An accent may be written in two ways; as a citation both would be one."""
    (tmp_path / "caf\u00e9.md").write_text("one")
    (tmp_path / "cafe\u0301.md").write_text("two")
    found = read_folder(tmp_path)
    assert len(found.documents) == 1
    assert "has the name of another file" in found.flaws[0]


def test_what_is_no_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing there, a file, too many files."""
    (tmp_path / "a.md").write_text("text")
    with pytest.raises(InputError, match="no such folder"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(InputError, match="not a folder"):
        read_folder(tmp_path / "a.md")
    monkeypatch.setattr(reading, "MAX_FILES", 0)
    with pytest.raises(InputError, match="holds more than 0 documents"):
        read_folder(tmp_path)
