"""The log of a server in the background: private, bounded."""

import os
import threading
from pathlib import Path

import pytest

from email_assistant.cli import server


def test_a_long_log_becomes_the_old_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server goes on writing where it wrote; both files are its owner's alone."""
    monkeypatch.setattr(server, "LOG_MAX_BYTES", 10)
    log, old = tmp_path / "server.log", tmp_path / "server.log.1"
    before = os.umask(0)
    try:
        with server.open_log(log) as descriptor:
            os.write(descriptor, b"short")
            server.shorten(log)
            assert not old.exists()
            os.write(descriptor, b" and longer")
            server.shorten(log)
            os.write(descriptor, b"new")
            assert (log.read_bytes(), old.read_bytes()) == (b"new", b"short and longer")
            os.write(descriptor, b" and newer")
            server.shorten(log)
            assert (log.read_bytes(), old.read_bytes()) == (b"", b"new and newer")
    finally:
        os.umask(before)
    assert [oct(f.stat().st_mode & 0o777) for f in (log, old)] == ["0o600", "0o600"]


class Looks(threading.Event):
    """Of a server that runs until so many looks were had, each without a wait."""

    left = 2

    def wait(self, timeout: float | None = None) -> bool:
        """Whether the server has ended."""
        self.left -= 1
        return self.left < 0


def test_a_log_is_shortened_while_the_server_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to start it anew."""
    monkeypatch.setattr(server, "LOG_MAX_BYTES", 10)
    watched: list[Path] = []
    with monkeypatch.context() as patched:
        patched.setattr(server, "watch", lambda path, _: watched.append(path))
        with server.open_log(log := tmp_path / "server.log") as descriptor:
            os.write(descriptor, b"x" * 100)
    assert watched == [log]
    server.watch(log, Looks())
    assert (log.stat().st_size, (tmp_path / "server.log.1").stat().st_size) == (0, 100)


def test_the_greeting_loses_its_colours(tmp_path: Path) -> None:
    """The rest stays as it is, and the server writes on."""
    log = tmp_path / "server.log"
    with server.open_log(log) as descriptor:
        os.write(descriptor, "🚀 API: \x1b[36mhttp://x\x1b[0m\n".encode())
        server.uncolour(log)
        os.write(descriptor, b"next\n")
    assert log.read_text(encoding="utf-8") == "🚀 API: http://x\nnext\n"
