"""Which runs are let in: what a run may bring is judged before it is made."""

from collections.abc import Mapping
from typing import Any

import pytest

from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.server.engine import AskedRun, asked_run
from email_assistant.server.run_door import RunDoor
from email_assistant.tools.tool import User

USER = User(Address("robin@vale.example"), "UTC")
MAIL = {
    "from": "ana@example.com",
    "to": "robin@vale.example",
    "subject": "Shelf",
    "body": "How much?",
    "id": "m1",
}
MAIL_GRAPHS = ("email_assistant", "claims_desk")


def door(thread: Mapping[str, Any] | None, graph: str) -> RunDoor:
    """A door of a server with one thread; assistants are called as their graphs."""

    async def graph_of(assistant_id: str) -> str:
        return graph

    async def found(thread_id: str) -> Mapping[str, Any] | None:
        return thread

    async def user() -> User:
        return USER

    return RunDoor(graph_of, found, user)


def run(thread_id: str | None = "t", **kwargs: Any) -> AskedRun:
    """A run as the server is about to make it."""
    asked = {"input": None, "command": None} | kwargs
    return asked_run({"assistant_id": "a", "thread_id": thread_id, "kwargs": asked})


WAITING = [{"status": "interrupted"}, {"status": "busy"}, {"status": "error", "interrupts": {"i": [{}]}}]


@pytest.mark.parametrize("graph", MAIL_GRAPHS)
@pytest.mark.parametrize("thread", WAITING)
@pytest.mark.parametrize(
    ("inputs", "named"),
    [
        ({"email_input": None}, "email_input"),
        ({"email_input": "x"}, "email_input"),
        ({"email_input": {k: v for k, v in MAIL.items() if k != "subject"}}, "email_input.subject"),
        ([], "input"),
    ],
)
async def test_what_is_no_mail_leaves_a_waiting_card(
    graph: str, thread: dict[str, Any], inputs: Any, named: str
) -> None:
    """LangGraph would put the card away before a node could refuse; the line names the field."""
    with pytest.raises(InputError, match=rf"^{named}\b.*the card that waits on this thread stays$"):
        await door(thread, graph).check(run(input=inputs))


@pytest.mark.parametrize("graph", MAIL_GRAPHS)
@pytest.mark.parametrize("thread", WAITING)
async def test_mail_and_answers_are_let_in(graph: str, thread: dict[str, Any]) -> None:
    """Newer mail takes the place of a card on purpose."""
    await door(thread, graph).check(run(input={"email_input": MAIL}))
    await door(thread, graph).check(run(input=None, command={"resume": [{"type": "accept", "args": None}]}))
    await door(thread, graph).check(run(input=None, command={"resume": "", "update": None, "goto": []}))
    await door(thread, graph).check(run(input=None))


async def test_a_chat_goes_on() -> None:
    """A message of a chat is no mail, and no mistake."""
    await door(WAITING[0], "claims_desk").check(run(input={"messages": [{"role": "user", "content": "Hi"}]}))


@pytest.mark.parametrize("thread", [None, {"status": "idle", "interrupts": {}}, {"status": "error"}])
async def test_where_no_card_waits_the_run_itself_says_what_is_wrong(thread: dict[str, Any] | None) -> None:
    """Its one clear error is on record, with the run."""
    await door(thread, "email_assistant").check(run(input={"email_input": None}))
    await door(thread, "email_assistant").check(run(None, input={"email_input": None}))


async def test_an_answer_is_taken_by_the_graph_that_asked() -> None:
    """Another graph's assistant would begin its own work on the thread; new mail may go to any."""
    thread = WAITING[0] | {"metadata": {"graph_id": "order_desk"}}
    command = {"resume": [{"type": "accept", "args": None}]}
    with pytest.raises(InputError, match="answer it with assistant_id order_desk"):
        await door(thread, "email_assistant").check(run(input=None, command=command))
    await door(thread, "order_desk").check(run(input=None, command=command))
    await door(thread, "email_assistant").check(run(input={"email_input": MAIL}))


@pytest.mark.parametrize("name", ["update", "goto"])
@pytest.mark.parametrize("thread", [None, *WAITING])
async def test_an_answer_brings_its_answer_alone(name: str, thread: dict[str, Any] | None) -> None:
    """With an update what was shown could be swapped while it is approved."""
    command = {"resume": [{"type": "accept", "args": None}], name: {"pending": {"kind": "send_email"}}}
    with pytest.raises(InputError, match=rf"^command\.{name} is not taken"):
        await door(thread, "email_assistant").check(run(input=None, command=command))


@pytest.mark.parametrize(
    "inputs", [{"url": "http://evil.example"}, {"limit": 1, "url": None}, {"pending": {}}]
)
async def test_a_look_takes_the_fields_it_has(inputs: dict[str, Any]) -> None:
    """Where runs are started is no input; the line names the field."""
    with pytest.raises(InputError, match=r"unknown field '(url|pending)'; there are email, minutes_since"):
        await door(None, "ingest").check(run(None, input=inputs))
    await door(None, "ingest").check(run(input={"limit": 1, "graph_name": "order_desk"}))
