"""The real server deletes threads that are over, and nothing else; a conversation goes on after that."""

import asyncio
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client, get_sync_client

from email_assistant.app import ingesting
from email_assistant.app.assistant import deps_of
from email_assistant.ingest.look import Look
from email_assistant.ingest.starter import run_thread_id
from email_assistant.settings import load_settings
from eval.mails import HOST, received
from tests.e2e.test_looks_served import until
from tests.support.dev_server import DevServer, forked_server

SETTINGS = {
    "EMAIL_ASSISTANT_NAME": "Robin Vale",
    "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
    "EMAIL_ASSISTANT_AUTHSERV_ID": HOST,
    "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00+00:00",
    "EMAIL_ASSISTANT_FINISHED_MINUTES": "0",
}
"""The first look of a server's is right after its start."""
CASE = {
    "id": "one",
    "from": "Ana <ana@petrova.example>",
    "subject": "Oak shelf",
    "text": "How much is the oak shelf?",
    "auth": "pass",
}
OTHER = CASE | {"id": "other", "from": "Bo <bo@holm.example>", "subject": "Beech table"}
IGNORE = {"resume": [{"type": "ignore", "args": None}]}


@pytest.fixture
def settings(database_url: str) -> dict[str, str]:
    """The settings, with each of the two databases."""
    return SETTINGS | {"DATABASE_URL": database_url}


def test_what_is_over_is_deleted_what_waits_stays_and_the_conversation_goes_on(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    """Two mails, one of them dealt with; after the next start its thread is gone, and a later mail of it gets a card."""
    with forked_server(tmp_path, settings | {"EMAIL_ASSISTANT_FINISHED_MINUTES": "60"}) as server:
        client = get_sync_client(url=server.url, api_key=None)
        finished, waiting = (taken_up(tmp_path, server, case, settings) for case in (CASE, OTHER))
        while client.threads.get(finished)["status"] == "interrupted":
            client.runs.wait(finished, "email_assistant", command=IGNORE)
        card = client.threads.get(waiting)["interrupts"]
    with forked_server(tmp_path, settings) as server:
        client = get_sync_client(url=server.url, api_key=None)
        assert until(lambda: [t["thread_id"] for t in client.threads.search()] == [waiting])
        assert client.threads.get(waiting)["interrupts"] == card
        later = {"date": (datetime.now(UTC) + timedelta(minutes=1)).isoformat()}
        reference = {
            "headers": {"In-Reply-To": "<one.0@petrova.example>", "References": "<one.0@petrova.example>"}
        }
        newer = CASE | {"id": "two"} | later | reference
        assert taken_up(tmp_path, server, newer, settings) == finished
        state: Any = client.threads.get_state(finished)
        assert state["interrupts"]
        assert (state["values"]["round"], len(state["values"]["email_input"]["thread"])) == (2, 1)


def test_deletions_at_one_moment_delete_what_was_named(tmp_path: Path) -> None:
    """The server by itself would remove whatever stands where the thread stood before."""
    with forked_server(tmp_path, SETTINGS) as server:
        names = [str(uuid.uuid4()) for _ in range(40)]

        async def work() -> set[str]:
            client = get_client(url=server.url, api_key=None)
            for name in names:
                await client.threads.create(thread_id=name)
            await asyncio.gather(*(client.threads.delete(name) for name in names[::2]))
            return {str(thread["thread_id"]) for thread in await client.threads.search(limit=100)}

        assert asyncio.run(work()) == set(names[1::2])


def taken_up(
    folder: Path, server: DevServer, case: Mapping[str, Any], settings: Mapping[str, str] = SETTINGS
) -> str:
    """Deliver a mail and take it in; its run thread."""
    own = {**settings, "EMAIL_ASSISTANT_DATA_DIR": str(folder / "data")}
    house = deps_of(load_settings(own, folder))

    async def work() -> str:
        message = (await received(house, case)).current
        tally = await ingesting.ingestion(house, get_client(url=server.url, api_key=None), None).run(
            Look(include_read=True)
        )
        await house.database.close()
        assert tally.taken_up == 1
        return run_thread_id(message.mail_thread_id)

    return asyncio.run(work())
