"""An answer that cannot be put on record is not taken: whoever gave it is told to give it again."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph_sdk import Auth

from email_assistant.errors import TransientError
from email_assistant.server import app as server


async def test_without_a_database_an_answer_is_refused_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """503 with the reason, and no run is made; a stand-in for a PostgreSQL whose connections are all in use."""

    class Busy:
        async def answer_received(self, thread_id: str) -> None:
            """Nothing is free."""
            raise TransientError("the database is not available: mail on db: all connections are in use")

    async def container() -> Any:
        return SimpleNamespace(cut_off=Busy())

    async def no_thread(_: str) -> None:
        """None is known of that id."""

    monkeypatch.setattr(server._server, "container", container)
    monkeypatch.setattr(server, "_door", replace(server._door, thread=no_thread))
    command = {"resume": [{"type": "accept", "args": None}]}
    asked = {"assistant_id": "a", "thread_id": "t", "kwargs": {"input": None, "command": command}}
    context: Any = None
    with pytest.raises(Auth.exceptions.HTTPException) as told:
        await server.check_run(ctx=context, value=asked)
    assert (told.value.status_code, "all connections are in use" in told.value.detail) == (503, True)
