"""The answers over HTTP on the served graph, each with its effect outside."""

from typing import Any

import pytest

from tests.e2e.conftest import Served, Thread
from tests.servers.model_server import tool_call, tool_calls

pytestmark = pytest.mark.xdist_group("served")

ACCEPT, IGNORE = [{"type": "accept", "args": None}], [{"type": "ignore", "args": None}]
DONE: tuple[str, dict[str, Any]] = ("Done", {})


def reply(body: str = "It is 120 euro.") -> Any:
    """A model turn that replies and ends."""
    return tool_calls(("send_email", {"body": body}), DONE)


def meeting(title: str) -> Any:
    """A model turn that proposes a meeting and ends."""
    args = {
        "title": title, "attendees": ["ana@example.com"], "start": "2026-11-26T10:00:00+01:00",
        "end": "2026-11-26T10:30:00+01:00", "timezone": "Europe/Berlin", "location": "Studio",
    }  # fmt: skip
    return tool_calls(("schedule_meeting", args), DONE)


def question() -> Any:
    """A model turn that asks."""
    return tool_call("Question", {"question": "Which shelf does she mean?"})


def respond(text: str) -> list[dict[str, str]]:
    """A response."""
    return [{"type": "response", "args": text}]


def notification(served: Served, *turns: Any) -> Thread:
    """An alert that is only to be shown."""
    return served.begin(
        *turns,
        body="Your package was delayed until Monday. No action is needed.",
        Auto_Submitted="auto-generated",
    )


def test_send_email_accept_sends_what_was_shown(served: Served) -> None:
    """Exactly one reply is in Sent, the draft is gone, the mail is read."""
    thread = served.begin(reply())
    assert thread.title.startswith("Send reply to Ana Petrova: ")
    assert (len(served.drafts(thread.header)), len(served.sent(thread.header))) == (1, 0)
    thread.answer([{"type": "accept", "args": thread.echo()}])
    (sent,) = served.sent(thread.header)
    assert "It is 120 euro." in sent.get_payload()
    assert served.drafts(thread.header) == []
    assert served.is_read(thread.key)
    assert thread.status == "idle"
    assert len(served.model.bodies) == 1


def test_send_email_response_gives_a_new_draft_and_learns(served: Served) -> None:
    """The model hears the feedback; the new draft waits under a new title, and an accept that names no card does not send it."""
    thread = served.begin(reply(), reply("120."))
    first = thread.title
    thread.answer(respond("Shorter, please."))
    assert thread.title == f"{first} (draft 2)"
    assert thread.card["action_request"]["args"]["body"] == "120."
    assert "Shorter, please." in str(served.model.bodies[1])
    assert len(served.drafts(thread.header)) == 1
    assert "Shorter, please." in served.profile("response_preferences")["content"]
    thread.answer([{"type": "accept"}])
    assert (served.sent(thread.header), thread.title) == ([], f"{first} (draft 2)")
    assert thread.card["description"].startswith("That answer does not say which card it is for")
    thread.answer(ACCEPT)
    assert len(served.sent(thread.header)) == 1


def test_schedule_meeting_accept_creates_it_with_its_guest(served: Served) -> None:
    """The event is in the calendar with the guest."""
    thread = served.begin(meeting("Fitting accepted"))
    assert thread.title == "Schedule meeting: Fitting accepted"
    assert served.event("Fitting accepted") is None
    thread.answer([{"type": "accept", "args": thread.echo()}])
    event = served.event("Fitting accepted")
    assert event.start.isoformat() == "2026-11-26T10:00:00+01:00"
    assert "ana@example.com" in str(event["ATTENDEE"])
    assert thread.status == "idle"


def test_question_response_goes_to_the_model(served: Served) -> None:
    """The answer is the tool's result."""
    thread = served.begin(question(), reply())
    thread.answer(respond("The tall one."))
    assert thread.title.startswith("Send reply to")
    assert "The tall one." in str(served.model.bodies[1])


@pytest.mark.parametrize(
    "answer",
    [None, "yes", {}, [], [{"type": "send"}], [{"type": "accept"}, {"type": "accept"}], [{"type": "edit", "args": "x"}]],
)  # fmt: skip
def test_any_other_answer_shows_the_same_card_with_the_problem_first(served: Served, answer: Any) -> None:
    """The card stays, its first line says why, nothing is sent; a good answer then still works."""
    thread = served.begin(reply())
    card = thread.card
    thread.answer(answer)
    assert thread.card["action_request"] == card["action_request"]
    assert thread.card["description"].splitlines()[0] != card["description"].splitlines()[0]
    assert served.sent(thread.header) == []
    thread.answer(ACCEPT)
    assert len(served.sent(thread.header)) == 1


def test_a_double_click_and_a_stale_tab_are_harmless(served: Served) -> None:
    """The second accept arrives when another card is up, or none: nothing more is sent."""
    turn = tool_calls(
        ("send_email", {"body": "One."}),
        ("compose_email", {"to": "bo@example.org", "subject": "Two", "body": "Two."}),
        DONE,
    )
    thread = served.begin(turn)
    first = [{"type": "accept", "args": thread.echo()}]
    thread.answer(first)
    assert thread.title.startswith("Send email to bo@example.org")
    thread.answer(first)
    assert thread.title.startswith("Send email to bo@example.org")
    assert "another card" in thread.card["description"].splitlines()[0]
    thread.answer(ACCEPT)
    thread.answer(first)
    assert len(served.sent(thread.header)) == 1


def test_a_wrong_input_ends_with_one_clear_error(served: Served) -> None:
    """The error names the field; nothing is done."""
    thread = served.client.threads.create()
    state: Any = served.client.runs.wait(
        thread["thread_id"],
        "email_assistant",
        input={"email_input": {"from": "a@example.com"}},
        raise_error=False,
    )
    assert state["__error__"]["message"].startswith("email_input.to is missing")


def test_the_graph_and_its_schemas_are_served(served: Served) -> None:
    """Studio draws the nodes of both levels; input, output and state schemas are there."""
    (assistant,) = served.client.assistants.search(graph_id="email_assistant")
    graph: Any = served.client.assistants.get_graph(assistant["assistant_id"], xray=True)
    names = {node["id"].rpartition(":")[2] for node in graph["nodes"]}
    assert {
        "triage_router",
        "triage_interrupt_handler",
        "llm_call",
        "interrupt_handler",
        "mark_as_read_node",
    } <= names
    schemas: Any = served.client.assistants.get_schemas(assistant["assistant_id"])
    assert set(schemas["input_schema"]["properties"]) == {"email_input"}
    for kind in ("output_schema", "state_schema"):
        assert {"messages", "email_input", "classification_decision"} <= set(schemas[kind]["properties"])


def test_both_input_forms_are_taken(served: Served) -> None:
    """Studio's form works without an id."""
    served.model.script(reply())
    thread = served.client.threads.create()
    email_input = {
        "author": "Ana <ana@example.com>",
        "to": "robin@vale.example",
        "subject": "Shelf",
        "email_thread": "Could you tell me the price?",
    }
    served.client.runs.wait(thread["thread_id"], "email_assistant", input={"email_input": email_input})
    assert served.client.threads.get(thread["thread_id"])["status"] == "interrupted"
