"""Files that are replaced whole."""

import stat
from pathlib import Path

import pytest

from email_assistant.adapters.files import write_atomically


@pytest.mark.parametrize("letter", ["a", "\u00e4", "\u7b46", "\U0001f4ec"])
def test_a_name_as_long_as_the_file_system_takes_is_written(tmp_path: Path, letter: str) -> None:
    """Names are measured in bytes, of which a letter may have four; nothing else is left in the folder."""
    path = tmp_path / (letter * (255 // len(letter.encode())))
    for content in (b"first", b"second"):
        write_atomically(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_and_a_mode_stay(tmp_path: Path) -> None:
    """The link's target is replaced with its mode kept; a new file is private."""
    target, link = tmp_path / "target", tmp_path / "link"
    write_atomically(target, b"first")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    target.chmod(0o644)
    link.symlink_to(target)
    write_atomically(link, b"second")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"second")
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
