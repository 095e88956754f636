"""A Google account from the first look to what was sent: command line, served graph, approval over HTTP, Google's stand-in.

What is behind the stand-in's address is told in `tests/servers/google_server.mjs`.
"""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client

from eval.accepting import accepting
from tests.e2e.cli_support import OFFLINE, Cli
from tests.servers.google_server import GoogleServer, running_google_server
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("served")

ADDRESS = "robin@vale.example"
OWN = f"Robin Vale <{ADDRESS}>"
ANA = "Ana Petrova <ana@petrova.example>"
NOW = datetime.now(UTC).replace(microsecond=0)
FIRST, SECOND, THIRD = (f"<{name}@mail.example>" for name in ("first", "second", "third"))


@dataclass
class Account:
    """A Google account, the assistant that works on it, and a look at both over HTTP."""

    google: GoogleServer
    token: str
    server: DevServer
    cli: Cli

    def ingest(self) -> dict[str, Any]:
        """One look by the command line."""
        done = self.cli.run("ingest", "--json", "--url", self.server.url)
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def gmail(self, path: str, **query: str) -> Any:
        """What Gmail tells."""
        headers = {"Authorization": f"Bearer {self.token}"}
        url = f"{self.google.url}/gmail/v1/users/me/{path}"
        return httpx.get(url, params=query, headers=headers, timeout=30).raise_for_status().json()

    def source(self, message_id: str) -> Message:
        """A message as it is at Gmail."""
        raw = self.gmail(f"messages/{message_id}", format="raw")["raw"]
        return message_from_bytes(base64.urlsafe_b64decode(raw + "=="))

    def waiting(self) -> tuple[str, dict[str, Any]]:
        """The one thread that waits, and its card."""
        (thread,) = self.threads("interrupted")
        ((interrupt,),) = thread["interrupts"].values()
        (card,) = interrupt["value"]
        return str(thread["thread_id"]), card

    def threads(self, status: str | None = None) -> list[dict[str, Any]]:
        """The deployment's threads that are about mail."""
        found: Any = get_sync_client(url=self.server.url).threads.search(status=status, limit=100)  # type: ignore[arg-type]
        return [thread for thread in found if thread["metadata"].get("email_id")]

    def runs(self) -> int:
        """How many runs there were on them."""
        client = get_sync_client(url=self.server.url)
        return sum(len(client.runs.list(thread["thread_id"], limit=100)) for thread in self.threads())

    def accept(self, thread_id: str) -> None:
        """Accept the card as Agent Inbox does, its gaps filled."""
        _, card = self.waiting()
        body = {"assistant_id": "email_assistant", "command": {"resume": [accepting(card)]}}
        answer = httpx.post(f"{self.server.url}/threads/{thread_id}/runs/wait", json=body, timeout=60)
        assert "__error__" not in answer.raise_for_status().json(), answer.text


def account_settings(google: GoogleServer, address: str) -> dict[str, str]:
    """The settings of an account that is made for them."""
    google.account(address, name="Robin Vale", timezone="Europe/Berlin")
    grant = google.refresh_token(address)
    client = {"client_id": grant.client_id, "client_secret": grant.client_secret}
    stored = {"token": grant.access_token, "refresh_token": grant.refresh_token} | client
    return OFFLINE | {
        "EMAIL_ASSISTANT_EMAIL": address,
        "EMAIL_ASSISTANT_NAME": "Robin Vale",
        "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
        "EMAIL_ASSISTANT_MAILBOX": "gmail",
        "EMAIL_ASSISTANT_CALENDAR": "google",
        "EMAIL_ASSISTANT_GOOGLE_ENDPOINT": google.url,
        "GMAIL_TOKEN": json.dumps(stored),
    }


@pytest.fixture
def account(tmp_path: Path, fresh_postgres: Callable[..., str]) -> Iterator[Account]:
    """An empty account and a server that works on it, its tables on PostgreSQL."""
    with running_google_server() as google:
        settings = account_settings(google, ADDRESS) | {"DATABASE_URL": fresh_postgres()}
        token = json.loads(settings["GMAIL_TOKEN"])["token"]
        cli = Cli(tmp_path, tmp_path / "data", settings)
        with forked_server(tmp_path, settings) as server:
            yield Account(google, token, server, cli)


def mail(sender: str, to: str, header: str, body: str, minutes: int, *answers: str) -> bytes:
    """A message of the conversation about a call."""
    message = EmailMessage()
    message["From"], message["To"], message["Message-ID"] = sender, to, header
    message["Subject"] = "Re: Call about the loft" if answers else "Call about the loft"
    message["Date"] = format_datetime(NOW - timedelta(hours=2) + timedelta(minutes=minutes))
    if answers:
        message["In-Reply-To"], message["References"] = answers[-1], " ".join(answers)
    message.set_content(body)
    return bytes(message)


def test_from_the_inbox_to_an_approved_reply_and_meeting(account: Account) -> None:
    """Nothing leaves before it is approved; then it does, once, where it belongs. Looking again starts nothing."""
    day = next(d for n in range(4, 8) if (d := NOW + timedelta(days=n)).weekday() < 5)
    call = f"Could we have a 45-minute call on {day:%A}, {day:%B} {day.day} at 11:00 am?"
    account.google.deliver(ADDRESS, mail(ANA, OWN, FIRST, "The owners signed off. Are you still in?", 0))
    account.google.deliver(ADDRESS, mail(OWN, ANA, SECOND, "I am.", 1, FIRST), labels=("SENT",))
    asked = account.google.deliver(
        ADDRESS, mail(ANA, OWN, THIRD, f"Hi Robin,\n\n{call} Which oil do you use?\n\nAna", 2, FIRST, SECOND)
    )
    conversation = account.gmail(f"messages/{asked}", format="minimal")["threadId"]
    account.google.faults({"match": "GET /gmail", "status": 429, "reason": "rateLimitExceeded", "times": 1})

    assert account.ingest()["started"] == 1
    get_sync_client(url=account.server.url).runs.join(*_newest(account))
    thread_id, card = account.waiting()
    assert card["action_request"]["action"].startswith("Schedule meeting: ")
    assert account.google.events(ADDRESS) == []
    account.accept(thread_id)
    (event,) = account.google.events(ADDRESS)
    start = datetime.fromisoformat(event["start"]["dateTime"])
    assert (start.date(), f"{start:%H:%M}") == (day.date(), "11:00")
    assert [guest["email"] for guest in event["attendees"]] == ["ana@petrova.example"]
    assert event["sendUpdates"] == "all"

    thread_id, card = account.waiting()
    assert card["action_request"]["action"].startswith("Send reply to Ana Petrova: ")
    assert account.google.drafts(ADDRESS) == [conversation]
    assert "UNREAD" in account.gmail(f"messages/{asked}", format="minimal")["labelIds"]
    account.accept(thread_id)
    assert account.google.drafts(ADDRESS) == []
    assert "UNREAD" not in account.gmail(f"messages/{asked}", format="minimal")["labelIds"]
    sent = [m for m in account.gmail(f"threads/{conversation}")["messages"] if "SENT" in m["labelIds"]]
    assert len(sent) == 2
    reply = account.source(sent[-1]["id"])
    assert (reply["Subject"], reply["To"], reply["In-Reply-To"]) == ("Re: Call about the loft", ANA, THIRD)
    assert reply["References"].split() == [FIRST, SECOND, THIRD]

    before = account.runs()
    assert [account.ingest(), account.ingest()] == [{}, {}]
    assert (account.runs(), account.threads("interrupted")) == (before, [])
    assert (
        len(account.google.events(ADDRESS)),
        len(account.gmail("messages", labelIds="SENT")["messages"]),
    ) == (1, 2)


def _newest(account: Account) -> tuple[str, str]:
    (thread,) = account.threads()
    (run,) = get_sync_client(url=account.server.url).runs.list(thread["thread_id"], limit=1)
    return str(thread["thread_id"]), str(run["run_id"])
