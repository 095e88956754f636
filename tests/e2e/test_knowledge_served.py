"""What past mail tells, on the real development server: its own store, its own index, the command beside it."""

import json
import mailbox
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from email_assistant.workflows.reply_pipeline.past_mail.item import space_of
from tests.e2e.cli_support import OFFLINE, PERSON, Cli, told
from tests.support.desk import mail
from tests.support.dev_server import DevServer, forked_server

CARGO = (
    "What does the cargo bike cost for a weekend, and is there a deposit?",
    "It is 60 euro, the deposit is 150.",
)
HOURS = ("Are you open on Saturday, and until when?", "On Saturdays we are open from 10 to 14.")
THANKS = ("Thanks!", "Thanks!")


@dataclass(frozen=True)
class Desk:
    """The server and a user beside it."""

    server: DevServer
    cli: Cli

    @property
    def client(self) -> SyncLangGraphClient:
        """A client of the server."""
        return get_sync_client(url=self.server.url)

    def command(self, *args: str, **more: str) -> str:
        """A knowledge command that succeeds; what it printed."""
        done = self.cli.run("knowledge", *args, "--url", self.server.url, **more)
        assert done.returncode == 0, done
        return done.stdout

    def items(self, **search: Any) -> list[Any]:
        """What the store holds of past mail."""
        return list(
            self.client.store.search_items(("email_assistant", "knowledge"), limit=100, **search)["items"]
        )


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One server for the module, and a mailbox with three conversations and a newsletter in it."""
    folder = tmp_path_factory.mktemp("knowledge")
    settings = PERSON | OFFLINE
    (folder / "data").mkdir()
    box = mailbox.Maildir(folder / "data" / "mailbox", create=True)
    sent = box.add_folder("Sent")
    for number, (asked, answer) in enumerate((CARGO, HOURS, THANKS)):
        header = f"<past-{number}@example.com>"
        subject = f"Question {number}"
        box.add(
            mail(asked, sender=f"Ana {number} <ana{number}@example.com>", message_id=header, subject=subject)
        )
        sent.add(
            mail(
                answer,
                sender="Robin Vale <robin@vale.example>",
                message_id=f"<answer-{number}@vale.example>",
                subject=f"Re: {subject}",
                reply_to_id=header,
            )
        )
    box.add(
        mail(
            "Cargo bike deposit news",
            sender="N <n@shop.example>",
            message_id="<n@x>",
            List_Id="<n.shop.example>",
        )
    )
    with forked_server(folder, settings) as server:
        yield Desk(server, Cli(folder, folder / "data", settings))


def test_the_past_is_indexed_found_and_forgotten(desk: Desk) -> None:
    """By the command, over the server's own index; again is nothing new; equal short texts are no trouble."""
    assert json.loads(desk.command("index", "--json"))["added"] == 6
    again = json.loads(desk.command("index", "--json"))
    assert (again["added"], again["unchanged"], again["list_mail"]) == (0, 6, 1)
    found = json.loads(desk.command("search", "cargo bike deposit for the weekend", "--json"))
    assert (found[0]["mail"]["text"], found[0]["answer"]["text"], found[0]["used"]) == (*CARGO, True)
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    assert not any(one["used"] for one in found[1:])
    shown = desk.command("search", "open on Saturday until when")
    assert "Ana 1 <ana1@example.com>  Question 1" in shown.splitlines()[0]
    assert "you wrote: On Saturdays we are open from 10 to 14." in shown
    assert desk.command("forget") == "Forgotten: 6 messages.\n"
    assert desk.items() == []
    assert "Nothing was found." in desk.command("search", "cargo bike")


def test_the_servers_store_ranks_by_the_embedding_of_langgraph_json(desk: Desk) -> None:
    """A plain search through the server's interface has scores, and orders by them."""
    space = ("email_assistant", "knowledge", "elsewhere", "documents")
    store = desk.client.store
    for key, text in (("hours", "opening hours on Saturday"), ("cargo", "cargo bike deposit")):
        store.put_item(space, key, {"text": text})
    store.put_item(space, "unembedded", {"text": "cargo bike deposit"}, index=False)
    items: Any = store.search_items(space, query="deposit for a cargo bike")["items"]
    assert [item["key"] for item in items] == ["cargo", "hours", "unembedded"]
    assert items[0]["score"] > 0.8 > 0.3 > items[1]["score"]
    assert items[2]["score"] is None
    for item in items:
        store.delete_item(space, item["key"])


def test_a_command_with_another_embedding_is_refused_by_the_server(desk: Desk) -> None:
    """Vectors of two embeddings must not meet; the line names the setting."""
    failed = desk.cli.run(
        "knowledge", "index", "--url", desk.server.url,
        EMAIL_ASSISTANT_EMBEDDING="openai:text-embedding-3-small", OPENAI_API_KEY="none",
    )  # fmt: skip
    assert "EMAIL_ASSISTANT_EMBEDDING" in told(failed)
    assert not [item for item in desk.items() if item["value"].get("embedding") != "lexical-1"]


def test_serve_finds_the_embedding_from_its_data_folder(tmp_path: Path) -> None:
    """`serve` works in the data folder, where no file of the checkout is."""
    from tests.e2e.cli_support import running

    with running(Cli(tmp_path, tmp_path / "data", PERSON | OFFLINE), command="serve") as up:
        done = up.cli.run("knowledge", "index")
        assert done.stdout == "Past mail: there is none.\n", done
        client = get_sync_client(url=f"http://127.0.0.1:{up.port}")
        client.store.put_item(space_of("x"), "one", {"text": "cargo bike"})
        items: Any = client.store.search_items(space_of("x"), query="cargo bikes")["items"]
        assert items[0]["score"] > 0.8
        assert os.listdir(tmp_path / "data")
