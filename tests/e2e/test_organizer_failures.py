"""What fails on the way to a label, told to the person, given up after three tries, and replayed: with Google's stand-in."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client, get_sync_client

from email_assistant.app import Container
from email_assistant.journal.records import MailRecord
from email_assistant.settings import load_settings
from tests.e2e.cli_support import PERSON, Cli
from tests.e2e.test_served_organizer import WORK, says
from tests.servers.google_server import GoogleServer, running_google_server
from tests.servers.model_server import Answer, ModelServer, failing, running_model_server
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("organizer")

ADDRESS = PERSON["EMAIL_ASSISTANT_EMAIL"]
PAUSES = [timedelta(seconds=30), timedelta(minutes=2)]
"""How long the message is left alone after its first and its second failure."""
A_BIT = timedelta(milliseconds=100)
RIGHT = says(WORK, 0.9) | {"repeat": True}
MODIFY = "POST /gmail.*/modify"


@dataclass(frozen=True)
class Failure:
    """What the model answers, what Gmail does, and what the person is told."""

    told: str
    model: Answer
    fault: dict[str, Any] | None = None
    times: int = 1
    """How often the model is asked in one try."""


FAILURES = {
    "the model never answers": Failure(
        "openai:fast cannot be reached at the moment (time-out)", RIGHT | {"delayMs": 600_000}, times=3
    ),
    "the model talks nonsense": Failure(
        "categorize: openai:strong did not answer in the form asked for",
        says("Shelves", 0.9) | {"repeat": True},
        times=4,
    ),
    "the model is limited for an hour": Failure(
        "openai:fast cannot be reached at the moment (",
        failing(429, retry_after="3600") | {"repeat": True},
    ),
    "the label cannot be given": Failure(
        "Google", RIGHT, {"match": MODIFY, "status": 400, "reason": "failedPrecondition"}
    ),
}


@dataclass
class Account:
    """A Google account, the organizer that sorts it, and its commands."""

    google: GoogleServer
    token: str
    model: ModelServer
    server: DevServer
    cli: Cli

    def command(self, *args: str) -> str:
        """A command that succeeds; what it prints."""
        done = self.cli.run(*args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def deliver(self, number: int) -> str:
        """A new mail of a person; its id."""
        when = datetime.now(UTC) - timedelta(hours=1)
        lines = [
            f"From: Ana {number} <ana{number}@example.com>", f"To: {ADDRESS}", f"Subject: Shelf {number}",
            f"Message-ID: <shelf-{number}@example.com>", f"Date: {when:%a, %d %b %Y %H:%M:%S} +0000", "", "The drawings.",
        ]  # fmt: skip
        return self.google.deliver(ADDRESS, "\r\n".join(lines).encode())

    def labels(self, message_id: str) -> list[str]:
        """The names of the message's labels that are ours."""
        headers = {"Authorization": f"Bearer {self.token}"}
        url = f"{self.google.url}/gmail/v1/users/me"
        known = httpx.get(f"{url}/labels", headers=headers).raise_for_status().json()["labels"]
        names = {label["id"]: str(label["name"]) for label in known}
        message = httpx.get(f"{url}/messages/{message_id}", params={"format": "minimal"}, headers=headers)
        ids = message.raise_for_status().json()["labelIds"]
        return [names[each] for each in ids if names[each].startswith("Agent/")]

    @property
    def house(self) -> Container:
        """A house on the account's data folder."""
        folder = {"EMAIL_ASSISTANT_DATA_DIR": str(self.cli.data)}
        return Container(load_settings(dict(self.cli.settings) | folder, self.cli.folder))

    def record(self, message_id: str) -> MailRecord:
        """What the journal says of the message."""
        house = self.house
        found = asyncio.run(house.mail_log.get(house.mailbox.name, message_id, "inbox_organizer"))
        assert found is not None
        return found

    def recover(self, until: datetime) -> dict[str, int]:
        """One round of the server's recovery, as at this instant; a run that it starts comes to its end."""

        async def work() -> dict[str, int]:
            client = get_client(url=self.server.url)
            return dict(await self.house.recovery(client).recover(until))

        return asyncio.run(work())

    def join(self, message_id: str) -> None:
        """Wait for the end of the message's newest run."""
        client, thread = get_sync_client(url=self.server.url), self.record(message_id).run_thread_id
        (run,) = client.runs.list(thread, limit=1)
        client.runs.join(thread, run["run_id"])


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """One server for the module; it waits for a model for half a second."""
    folder = tmp_path_factory.mktemp("failures")
    with running_google_server() as google, running_model_server() as model:
        token = google.account(ADDRESS, name="Robin Vale")
        settings = PERSON | {
            "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
            "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
            "EMAIL_ASSISTANT_MODEL_TIMEOUT": "0.5",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.base_url,
            "EMAIL_ASSISTANT_MAILBOX": "gmail",
            "EMAIL_ASSISTANT_GOOGLE_ENDPOINT": google.url,
            "GMAIL_TOKEN": json.dumps({"token": token}),
        }
        with forked_server(folder, settings) as server:
            yield Account(google, token, model, server, Cli(folder, folder / "data", settings))


def name_of(failure: str) -> str:
    """How a person knows the mail."""
    number = list(FAILURES).index(failure)
    return f"Ana {number}: Shelf {number}"


@pytest.mark.parametrize("name", FAILURES)
def test_what_fails_is_told_tried_three_times_and_replayed(account: Account, name: str) -> None:
    """The pauses grow, the third failure makes a dead letter, and after the mend one label is there."""
    failure = FAILURES[name]
    account.model.script(failure.model)
    account.google.faults(*([failure.fault] if failure.fault else []))
    message_id = account.deliver(list(FAILURES).index(name))
    account.command("organize", "--url", account.server.url)
    for attempt, pause in enumerate(PAUSES, start=1):
        record = account.record(message_id)
        assert (record.status, record.attempts, len(record.reason.splitlines())) == (
            "needs_review",
            attempt,
            1,
        )
        assert failure.told in record.reason
        assert record.reason.split(":")[0] != "TransientError"
        assert f"failed: {name_of(name)}, tried again by itself" in account.command("status")
        assert record.updated_at is not None
        assert account.recover(record.updated_at + pause - A_BIT) == {}
        assert account.recover(record.updated_at + pause) == {"resumed": 1}
        account.join(message_id)
    assert account.labels(message_id) == []
    assert len(account.model.bodies) == (1 if failure.fault else 3 * failure.times)
    (letter,) = json.loads(account.command("dead-letters", "list", "--json"))
    assert (letter["message_id"], letter["attempts"]) == (message_id, 3)
    assert failure.told in letter["reason"]
    assert failure.told in account.command("dead-letters", "show", message_id)
    assert "dead-letters replay" in account.command("dead-letters", "list")
    assert f"given up: {name_of(name)} after 3 tries: " in account.command("status")
    assert account.recover(datetime.now(UTC) + timedelta(days=1)) == {}
    account.model.script(RIGHT)
    account.google.faults()
    account.google.forget()
    told = account.command("dead-letters", "replay", message_id, "--url", account.server.url)
    assert told == "1 message is tried again.\n"
    account.join(message_id)
    assert (account.labels(message_id), account.record(message_id).status) == ([f"Agent/{WORK}"], "done")
    given = [call for call in account.google.requests if call["key"].endswith("/modify")]
    assert [call["status"] for call in given] == [200]
    assert json.loads(account.command("dead-letters", "list", "--json")) == []
