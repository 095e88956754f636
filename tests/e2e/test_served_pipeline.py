"""The reply pipeline on the real server: from the inbox to Sent, with its trace."""

import json
import mailbox
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from langgraph_sdk import get_sync_client

from tests.e2e.cli_support import PERSON, Cli
from tests.servers.model_server import ModelServer, running_model_server, tool_call
from tests.support.desk import mail
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("pipeline")

_numbers = count(1)
FRONT = ["classify", "retrieve", "decide"]
BODY = "Dear Ana,\n\nwe are sorry that the shelf arrived scratched.\n\nRobin Vale"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Cli:
    """Somebody whose both tiers are on the model server."""
    tmp_path = tmp_path_factory.mktemp("pipeline")
    models = {"EMAIL_ASSISTANT_MODEL_FAST": "openai:fast", "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong"}
    there = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": model.base_url}
    return Cli(tmp_path, tmp_path / "data", PERSON | models | there)


@pytest.fixture(scope="module")
def server(user: Cli) -> Iterator[DevServer]:
    """Over the user's folder."""
    with forked_server(user.folder, user.settings) as running:
        yield running


def test_a_complaint_goes_the_whole_way(user: Cli, server: DevServer, model: ModelServer) -> None:
    """Taken in by the command, approved by a person, sent once; the journal shows the whole trace as a tree and a page."""
    model.script(
        tool_call(
            "Classification",
            {"reasoning": "It is scratched.", "classification": "complaint", "confidence": 0.9},
        ),
        tool_call("ToolChoice", {"tools": ["create_draft", "send_money"], "reasoning": ""}),
        tool_call("Generated", {"body": BODY, "confidence": 0.95, "tools_used": [], "facts": []}),
    )
    box = mailbox.Maildir(user.data / "mailbox", create=True)
    box.add(mail("Hi Robin,\n\nthe shelf arrived scratched.\n\nAna", message_id="<scratched@example.com>"))
    to = ("--url", server.url)
    message_id = next(iter(box.keys()))
    taken_in = user.run("ingest", "--graph-name", "reply_pipeline", *to)
    assert (taken_in.returncode, "Mail: 1 taken up." in taken_in.stdout) == (0, True), taken_in.stderr
    client = get_sync_client(url=server.url)
    (thread,) = client.threads.search(status="interrupted", metadata={"email_id": message_id})
    state: Any = client.threads.get_state(thread["thread_id"])
    card = state["tasks"][0]["interrupts"][0]["value"][0]
    assert card["action_request"]["args"]["body"] == BODY
    answer = {"resume": [{"type": "accept", "args": None}]}
    ended: Any = client.runs.wait(thread["thread_id"], "reply_pipeline", command=answer)
    assert (ended["outcome"], ended["final_response"]) == ("sent", BODY)
    assert [step["step_name"] for step in ended["steps"]] == [
        "classify", "retrieve", "decide", "execute_tools", "generate", "review", "human_queue", "dispatch",
    ]  # fmt: skip
    assert [m["In-Reply-To"] for m in box.get_folder("Sent")] == ["<scratched@example.com>"]
    runs = json.loads(user.run("journal", "show", "--json").stdout)
    trace_id = next(r["run_id"] for r in runs if r["run_thread_id"] == thread["thread_id"])
    tree = user.run("journal", "show", trace_id).stdout
    for part in ("classify", "retrieve", "execute_tools", "get_contact", "human_queue", "dispatch"):
        assert part in tree, tree
    assert "send_money" in user.run("journal", "show", trace_id, "--json").stdout


def script(model: ModelServer, name: str, sure: float, wanted: tuple[str, ...], reply_sure: float) -> None:
    """What the model says in one run."""
    model.script(
        tool_call("Classification", {"reasoning": "So.", "classification": name, "confidence": sure}),
        tool_call("ToolChoice", {"tools": list(wanted), "reasoning": ""}),
        tool_call("Generated", {"body": BODY, "confidence": reply_sure, "tools_used": [], "facts": []}),
    )


def processed(server: DevServer) -> dict[str, Any]:
    """A mail's run, to its pause or end: the thread's values and status."""
    client, number = get_sync_client(url=server.url), next(_numbers)
    email_input = {
        "id": f"served-{number}", "thread_id": f"served-{number}", "from": f"Ana Petrova <ana{number}@example.com>",
        "to": "robin@vale.example", "subject": f"Shelf {number}", "body": "Hi Robin, the shelf arrived scratched.",
        "message_id": f"<served-{number}@example.com>",
    }  # fmt: skip
    thread = client.threads.create()
    client.runs.wait(thread["thread_id"], "reply_pipeline", input={"email_input": email_input})
    found: Any = client.threads.get(thread["thread_id"])
    return dict(found["values"]) | {"status": found["status"]}


def path(values: dict[str, Any]) -> list[str]:
    """The steps of the run."""
    return [step["step_name"] for step in values["steps"]]


# (class, its confidence, tools the model wants, the writer's confidence) → (tools used, step after review or the last one)
TABLE = [
    ("spam", 0.80, (), 1.0, None, "classify"),
    ("spam", 0.79, ("create_draft",), 1.0, [], "review"),
    ("inquiry", 0.80, (), 0.80, ["create_draft"], "dispatch"),
    ("inquiry", 0.79, (), 0.80, ["create_draft"], "review"),
    ("inquiry", 0.80, (), 0.79, ["create_draft"], "review"),
    ("inquiry", 0.80, ("get_contact",), 0.80, ["get_contact", "create_draft"], "dispatch"),
    ("inquiry", 0.80, ("check_calendar", "send_email"), 0.80, ["create_draft"], "dispatch"),
    ("meeting_request", 0.80, (), 0.80, ["check_calendar", "create_draft"], "dispatch"),
    ("meeting_request", 0.80, ("get_contact",), 0.79, ["check_calendar", "create_draft"], "review"),
    ("complaint", 0.80, (), 0.80, ["get_contact", "create_draft"], "review"),
    ("complaint", 1.0, ("check_calendar",), 1.0, ["get_contact", "create_draft"], "review"),
    ("follow_up", 0.80, (), 0.80, ["get_contact", "create_draft"], "dispatch"),
    ("follow_up", 0.79, (), 0.99, ["get_contact", "create_draft"], "review"),
    ("other", 0.80, ("get_contact",), 0.80, ["get_contact", "create_draft"], "dispatch"),
]


@pytest.mark.parametrize(("name", "sure", "wanted", "reply_sure", "tools", "last"), TABLE)
def test_every_edge_and_every_tool_rule(
    server: DevServer, model: ModelServer, name: str, sure: float, wanted: tuple[str, ...], reply_sure: float,
    tools: list[str] | None, last: str,
) -> None:  # fmt: skip
    """The same table for everybody: what runs, in which order, and who approves."""
    script(model, name, sure, wanted, reply_sure)
    values = processed(server)
    if tools is None:
        assert (path(values), values["outcome"], values["status"]) == (["classify"], "ignored", "idle")
        return
    middle = ["execute_tools"] if tools else []
    end = ["dispatch"] if last == "dispatch" else []
    assert path(values) == [*FRONT, *middle, "generate", "review", *end]
    assert values["selected_tools"] == tools
    assert values["requires_approval"] is not (last == "dispatch")
    assert (values["outcome"], values["status"]) == (
        ("drafted", "idle") if last == "dispatch" else ("", "interrupted")
    )
    assert all(values["tool_results"][each]["success"] for each in tools)
