"""A model that fails in the reply pipeline: three tries, a dead letter, and a replay that goes on where it stopped."""

import asyncio
import json
import mailbox
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph_sdk import get_client, get_sync_client

from email_assistant.app import Container
from email_assistant.journal.records import MailRecord
from email_assistant.journal.traces import WholeTrace
from email_assistant.settings import load_settings
from tests.e2e.cli_support import PERSON, Cli
from tests.servers.model_server import Answer, ModelServer, failing, running_model_server, tool_call
from tests.support.desk import mail
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("pipeline")

PAUSES = [timedelta(seconds=30), timedelta(minutes=2)]
"""How long the message is left alone after its first and its second failure."""
A_BIT = timedelta(milliseconds=100)
BODY = "Dear Ana,\n\nwe are sorry that the shelf arrived scratched.\n\nRobin Vale"
WELL: dict[str, Answer] = {
    "Classification": {"reasoning": "So.", "classification": "complaint", "confidence": 0.9},
    "ToolChoice": {"tools": [], "reasoning": ""},
    "Generated": {"body": BODY, "confidence": 0.9, "tools_used": []},
}
NODES = {"Classification": "classify", "ToolChoice": "decide", "Generated": "generate"}
STEPS = ["classify", "retrieve", "decide", "execute_tools", "generate", "review"]
NONSENSE = "did not answer in the form asked for"


def well(*names: str) -> list[Answer]:
    """The answers of a model that is well."""
    return [tool_call(name, WELL[name], when=name, repeat=True) for name in names]


@dataclass
class Post:
    """A served pipeline, its model, and its commands."""

    server: DevServer
    model: ModelServer
    cli: Cli

    def command(self, *args: str) -> str:
        """A command that succeeds; what it prints."""
        done = self.cli.run(*args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def deliver(self, number: int) -> str:
        """A new mail, and a look for it, which fails; the mail's id."""
        box = mailbox.Maildir(self.cli.data / "mailbox", create=True)
        raw = mail(
            "Hi Robin,\n\nthe shelf arrived scratched.\n\nAna", message_id=f"<shelf-{number}@example.com>"
        )
        message_id = box.add(raw)
        looked = self.cli.run("ingest", "--graph-name", "reply_pipeline", "--url", self.server.url)
        assert (looked.returncode, "Mail: 1 taken up." in looked.stdout.splitlines()[-1]) == (1, True)
        assert "Nothing works at the moment, 1 mail failed:\n" in looked.stdout
        return message_id

    @property
    def house(self) -> Container:
        """A house on the data folder."""
        folder = {"EMAIL_ASSISTANT_DATA_DIR": str(self.cli.data)}
        return Container(load_settings(dict(self.cli.settings) | folder, self.cli.folder))

    def record(self, message_id: str) -> MailRecord:
        """What the mail table says of the message."""
        house = self.house
        found = asyncio.run(house.mail_log.get(house.mailbox.name, message_id, "reply_pipeline"))
        assert found is not None
        return found

    def recover(self, until: datetime) -> dict[str, int]:
        """One round of the server's recovery, as at this instant."""

        async def work() -> dict[str, int]:
            return dict(await self.house.recovery(get_client(url=self.server.url)).recover(until))

        return asyncio.run(work())

    def join(self, message_id: str) -> None:
        """Wait for the end of the message's newest run."""
        client, thread = get_sync_client(url=self.server.url), self.record(message_id).run_thread_id
        (run,) = client.runs.list(thread, limit=1)
        client.runs.join(thread, run["run_id"])

    def trace(self, message_id: str) -> WholeTrace:
        """All that was done about the message."""
        runs = json.loads(self.command("journal", "show", "--json"))
        thread = self.record(message_id).run_thread_id
        first = min((r for r in runs if r["run_thread_id"] == thread), key=lambda r: str(r["started_at"]))
        return asyncio.run(self.house.trace.find(first["run_id"]))

    def answers(self, folder: str, number: int) -> int:
        """How many messages in the folder answer that mail."""
        box = mailbox.Maildir(self.cli.data / "mailbox")
        messages = box.get_folder(folder) if folder in box.list_folders() else []
        return [str(m["In-Reply-To"]) for m in messages].count(f"<shelf-{number}@example.com>")


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Post]:
    """One server for the module."""
    folder = tmp_path_factory.mktemp("pipeline-failures")
    with running_model_server() as model:
        settings = PERSON | {
            "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
            "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.base_url,
        }
        with forked_server(folder, settings) as server:
            yield Post(server, model, Cli(folder, folder / "data", settings))


FAILURES = [
    ("Generated", failing(500, "overloaded") | {"when": "Generated", "repeat": True}, "(500"),
    ("Classification", tool_call("Classification", {"confidence": 7}, when="Classification", repeat=True), NONSENSE),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_a_model_that_fails_is_asked_in_three_tries_and_replayed_where_it_failed(
    post: Post, number: int
) -> None:
    """What was done before the failure is not done again; one draft waits, and its approval sends one reply."""
    asked, failure, told = FAILURES[number]
    failed = NODES[asked]
    before = STEPS[: STEPS.index(failed)]
    post.model.script(failure, *well(*(name for name in WELL if name != asked)))
    message_id = post.deliver(number)
    for attempt, pause in enumerate(PAUSES, start=1):
        record = post.record(message_id)
        assert (record.status, record.attempts) == ("needs_review", attempt)
        assert told in record.reason
        assert record.updated_at is not None
        assert post.recover(record.updated_at + pause - A_BIT) == {}
        assert post.recover(record.updated_at + pause) == {"resumed": 1}
        post.join(message_id)
    (letter,) = json.loads(post.command("dead-letters", "list", "--json"))
    assert (letter["message_id"], letter["attempts"], letter["graph"]) == (message_id, 3, "reply_pipeline")
    assert told in letter["reason"]
    assert post.recover(datetime.now(UTC) + timedelta(days=1)) == {}
    trace = post.trace(message_id)
    assert [step.name for step in trace.steps] == [*before, failed, failed, failed]
    assert [bool(step.error) for step in trace.steps] == [False] * len(before) + [True] * 3
    assert all(told in str(step.error) for step in trace.steps[-3:])
    assert [(run.run.status, told in str(run.run.error)) for run in trace.runs] == [("failed", True)] * 3
    assert (post.answers("Drafts", number), post.answers("Sent", number)) == (0, 0)

    post.model.script(*well(*list(WELL)[list(WELL).index(asked) :]))
    replayed = post.command("dead-letters", "replay", message_id, "--url", post.server.url)
    assert replayed == "1 message is tried again.\n"
    post.join(message_id)
    again = post.trace(message_id).steps[len(trace.steps) :]
    # The node that asks is on record when it is answered.
    assert [step.name for step in again] == STEPS[len(before) :]
    assert not any(step.error for step in again)
    assert (post.record(message_id).status, post.answers("Drafts", number)) == ("waiting_review", 1)

    client, thread = get_sync_client(url=post.server.url), post.record(message_id).run_thread_id
    answer: Any = {"resume": [{"type": "accept", "args": None}]}
    client.runs.wait(thread, "reply_pipeline", command=answer)
    record = post.record(message_id)
    assert (record.status, record.outcome, record.attempts) == ("done", "sent", 0)
    assert (post.answers("Drafts", number), post.answers("Sent", number)) == (0, 1)
    assert json.loads(post.command("dead-letters", "list", "--json")) == []
    assert [step.name for step in post.trace(message_id).steps].count("classify") == (
        3 + 1 if failed == "classify" else 1
    )
