"""A model that fails, in two workflows: told, tried three times, given up, replayed where it stopped; and what the commands say."""

import asyncio
import json
import mailbox
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client, get_sync_client

from email_assistant.app import ingesting
from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.journal.records import MailRecord
from email_assistant.settings import load_settings
from tests.e2e.cli_support import OFFLINE, PERSON, Cli, running
from tests.servers.model_server import Answer, ModelServer, failing, running_model_server, tool_call
from tests.support.desk import mail
from tests.support.dev_server import DevServer, forked_server

PAUSES = [timedelta(seconds=30), timedelta(minutes=2)]
"""How long the message is left alone after its first and its second failure."""
A_BIT = timedelta(milliseconds=100)
BODY = "Dear Ana,\n\nwe are sorry that the shelf arrived scratched.\n\nRobin Vale"
NAMES = ("Ana", "Ben", "Cem", "Dee")
GARBAGE = "openai:parrot did not answer in the form asked for"


def says(name: str, **fields: Any) -> Answer:
    """What the model answers whenever it is asked for this."""
    return tool_call(name, fields, when=name, repeat=True)


def sorts(category: str) -> Answer:
    """The organizer's model."""
    return says(
        "CategoryAnswer", reasoning="So.", category=category, confidence=0.9, importance=0.5, key_phrases=[]
    )


WELL = {
    "inbox_organizer": [sorts("Professional/Work")],
    "reply_pipeline": [
        says("Classification", reasoning="So.", classification="complaint", confidence=0.9),
        says("ToolChoice", tools=[], reasoning=""),
        says("Generated", body=BODY, confidence=0.9, tools_used=[]),
    ],
}
# What the model answers, what the person is told, and how often the model is asked in one try.
FAILURES = {
    "it never answers": ("inbox_organizer", sorts("Professional/Work") | {"delayMs": 600_000}, "(time-out)", 3),
    "it talks nonsense": ("inbox_organizer", {"status": 200, "body": "null", "repeat": True}, "did not answer in the form asked for", 4),
    "it is limited for an hour": ("inbox_organizer", failing(429, retry_after="3600") | {"repeat": True}, "be reached", 1),
    "it fails at the letter": (
        "reply_pipeline", failing(500, "overloaded") | {"when": "Generated", "repeat": True}, "(500", 0
    ),
}  # fmt: skip


@dataclass
class Post:
    """A server, its model, and its commands."""

    server: DevServer
    model: ModelServer
    cli: Cli
    graph: str = ""

    def command(self, *args: str) -> str:
        """A command that succeeds; what it prints."""
        done = self.cli.run(*args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def letters(self) -> list[dict[str, Any]]:
        """What was given up."""
        return list(json.loads(self.command("dead-letters", "list", "--json")))

    @property
    def house(self) -> AppDeps:
        """A house on the data folder."""
        folder = {"EMAIL_ASSISTANT_DATA_DIR": str(self.cli.data)}
        return deps_of(load_settings(dict(self.cli.settings) | folder, self.cli.folder))

    def record(self, message_id: str) -> MailRecord:
        """What the mail table says of the message."""
        house = self.house
        found = asyncio.run(house.mail_log.get(house.mailbox.name, message_id, self.graph))
        assert found is not None
        return found

    def recover(self, until: datetime) -> dict[str, int]:
        """One round of the server's recovery, as at this instant."""

        async def work() -> dict[str, int]:
            return dict(await ingesting.recovery(self.house, get_client(url=self.server.url)).recover(until))

        return asyncio.run(work())

    def join(self, message_id: str) -> None:
        """Wait for the end of the message's newest run."""
        client, thread = get_sync_client(url=self.server.url), self.record(message_id).run_thread_id
        (run,) = client.runs.list(thread, limit=1)
        client.runs.join(thread, run["run_id"])

    def count(self, folder: str, header: str) -> int:
        """How many messages in the folder answer that mail."""
        box = mailbox.Maildir(self.cli.data / "mailbox")
        messages = box.get_folder(folder) if folder in box.list_folders() else []
        return [str(m["In-Reply-To"]) for m in messages].count(header)


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


@pytest.fixture
def post(tmp_path: Path, model: ModelServer) -> Iterator[Post]:
    """A server that waits for a model for half a second."""
    settings = PERSON | {
        "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
        "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
        "EMAIL_ASSISTANT_MODEL_TIMEOUT": "0.5",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model.base_url,
    }
    with forked_server(tmp_path, settings) as server:
        yield Post(server, model, Cli(tmp_path, tmp_path / "data", settings))


def given_up(post: Post, name: str) -> str:
    """A mail that fails in three tries, with longer pauses, and is told at each; its id."""
    post.graph, failure, told, times = FAILURES[name]
    number = list(FAILURES).index(name)
    post.model.script(failure, *WELL[post.graph])
    box = mailbox.Maildir(post.cli.data / "mailbox", create=True)
    message_id = box.add(
        mail("The shelf arrived scratched.", sender=f"Ana {number} <ana{number}@example.com>", message_id=f"<{number}@example.com>")
    )  # fmt: skip
    looked = post.cli.run("ingest", "--graph-name", post.graph, "--url", post.server.url)
    assert "Nothing works at the moment, 1 mail failed:\n" in looked.stdout
    for attempt, pause in enumerate(PAUSES, start=1):
        record = post.record(message_id)
        assert (record.status, record.attempts) == ("needs_review", attempt)
        assert told in record.reason
        assert f"failed: Ana {number}: Oak shelf, tried again by itself" in post.command("status")
        assert record.updated_at is not None
        assert post.recover(record.updated_at + pause - A_BIT) == {}
        assert post.recover(record.updated_at + pause) == {"resumed": 1}
        post.join(message_id)
    assert not times or len(post.model.bodies) == 3 * times
    (letter,) = post.letters()
    assert (letter["message_id"], letter["attempts"], letter["graph"]) == (message_id, 3, post.graph)
    assert told in letter["reason"]
    assert f"given up: Ana {number}: Oak shelf after 3 tries: " in post.command("status")
    assert post.recover(datetime.now(UTC) + timedelta(days=1)) == {}
    return message_id


def replayed(post: Post, message_id: str) -> None:
    """By the command, once the model is well."""
    post.model.script(*WELL[post.graph])
    told = post.command("dead-letters", "replay", message_id, "--url", post.server.url)
    assert told == "1 message is tried again.\n"
    post.join(message_id)
    assert post.letters() == []


@pytest.mark.parametrize("name", [name for name in FAILURES if FAILURES[name][0] == "inbox_organizer"])
def test_what_fails_is_told_tried_three_times_and_replayed(post: Post, name: str) -> None:
    """No label is given before the mend, and one after it."""
    message_id = given_up(post, name)
    assert asyncio.run(post.house.mailbox.labels(message_id)) == frozenset()
    replayed(post, message_id)
    assert asyncio.run(post.house.mailbox.labels(message_id)) == {"Agent/Professional/Work"}
    assert post.record(message_id).status == "waiting_review"  # The notice of what it asks.


def test_a_replay_goes_on_where_it_failed(post: Post) -> None:
    """What was done before the failure is not done again; one draft waits, and its approval sends one reply."""
    message_id, header = given_up(post, "it fails at the letter"), "<3@example.com>"
    assert (post.count("Drafts", header), post.count("Sent", header)) == (0, 0)
    replayed(post, message_id)
    assert [body["tools"][0]["function"]["name"] for body in post.model.bodies] == ["Generated"]
    assert (post.record(message_id).status, post.count("Drafts", header)) == ("waiting_review", 1)
    client, thread = get_sync_client(url=post.server.url), post.record(message_id).run_thread_id
    answer: Any = {"resume": [{"type": "accept", "args": None}]}
    client.runs.wait(thread, "reply_pipeline", command=answer)
    record = post.record(message_id)
    assert (record.status, record.outcome, record.attempts) == ("done", "sent", 0)
    assert (post.count("Drafts", header), post.count("Sent", header)) == (0, 1)


def test_garbage_is_told_by_every_command_and_mended(tmp_path: Path, model: ModelServer) -> None:
    """Once a model answers as it should, the next start takes up what failed, at once."""
    model.script({"status": 200, "body": "Squawk!", "repeat": True})
    models = {"EMAIL_ASSISTANT_MODEL_FAST": "openai:parrot", "EMAIL_ASSISTANT_MODEL_STRONG": "openai:parrot"}
    there = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": model.base_url}
    cli = Cli(tmp_path, tmp_path / "data", PERSON | models | there)
    cli.data.mkdir()
    box = mailbox.Maildir(cli.data / "mailbox", create=True)
    for name in NAMES:
        box.add(
            mail(
                "What does it cost?",
                sender=f"{name} <{name}@example.com>",
                message_id=f"<{name}@example.com>",
            )
        )
    block = f"Nothing works at the moment, 4 mails failed:\n  4 mails: {GARBAGE}"
    with running(cli) as up:
        assert block in up.greeting
        assert "Review them" not in up.greeting
        for command in ("ingest", "review"):
            result = cli.run(command)
            assert (result.returncode, result.stdout.startswith(block)) == (1, True), result
            (line,) = result.stderr.splitlines()
            assert line.startswith("email-assistant: Nothing works at the moment, 4 mails failed: ")
        listed, doctor = cli.run("review", "--json"), cli.run("doctor")
        assert (listed.returncode, json.loads(listed.stdout)) == (1, [])
        assert (doctor.returncode, f"MEND models: {GARBAGE}" in doctor.stdout) == (1, True)
        assert GARBAGE in cli.run("status").stdout
        up.output.process.send_signal(signal.SIGINT)
        assert up.output.end()[0] == 1
    mended = Cli(cli.folder, cli.data, PERSON | OFFLINE)
    with running(mended) as up:
        assert "failed" not in up.greeting
        assert "4 cards wait for your review." in up.greeting
        assert mended.run("ingest").returncode == 0
