"""One mail on several run threads of the real server: answered once, and the other card says so."""

import uuid
from typing import Any

import pytest

from tests.e2e.conftest import Served, Thread
from tests.e2e.test_ingest import REPLY

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
    """The second accept is asked again, with what was sent, when and by whom."""
    first = served.begin(REPLY)
    second = once_more(first)
    assert len(served.drafts(first.header)) == 2
    first.answer(ACCEPT)
    second.answer(ACCEPT)
    assert len(served.sent(first.header)) == 1
    told = second.card["description"].splitlines()[0]
    assert told.startswith("A reply to this message was sent on ")
    assert r"by email\_assistant: " in told
