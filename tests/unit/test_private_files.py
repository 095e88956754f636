"""What lies in the data folder is its owner's alone."""

import os
from pathlib import Path

import pytest

from email_assistant.privacy import be_private, make_private_folder, tighten


def mode(path: Path) -> int:
    """The permission bits."""
    return path.stat().st_mode & 0o777


def test_an_existing_folder_is_mended(tmp_path: Path) -> None:
    """With all that is in it; links are neither followed nor changed, and a second time nothing is left to do."""
    folder, outside = tmp_path / "data", tmp_path / "outside.txt"
    (folder / "mailbox" / "cur").mkdir(parents=True)
    (folder / "mailbox" / "cur" / "1").write_text("mail")
    (folder / "tool").write_text("x")
    outside.write_text("x")
    (folder / "link").symlink_to(outside)
    for path, bits in (
        (folder, 0o777),
        (folder / "mailbox", 0o755),
        (folder / "tool", 0o755),
        (outside, 0o644),
    ):
        path.chmod(bits)
    (folder / "mailbox" / "cur" / "1").chmod(0o664)
    (folder / "mailbox" / "cur").chmod(0o700)
    assert tighten(folder) == 4
    assert {p.name: oct(mode(p)) for p in (folder, *folder.rglob("*")) if not p.is_symlink()} == {
        "data": "0o700", "mailbox": "0o700", "cur": "0o700", "1": "0o600", "tool": "0o700",
    }  # fmt: skip
    assert (mode(outside), tighten(folder), tighten(tmp_path / "nothing")) == (0o644, 0, 0)


def test_a_folder_that_holds_the_home_folder_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named by mistake, it would take the home of other programs from them."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)  # Whatever mask the process has.
    monkeypatch.setenv("HOME", str(home))
    tmp_path.chmod(0o755)
    assert (tighten(home), tighten(tmp_path)) == (0, 0)
    make_private_folder(home)
    assert mode(home) == 0o755


def test_new_files_are_private(tmp_path: Path) -> None:
    """Whoever makes them, children included."""
    before = os.umask(0)
    try:
        make_private_folder(tmp_path / "first")
        be_private()
        (tmp_path / "file").write_text("x")
        (tmp_path / "folder").mkdir()
        os.system(f"touch {tmp_path / 'child'}")
    finally:
        os.umask(before)
    names = ("first", "file", "folder", "child")
    assert [oct(mode(tmp_path / name)) for name in names] == ["0o700", "0o600", "0o700", "0o600"]
    (tmp_path / "first").chmod(0o755)
    make_private_folder(tmp_path / "first")
    assert mode(tmp_path / "first") == 0o700
