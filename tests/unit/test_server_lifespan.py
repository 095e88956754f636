"""What the server does for its own life, besides what it serves."""

import gc

import pytest

from email_assistant.server import app as server


async def _nothing(*_: object) -> None:
    pass


async def test_garbage_is_looked_for_while_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    """What starts it imports without; a server that went on so would grow with every mail."""
    monkeypatch.setattr(server, "_recover_for_ever", _nothing)
    monkeypatch.setattr(server, "_prepare", _nothing)
    gc.disable()
    try:
        async with server._lifespan(server.app):
            assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
