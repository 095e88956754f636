"""The organizer on the real server: each way through it, with a scripted model on both tiers, and its commands."""

import json
import mailbox
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client

from tests.e2e.cli_support import PERSON, Cli
from tests.servers.model_server import ModelServer, failing, running_model_server, tool_call
from tests.support.desk import mail
from tests.support.dev_server import DevServer, dev_server

pytestmark = pytest.mark.xdist_group("organizer")

WORK, NEWS, OFFERS = "Professional/Work", "Newsletters/Subscriptions", "Marketing/Promotions"
_numbers = count(1)


@dataclass
class Sorter:
    """A served organizer, its model and its commands."""

    server: DevServer
    model: ModelServer
    cli: Cli

    def command(self, *args: str) -> str:
        """A command that succeeds; what it prints."""
        done = self.cli.run(*args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def organize(self) -> dict[str, int]:
        """One run of the command."""
        found: dict[str, int] = json.loads(self.command("organize", "--json", "--url", self.server.url))
        return found

    def look(self, header: str) -> Any:
        """Let the server look for mail, and the mail's run come to its pause or end; returns what was found."""
        client = get_sync_client(url=self.server.url)
        told: Any = client.runs.wait(
            None, "ingest", input={"graph_name": "inbox_organizer"}, raise_error=True
        )
        (run,) = client.runs.list(self.thread_id(header), limit=1)
        client.runs.join(run["thread_id"], run["run_id"])
        return told["counts"]

    def receive(self, **fields: str) -> str:
        """Deliver a mail; returns its Message-ID."""
        header = f"<sorted-{next(_numbers)}@example.com>"
        fields.setdefault("sender", f"Ana {header[1:-13]} <ana{next(_numbers)}@example.com>")
        box = mailbox.Maildir(self.cli.data / "mailbox", create=True)
        box.add(mail(message_id=header, **fields))
        return header

    def thread_id(self, header: str) -> str:
        """The id of the mail's thread on the server."""
        query = "SELECT run_thread_id FROM mail WHERE email_input LIKE ?"
        with sqlite3.connect(self.cli.data / "email_assistant.db") as database:
            ((found,),) = database.execute(query, (f"%{header}%",)).fetchall()
        return str(found)

    def thread(self, header: str) -> Any:
        """The mail's thread on the server."""
        return get_sync_client(url=self.server.url).threads.get(self.thread_id(header))

    def answer(self, header: str, value: dict[str, Any]) -> None:
        """Answer the card as Agent Inbox does."""
        body = {"assistant_id": "inbox_organizer", "command": {"resume": [value]}}
        url = f"{self.server.url}/threads/{self.thread_id(header)}/runs/wait"
        assert "__error__" not in httpx.post(url, json=body, timeout=60).raise_for_status().json()

    def values(self, header: str) -> dict[str, Any]:
        """What the run came to."""
        return dict(self.thread(header)["values"])


def card_of(thread: Any) -> dict[str, Any]:
    """The card that waits."""
    ((interrupt,),) = thread["interrupts"].values()
    (card,) = interrupt["value"]
    return dict(card)


@pytest.fixture(scope="module")
def sorter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sorter]:
    """One server for the module."""
    folder = tmp_path_factory.mktemp("organizer")
    with running_model_server() as model:
        settings = PERSON | {
            "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
            "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.base_url,
        }
        with dev_server(folder, settings) as server:
            yield Sorter(server, model, Cli(folder, folder / "data", settings))


def says(category: str, confidence: float) -> Any:
    """The model's answer."""
    return tool_call(
        "CategoryAnswer",
        {"reasoning": "So it seems.", "category": category, "confidence": confidence, "key_phrases": []},
    )


@pytest.mark.parametrize(
    ("answers", "labelled"),
    [
        ([0.70], False), ([0.79], False), ([0.80], True),
        ([0.69, 0.69], False), ([0.69, 0.70], False), ([0.69, 0.79], False), ([0.69, 0.80], True),
    ],
)  # fmt: skip
def test_every_way_to_a_label(sorter: Sorter, answers: list[float], labelled: bool) -> None:
    """Fast tier, strong tier below 0.7, label from 0.8 on, else a card; after its approval the label."""
    sorter.model.script(*(says(WORK, each) for each in answers))
    header = sorter.receive()
    assert sorter.look(header) == {"started": 1}
    assert [body["model"] for body in sorter.model.bodies] == ["fast", "strong"][: len(answers)]
    thread = sorter.thread(header)
    assert thread["status"] == ("idle" if labelled else "interrupted")
    if not labelled:
        assert card_of(thread)["action_request"]["action"].startswith(f"Label as {WORK}: ")
        assert sorter.values(header).get("labels") == []
        sorter.answer(header, {"type": "accept", "args": None})
    assert (sorter.values(header)["labels"], sorter.values(header)["outcome"]) == (
        [f"Agent/{WORK}"],
        "labeled",
    )
    assert sorter.organize() == {}


def test_corrections_teach_and_can_be_undone(sorter: Sorter) -> None:
    """After three edits of a list's cards the fourth mail is sorted without the model; `hints forget` undoes that."""
    fields = {"sender": "Shop <news@shop.example>", "List_Id": "<news.shop.example>"}
    for _ in range(3):
        sorter.model.script(says(OFFERS, 0.75))
        header = sorter.receive(**fields)
        sorter.look(header)
        action = card_of(sorter.thread(header))["action_request"]["action"]
        sorter.answer(header, {"type": "edit", "args": {"action": action, "args": {"category": NEWS}}})
    sorter.model.script()
    header = sorter.receive(**fields)
    assert [sorter.organize(), sorter.organize()] == [{"started": 1}, {}]
    assert (sorter.model.bodies, sorter.values(header)["decided_by"]) == ([], "hint")
    listed = sorter.command("hints", "list")
    assert f"list:news.shop.example  {NEWS}  decides" in listed
    sorter.command("hints", "forget", "list:news.shop.example")
    sorter.command("hints", "forget", "sender:news@shop.example")
    sorter.model.script(says(OFFERS, 0.9))
    header = sorter.receive(**fields)
    sorter.look(header)
    assert sorter.values(header)["labels"] == [f"Agent/{OFFERS}"]
    assert "shop" not in sorter.command("hints", "list")


def test_what_failed_three_times_is_replayed(sorter: Sorter, tmp_path: Path) -> None:
    """The dead letter is listed with its reason; when the model is well again a replay labels the mail, once."""
    sorter.model.script(failing(401, "no") | {"repeat": True})
    header = sorter.receive()
    sorter.look(header)
    client = get_sync_client(url=sorter.server.url)
    for _ in range(2):
        client.runs.wait(sorter.thread_id(header), "inbox_organizer", input=None, raise_error=False)
    (letter,) = json.loads(sorter.command("dead-letters", "list", "--json"))
    assert (letter["graph"], letter["attempts"]) == ("inbox_organizer", 3)
    assert "OPENAI_API_KEY" in letter["reason"]
    assert "Ana sorted-" in sorter.command("dead-letters", "show", letter["message_id"])
    sorter.model.script(says(WORK, 0.9))
    told = sorter.command("dead-letters", "replay", letter["message_id"], "--url", sorter.server.url)
    assert told == "1 message is tried again.\n"
    (run,) = client.runs.list(sorter.thread_id(header), limit=1)
    client.runs.join(sorter.thread_id(header), run["run_id"])
    assert sorter.values(header)["labels"] == [f"Agent/{WORK}"]
    assert json.loads(sorter.command("dead-letters", "list", "--json")) == []
