"""The log of a server in the background: private, bounded."""

import os
import subprocess
from pathlib import Path

import pytest

from email_assistant.cli import running


def test_a_long_log_becomes_the_old_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a server starts; one that is not long yet is written on, and both files are their owner's alone."""
    monkeypatch.setattr(running, "LOG_MAX_BYTES", 10)
    log, old = tmp_path / "server.log", tmp_path / "server.log.1"
    before = os.umask(0)
    try:
        for text in (b"short", b" and longer"):
            _write(log, text)
        assert (log.read_bytes(), old.exists()) == (b"short and longer", False)
        _write(log, b"new")
    finally:
        os.umask(before)
    assert (log.read_bytes(), old.read_bytes()) == (b"new", b"short and longer")
    assert [oct(f.stat().st_mode & 0o777) for f in (log, old)] == ["0o600", "0o600"]


def _write(log: Path, text: bytes) -> None:
    with running.opened_log(log) as descriptor:
        subprocess.run(["cat"], input=text, stdout=descriptor, check=True)
