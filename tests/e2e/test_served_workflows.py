"""Each workflow on the real server, by the rules: a mail, its cards, and what their accepts come to; and what only a server shows."""

import asyncio
import json
import mailbox
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from langgraph_sdk import get_client, get_sync_client

from email_assistant.app import ingesting
from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.page.answering import shown
from email_assistant.review.waiting import deferred_cards
from email_assistant.settings import load_settings
from eval.accepting import accepting
from eval.claims.running import SAMPLES
from eval.mails import HOST, raw_messages
from eval.workbench import CATALOGUE, Graph
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.support.dev_server import DevServer, forked_server
from tests.support.page_client import PageClient
from tests.support.workflows import WORKFLOWS

ORDERED = "Hello,\n\nplease send me 2 Enamel mug (KTC-4098).\n\nAna Petrova"
MOST_CARDS = 4


@dataclass
class Served:
    """A served workflow, and its commands."""

    graph: Graph
    server: DevServer
    cli: Cli

    @property
    def client(self) -> Any:
        """A client of the server."""
        return get_sync_client(url=self.server.url)

    def command(self, *args: str) -> str:
        """A command that succeeds; what it prints."""
        done = self.cli.run(*args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def receive(self, **fields: Any) -> dict[str, Any]:
        """The workflow's mail, or another one, taken in by the command; its thread."""
        (raw,) = raw_messages({**WORKFLOWS[self.graph].case, **fields})
        key = mailbox.Maildir(self.cli.data / "mailbox", create=True).add(raw)
        told = self.command("ingest", "--graph-name", self.graph, "--url", self.server.url)
        assert "Mail: 1 taken up." in told
        (thread,) = self.client.threads.search(metadata={"email_id": key})
        return dict(thread)

    def accept(self, thread: dict[str, Any], *, changes: Callable[[Any], Any] = accepting) -> dict[str, Any]:
        """Answer the card that the thread shows, as Agent Inbox does; the thread after it."""
        ((interrupt,),) = thread["interrupts"].values()
        command = {"resume": [changes(interrupt["value"][0])]}
        self.client.runs.wait(thread["thread_id"], self.graph, command=command)
        return dict(self.client.threads.get(thread["thread_id"]))

    def sent(self) -> list[str]:
        """Which mails are answered."""
        box = mailbox.Maildir(self.cli.data / "mailbox")
        found = box.get_folder("Sent") if "Sent" in box.list_folders() else []
        return [str(mail["In-Reply-To"]) for mail in found]

    @property
    def house(self) -> AppDeps:
        """A house on the data folder."""
        folder = {"EMAIL_ASSISTANT_DATA_DIR": str(self.cli.data)}
        return deps_of(load_settings({**self.cli.settings, **folder}, self.cli.folder))

    def recover(self) -> None:
        """What the server does every half minute, as if an hour had passed."""
        later = datetime.now(UTC) + timedelta(hours=1)
        asyncio.run(ingesting.recovery(self.house, get_client(url=self.server.url)).recover(later))


@contextmanager
def serving(folder: Path, graph: Graph, **settings: str) -> Iterator[Served]:
    """A server with what the workflow has before its first mail."""
    given = (
        PERSON | OFFLINE | {"EMAIL_ASSISTANT_AUTHSERV_ID": HOST} | dict(WORKFLOWS[graph].settings) | settings
    )
    cli = Cli(folder, folder / "data", given)
    stock = {
        "order_desk": ("catalog", "import", str(CATALOGUE)),
        "claims_desk": ("customers", "import", str(SAMPLES / "customers.csv"), str(SAMPLES / "policies.csv")),
    }
    if graph in stock:
        imported = cli.run(*stock[graph])
        assert imported.returncode == 0, imported.stderr
    with forked_server(folder, given) as server:
        yield Served(graph, server, cli)


@pytest.mark.parametrize("graph", get_args(Graph))
def test_a_mail_is_answered_once_by_the_accepts_of_its_cards(tmp_path: Path, graph: Graph) -> None:
    """Nothing leaves before, an accept that comes twice does nothing more, and the journal has the run."""
    with serving(tmp_path, graph) as served:
        thread = served.receive()
        first = thread["interrupts"]
        for _ in range(MOST_CARDS):
            if thread["status"] != "interrupted":
                break
            assert served.sent() == []
            thread = served.accept(thread)
        assert first
        assert (thread["status"], len(served.sent())) == ("idle", 1)
        served.accept(thread | {"interrupts": first})
        assert len(served.sent()) == 1
        runs = json.loads(served.command("journal", "show", "--json"))
        assert thread["thread_id"] in {run["run_thread_id"] for run in runs}


def test_a_label_from_the_page_can_be_taken_off_again(tmp_path: Path) -> None:
    """It is held, in one answer with another, and then given; taking it back leaves the mailbox as it was."""
    with serving(tmp_path, "inbox_organizer") as served:
        page = PageClient(served.server.url)
        for name in ("one", "two"):
            served.receive(id=name, text="Just so you know.", **{"from": f"{name} <{name}@else.example>"})
        cards = [shown(card) for card in asyncio.run(deferred_cards(served.house.trace))]
        news = {"type": "edit", "args": {"category": "Newsletters/Subscriptions"}}
        kept, taken = page.answer(cards[0] | {"type": "accept"}, cards[1] | news)
        assert (kept["state"], taken["state"]) == ("done", "done")
        assert len(labels(served)) == len(cards) == 2
        told = page.undo(taken)
        assert told["state"] == "undone"
        assert "Agent/Newsletters/Subscriptions" not in labels(served)
        assert len(labels(served)) == 1
        assert page.undo(taken)["state"] == "undone"


def labels(served: Served) -> list[str]:
    """Every label in the mailbox, as often as it is given."""

    async def all_of_them() -> list[str]:
        ids = [key for key, _ in mailbox.Maildir(served.cli.data / "mailbox").items()]
        box = served.house.mailbox
        return [label for each in ids for label in await box.labels(each)]

    return asyncio.run(all_of_them())


def test_a_card_that_is_marked_as_resolved_gives_its_stock_back(tmp_path: Path) -> None:
    """Agent Inbox ends the thread without running the graph; the next round of recovery undoes what waited."""
    with serving(tmp_path, "order_desk") as served:
        before = stock(served)
        thread = served.receive(text=ORDERED)
        assert (stock(served), orders(served)) == (before - 2, ["held"])
        url = f"{served.server.url}/threads/{thread['thread_id']}/state"
        httpx.post(url, json={"values": None, "as_node": "__end__"}).raise_for_status()
        for _ in range(2):
            served.recover()
        assert (stock(served), orders(served)) == (before, ["released"])
        assert served.client.threads.search(status="interrupted") == []
        assert list(mailbox.Maildir(served.cli.data / "mailbox").get_folder("Drafts")) == []
        assert served.client.threads.get_state(thread["thread_id"])["values"]["outcome"] == "resolved"


def orders(served: Served) -> list[str]:
    """The states of all orders, the latest first."""
    return [each["state"] for each in json.loads(served.command("orders", "list", "--json"))]


def stock(served: Served) -> int:
    """Mugs that can still be taken."""
    return int(json.loads(served.command("catalog", "show", "KTC-4098", "--json"))["stock"])
