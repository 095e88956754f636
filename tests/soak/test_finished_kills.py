"""The server, killed in the middle of deleting a thread that is over: what waits stays, and the conversation goes on."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from langgraph_sdk import get_sync_client

from tests.e2e.test_finished_threads import CASE, IGNORE, OTHER, SETTINGS, taken_up
from tests.e2e.test_looks_served import until
from tests.support.arming import FORGOTTEN, KILL_AT, SAVED, arm, armed_project
from tests.support.dev_server import dev_server

pytestmark = [pytest.mark.soak]
KEEP_ALL = {"EMAIL_ASSISTANT_FINISHED_MINUTES": "60"}
REFERENCE = {"headers": {"In-Reply-To": "<one.0@petrova.example>", "References": "<one.0@petrova.example>"}}


@pytest.mark.parametrize("state", [SAVED, FORGOTTEN])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_while_a_thread_is_deleted_loses_no_card(tmp_path: Path, moment: str, state: str) -> None:
    """The thread that was over is over still, asks nothing, and a later mail of its conversation gets a card."""
    settings = SETTINGS | armed_project(tmp_path)
    with dev_server(tmp_path, settings | KEEP_ALL) as server:
        client = get_sync_client(url=server.url, api_key=None)
        finished, waiting = taken_up(tmp_path, server, CASE), taken_up(tmp_path, server, OTHER)
        while client.threads.get(finished)["status"] == "interrupted":
            client.runs.wait(finished, "email_assistant", command=IGNORE)
        card = client.threads.get(waiting)["interrupts"]
    arm(tmp_path / "data", f"{moment}:SqliteSaver.adelete_thread", state)
    with suppress(AssertionError), dev_server(tmp_path, settings) as server:  # It may die before it answers.
        until(lambda: server.process.poll() is not None)
    assert not (tmp_path / "data" / KILL_AT).exists(), "the server never came there"
    with dev_server(tmp_path, settings) as server:
        client = get_sync_client(url=server.url, api_key=None)
        assert until(lambda: [t["thread_id"] for t in client.threads.search()] == [waiting])
        assert client.threads.get(waiting)["interrupts"] == card
        later = {"date": (datetime.now(UTC) + timedelta(minutes=1)).isoformat()}
        assert taken_up(tmp_path, server, CASE | {"id": "two"} | later | REFERENCE) == finished
        assert client.threads.get_state(finished)["interrupts"]
