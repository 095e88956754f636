"""One mail on several run threads of the real server: answered once, and the other cards go."""

import asyncio
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph_sdk import get_client

from email_assistant.app import ingesting
from tests.e2e.conftest import Served, Thread
from tests.e2e.test_ingest import REPLY, house_of, rows

pytestmark = pytest.mark.xdist_group("served")
ACCEPT = [{"type": "accept", "args": None}]


def once_more(first: Thread) -> Thread:
    """The same mail on another run thread, as a script or Studio starts it."""
    served = first.served
    state: Any = served.client.threads.get_state(first.thread_id)
    served.model.script(REPLY)
    thread = Thread(served, str(uuid.uuid4()), first.header, first.key)
    served.client.threads.create(thread_id=thread.thread_id)
    thread.run(input={"email_input": state["values"]["email_input"]})
    return thread


def test_a_mail_that_waits_on_several_threads_is_answered_once(served: Served) -> None:
    """The second accept is asked again; then recovery closes the cards that are left, deletes their drafts and says why."""
    first = served.begin(REPLY)
    second, third = once_more(first), once_more(first)
    assert len(served.drafts(first.header)) == 3
    first.answer(ACCEPT)
    second.answer(ACCEPT)
    assert len(served.sent(first.header)) == 1
    told = second.card["description"].splitlines()[0]
    assert told.startswith("A reply to this message was sent on ")
    assert r"by email\_assistant: " in told
    later = datetime.now(UTC) + timedelta(hours=1)
    asyncio.run(ingesting.recovery(house_of(served), get_client(url=served.server.url)).recover(later))
    assert (len(served.sent(first.header)), served.drafts(first.header)) == (1, [])
    query = "SELECT decision FROM reviews WHERE run_thread_id = ? ORDER BY last_shown_at DESC"
    for thread in (second, third):
        assert thread.status == "idle"
        assert rows(served, query, thread.thread_id)[0] == ("answered by email_assistant",)
