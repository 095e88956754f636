"""A served assistant: the real development server, a local mailbox and calendar, and a scripted model over HTTP."""

import mailbox
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import icalendar
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from email_assistant.ingest.starter import run_thread_id
from tests.e2e.cli_support import OFFLINE, PERSON, Cli, Running, running
from tests.servers.model_server import ModelServer, running_model_server
from tests.support.desk import deliver, mail
from tests.support.dev_server import DevServer, forked_server

SETTINGS = {
    "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
    "EMAIL_ASSISTANT_NAME": "Robin Vale",
    "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
    "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00+00:00",
    "EMAIL_ASSISTANT_MODEL_FAST": "offline",
    "EMAIL_ASSISTANT_MODEL_STRONG": "openai:scripted",
    "OPENAI_API_KEY": "none",
    "EMAIL_ASSISTANT_HOLD_SECONDS": "30",
}
_numbers = count(1)


@dataclass
class Served:
    """The server, its folder, and the model it talks to."""

    server: DevServer
    folder: Path
    model: ModelServer

    @property
    def client(self) -> SyncLangGraphClient:
        """A client of the server."""
        return get_sync_client(url=self.server.url)

    def begin(
        self, *turns: Any, body: str = "Robin, could you send me the price of the oak shelf?", **fields: str
    ) -> "Thread":
        """Deliver a mail, script the model's turns, and run to the first pause."""
        self.model.script(*turns)
        number = next(_numbers)
        header = f"<served-{number}@example.com>"
        sender = f"Ana Petrova <ana{number}@example.com>"
        raw = mail(body, sender=sender, message_id=header, subject=f"Question {number}", **fields)
        key = deliver(self.folder / "data" / "mailbox", raw)
        thread_id = run_thread_id(header)
        email_input = {
            "id": key,
            "thread_id": header,
            "from": sender,
            "to": "Robin Vale <robin@vale.example>",
            "subject": f"Question {number}",
            "body": body,
            "headers": {"Message-ID": header} | {k.replace("_", "-"): v for k, v in fields.items()},
        }
        self.client.threads.create(thread_id=thread_id, if_exists="do_nothing", metadata={"email_id": key})
        thread = Thread(self, thread_id, header, key)
        thread.run(input={"email_input": email_input})
        return thread

    def sent(self, header: str) -> list[Any]:
        """What was sent in answer to a message."""
        root = mailbox.Maildir(self.folder / "data" / "mailbox", create=False)
        sent = root.get_folder("Sent") if "Sent" in root.list_folders() else []
        return [m for m in sent if str(m["In-Reply-To"]).strip() == header]

    def drafts(self, header: str) -> list[Any]:
        """The drafts that wait to answer a message."""
        root = mailbox.Maildir(self.folder / "data" / "mailbox", create=False)
        drafts = root.get_folder("Drafts") if "Drafts" in root.list_folders() else []
        return [m for m in drafts if str(m["In-Reply-To"]).strip() == header]

    def is_read(self, key: str) -> bool:
        """Whether the message is marked read."""
        root = mailbox.Maildir(self.folder / "data" / "mailbox", create=False)
        return "S" in root[key].get_flags()

    def event(self, title: str) -> Any:
        """The event of that title, or None."""
        path = self.folder / "data" / "calendar.ics"
        if not path.exists():
            return None
        calendar = icalendar.Calendar.from_ical(path.read_bytes())
        return next((e for e in calendar.walk("VEVENT") if str(e["SUMMARY"]) == title), None)

    def profile(self, name: str) -> dict[str, Any]:
        """A preference profile as the store shows it."""
        item = self.client.store.get_item(["email_assistant", name], "user_preferences")
        return dict(item["value"])


@dataclass
class Thread:
    """One run thread on the server."""

    served: Served
    thread_id: str
    header: str
    key: str

    def run(self, **work: Any) -> Any:
        """Run to the next pause; returns the state or the error."""
        return self.served.client.runs.wait(self.thread_id, "email_assistant", raise_error=False, **work)

    def answer(self, value: Any) -> Any:
        """Answer the card as Agent Inbox does, which echoes what it accepts; over plain HTTP, because the client leaves out null."""
        if value == [{"type": "accept", "args": None}] and self.status == "interrupted":
            value = [{"type": "accept", "args": self.card["action_request"]}]
        request = {"assistant_id": "email_assistant", "command": {"resume": value}}
        url = f"{self.served.server.url}/threads/{self.thread_id}/runs/wait"
        return httpx.post(url, json=request, timeout=60).json()

    @property
    def status(self) -> str:
        """The thread's status."""
        return str(self.served.client.threads.get(self.thread_id)["status"])

    @property
    def card(self) -> dict[str, Any]:
        """The card that waits."""
        thread: Any = self.served.client.threads.get(self.thread_id)
        (interrupts,) = thread["interrupts"].values()
        (interrupt,) = interrupts
        (card,) = interrupt["value"]
        return dict(card)

    @property
    def title(self) -> str:
        """The waiting card's title."""
        return str(self.card["action_request"]["action"])

    def echo(self, **changes: str) -> dict[str, Any]:
        """The card's request as the page echoes it, with edits."""
        request = self.card["action_request"]
        return {"action": request["action"], "args": request["args"] | changes}

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What was said on the thread."""
        state: Any = self.served.client.threads.get_state(self.thread_id)
        return list(state["values"]["messages"])


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One served assistant for the session."""
    folder = tmp_path_factory.mktemp("served")
    with running_model_server() as model:
        settings = SETTINGS | {"OPENAI_BASE_URL": model.base_url}
        with forked_server(folder, settings) as server:
            yield Served(server, folder, model)


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One `serve` for the session, begun in a folder that is not the checkout, with an empty mailbox."""
    folder = tmp_path_factory.mktemp("cli")
    with running(Cli(folder, folder / "data", OFFLINE | PERSON), command="serve") as up:
        yield up


@pytest.fixture
def cli(desk: Running) -> Iterator[Cli]:
    """The user whose server runs; nothing waits."""
    yield desk.cli
    client = get_sync_client(url=f"http://127.0.0.1:{desk.port}")
    assert client.threads.search(status="interrupted") == [], "a test has left a card to the next one"


@pytest.fixture
def newcomer(tmp_path: Path) -> Cli:
    """A user with nothing at all."""
    return Cli(tmp_path, tmp_path / "data", OFFLINE)
