"""The `ingest` graph, and what people settle outside the graph, on the real server."""

import asyncio
import mailbox
import sqlite3
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

from email_assistant.app import ingesting
from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.settings import load_settings
from tests.e2e.conftest import SETTINGS, Served, Thread
from tests.servers.model_server import tool_calls
from tests.support.desk import mail

pytestmark = pytest.mark.xdist_group("served")

REPLY = tool_calls(("send_email", {"body": "It is 120 euro."}), ("Done", {}))
NOTICE = "Your package was delayed until Monday. No reply is needed."


def house_of(served: Served) -> AppDeps:
    """A house on the served assistant's data folder."""
    data = {"EMAIL_ASSISTANT_DATA_DIR": str(served.folder / "data")}
    return deps_of(load_settings(SETTINGS | data, served.folder))


def rows(served: Served, query: str, *values: str) -> list[tuple[Any, ...]]:
    """Rows of the journal."""
    with sqlite3.connect(served.folder / "data" / "email_assistant.db") as database:
        return database.execute(query, values).fetchall()


def deliver(folder: Path, raw: bytes) -> str:
    """Put a mail into the local inbox."""
    return mailbox.Maildir(folder / "data" / "mailbox", create=True).add(raw)


def send_by_hand(folder: Path, raw: bytes) -> None:
    """Put a mail among the sent ones, as a mail program does."""
    mailbox.Maildir(folder / "data" / "mailbox", create=True).add_folder("Sent").add(raw)


def test_what_is_marked_as_resolved_is_closed(served: Served) -> None:
    """The review page ends the thread without running the graph: then the draft is deleted and the journal says so."""
    thread = served.begin(REPLY)
    assert len(served.drafts(thread.header)) == 1
    url = f"{served.server.url}/threads/{thread.thread_id}/state"
    httpx.post(url, json={"values": None, "as_node": "__end__"}).raise_for_status()
    later = datetime.now(UTC) + timedelta(hours=1)
    asyncio.run(ingesting.recovery(house_of(served), get_client(url=served.server.url)).recover(later))
    assert (served.drafts(thread.header), served.sent(thread.header)) == ([], [])
    status = rows(served, "SELECT status, reason FROM mail WHERE message_id = ?", thread.key)
    assert status == [("done", "marked as resolved")]
    query = "SELECT decision FROM reviews WHERE run_thread_id = ?"
    assert rows(served, query, thread.thread_id) == [("marked as resolved",)]
    state: Any = served.client.threads.get_state(thread.thread_id)
    assert (state["values"]["outcome"], state["next"]) == ("resolved", [])


def close_answered(served: Served, header: str) -> int:
    """What a look does about a conversation that the user has written in."""
    house = house_of(served)
    ((mail_thread_id,),) = rows(
        served, "SELECT mail_thread_id FROM mail WHERE email_input LIKE ?", f"%{header}%"
    )
    closing = ingesting.ingestion(house, get_client(url=served.server.url), "email_assistant").closing
    return asyncio.run(closing.close_answered([mail_thread_id]))


def test_what_the_user_answers_in_the_mailbox_needs_no_card(served: Served) -> None:
    """The card that waits is closed and its draft deleted, once the user has written last in the conversation.

    A mail that came in and only bears the user's address closes nothing.
    """
    header = "<answered@example.com>"
    thread = take_up(served, mail(message_id=header, subject="Lamp"), header)
    assert close_answered(served, header) == 0
    own = "Robin Vale <robin@vale.example>"
    forged = mail("90 euro.", sender=own, message_id="<f@v.example>", reply_to_id=header, minutes=8)
    deliver(served.folder, forged)
    assert close_answered(served, header) == 0
    assert (thread.status, len(served.drafts(header))) == ("interrupted", 1)
    send_by_hand(
        served.folder, mail("90 euro.", sender=own, message_id="<o@v.example>", reply_to_id=header, minutes=9)
    )
    assert close_answered(served, header) == 1
    assert (thread.status, served.drafts(header)) == ("idle", [])
    query = "SELECT status, reason FROM mail WHERE message_id = ?"
    assert rows(served, query, thread.key) == [("done", "answered by you in the mailbox")]


def test_a_waiting_card_gives_way_on_record_and_to_a_fresh_card(served: Served) -> None:
    """Whatever the newer message needs, it gets a card that says what gave way; the old draft and card are closed."""
    header = "<gives-way@example.com>"
    thread = take_up(served, mail(message_id=header, subject="Shelf that gives way"), header)
    first = thread.title
    assert len(served.drafts(header)) == 1
    raw = mail(
        NOTICE,
        message_id="<later@example.com>",
        subject="Re: Shelf that gives way",
        reply_to_id=header,
        minutes=5,
    )
    again = take_up(served, raw, header)
    assert again.thread_id == thread.thread_id
    assert again.title.startswith("Notify: ")
    assert "gave way to this newer message" in again.card["description"]
    assert served.drafts(header) == []
    query = "SELECT message_id, status FROM mail WHERE run_thread_id = ? ORDER BY id"
    assert rows(served, query, thread.thread_id) == [
        (thread.key, "superseded"),
        (again.key, "waiting_review"),
    ]
    decisions = rows(served, "SELECT title, decision FROM reviews WHERE run_thread_id = ?", thread.thread_id)
    assert dict(decisions) == {first: "superseded", again.title: None}


def take_up(served: Served, raw: bytes, header: str, script: Any = (REPLY,)) -> Thread:
    """Deliver a mail, let the `ingest` graph take it up, and run to the card."""
    if script:
        served.model.script(*script)
    key = deliver(served.folder, raw)
    look = {"query": str(message_from_bytes(raw)["Subject"])}
    result: Any = served.client.runs.wait(None, "ingest", input=look, raise_error=True)
    assert result["counts"] == {"started": 1}
    ((thread_id,),) = rows(served, "SELECT run_thread_id FROM mail WHERE message_id = ?", key)
    served.client.runs.join(thread_id, newest_run(served, thread_id))
    return Thread(served, thread_id, header, key)


def newest_run(served: Served, thread_id: str) -> str:
    """The id of the thread's newest run."""
    runs: Any = served.client.runs.list(thread_id)
    return str(runs[0]["run_id"])


def test_the_ingest_graph_takes_mail_up_once(served: Served) -> None:
    """A run of it starts what is new, and is on record; the next one finds nothing."""
    thread = take_up(
        served, mail(message_id="<by-graph@example.com>", subject="By graph"), "<by-graph@example.com>"
    )
    look = {"query": "By graph"}
    again: Any = served.client.runs.wait(None, "ingest", input=look, raise_error=True)
    assert again["counts"] == {}
    assert served.client.threads.get(thread.thread_id)["metadata"]["email_id"] == thread.key
    assert rows(served, "SELECT count(*) FROM runs WHERE graph = 'ingest' AND status = 'ended'")[0][0] >= 2


@pytest.mark.parametrize(
    ("look", "told"),
    [
        ({"minutes_since": "soon"}, "minutes_since must be a whole number"),
        ({"graph_name": "nobody"}, "graph_name: 'nobody' deals with no mail"),
        ({"after": "yesterday"}, "after must be a time"),
    ],
)
def test_a_wrong_look_fails_naming_the_field(served: Served, look: dict[str, Any], told: str) -> None:
    """One clear error, nothing is done, and the failed look is on record."""
    result: Any = served.client.runs.wait(None, "ingest", input=look, raise_error=False)
    assert told in result["__error__"]["message"]
    (last,) = rows(served, "SELECT error FROM runs WHERE graph = 'ingest' ORDER BY started_at DESC LIMIT 1")
    assert told in last[0]
