"""The served reply pipeline, killed before and after each of its steps and effects: each reply leaves once, or not at all."""

import mailbox
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client

from tests.e2e.cli_support import PERSON
from tests.servers.model_server import ModelServer, running_model_server, tool_call
from tests.soak.test_organizer_kills import until
from tests.support.arming import FORGOTTEN, SAVED, THEN, arm, armed_project
from tests.support.desk import mail
from tests.support.dev_server import DevServer, dev_server, free_port

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800), pytest.mark.xdist_group("pipeline")]

CARD_WAITS = "while the card waits"
CLAIMED, DONE = "after:OutboxStore.claim", "after:OutboxStore.finish"
SAVED_DRAFT, SENT, DELETED = (f"after:MaildirMailbox.{name}_draft" for name in ("save", "send", "delete"))
STEPS = tuple(
    f"{moment}:{step}"
    for step in (
        "UnderstandingNodes.classify", "UnderstandingNodes.retrieve", "UnderstandingNodes.decide",
        "WorkingNodes.execute_tools", "WorkingNodes.generate", "ApprovalNodes.review",
    )
    for moment in ("before", "after")
)  # fmt: skip
DISPATCH, DISPATCHED = "before:DispatchNodes.dispatch", "after:DispatchNodes.dispatch"
REJECT, REJECTED = "before:ApprovalNodes.rejected", "after:ApprovalNodes.rejected"
UP_TO_REVIEW = ("after:MailLog.claim_all", *STEPS, CLAIMED, SAVED_DRAFT, DONE)
SENDING = (DISPATCH, f"{DISPATCH}{THEN}{CLAIMED}", SENT, f"{SENT}{THEN}{DONE}", DISPATCHED)
ALLOWED = "after:DailyAllowance.take"
ACCEPT, IGNORE = "accept", "ignore"
APPROVED = "Dear Ana,\n\nwe are sorry that the shelf arrived scratched.\n\nRobin Vale"


@dataclass(frozen=True)
class Way:
    """What kind of mail it is, what a person answers ("" for none), and how it ends."""

    classification: str
    answer: str
    outcome: str
    points: tuple[str, ...]
    """Where the server dies."""
    allowances: int = 0
    """How many places of the day's allowance the reply takes."""


ASKED = (
    Way("complaint", ACCEPT, "sent", (*UP_TO_REVIEW, CARD_WAITS)),
    Way("complaint", ACCEPT, "sent", SENDING),
    Way("complaint", IGNORE, "rejected", (CARD_WAITS, REJECT, DELETED, REJECTED)),
)
OFF = (
    *ASKED,
    Way("inquiry", "", "drafted", ("after:ApprovalNodes.review", SAVED_DRAFT, DISPATCH, DISPATCHED)),
)
ON = (
    Way("complaint", ACCEPT, "sent", SENDING),
    Way(
        "inquiry", "", "sent",
        (
            *UP_TO_REVIEW, DISPATCH, f"{DISPATCH}{THEN}{CLAIMED}", f"{DISPATCH}{THEN}{DONE}", ALLOWED,
            f"{ALLOWED}{THEN}{CLAIMED}", SENT, f"{SENT}{THEN}{DONE}", DISPATCHED,
        ),
        allowances=1,
    ),
)  # fmt: skip
MODES = {"off": OFF, "on": ON}


@dataclass
class Post:
    """A served pipeline, its folder and its model."""

    server: DevServer
    data: Path
    model: ModelServer

    @property
    def box(self) -> mailbox.Maildir:
        """The mailbox."""
        return mailbox.Maildir(self.data / "mailbox", create=True)

    @property
    def client(self) -> Any:
        """A client of the server."""
        return get_sync_client(url=self.server.url)

    def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """What the database has."""
        with sqlite3.connect(self.data / "email_assistant.db") as database:
            return list(database.execute(query, values))

    def records(self, header: str) -> list[tuple[Any, ...]]:
        """What the mail table says of the mail: run thread, status, outcome, attempts."""
        query = "SELECT run_thread_id, status, outcome, attempts FROM mail WHERE email_input LIKE ?"
        return self.rows(query, f"%{header}%")

    def status(self, header: str) -> str:
        """The mail's status, "" while there is none."""
        found = self.records(header)
        return str(found[0][1]) if found else ""

    def thread(self, header: str) -> Mapping[str, Any] | None:
        """The mail's thread on the server."""
        found = self.client.threads.search(ids=[self.records(header)[0][0]])
        return dict(found[0]) if found else None

    def waits(self, header: str) -> bool:
        """Whether the mail's card is there."""
        if self.status(header) != "waiting_review":
            return False
        thread = self.thread(header)
        return bool(thread) and thread is not None and thread["status"] == "interrupted"

    def begin(self, number: int, way: Way) -> str:
        """Deliver a mail and let the server look for it."""
        said = {"reasoning": "So.", "classification": way.classification, "confidence": 0.9}
        answers = {
            "Classification": said,
            "ToolChoice": {"tools": [], "reasoning": ""},
            "Generated": {"body": APPROVED, "confidence": 0.9, "tools_used": []},
        }
        self.model.script(*(tool_call(name, f, when=name, repeat=True) for name, f in answers.items()))
        header = f"<shelf-{number}@example.com>"
        sender = f"Ana Petrova <ana{number}@example.com>"
        self.box.add(mail(sender=sender, subject=f"Shelf {number}", message_id=header))
        with suppress(httpx.HTTPError):  # It may die before it can answer.
            self.client.runs.create(None, "ingest", input={"graph_name": "reply_pipeline"})
        return header

    def answer(self, header: str, kind: str) -> None:
        """Wait for the card and answer it as Agent Inbox does."""
        until("the card", self.server, lambda: self.waits(header))
        thread = self.thread(header)
        assert thread is not None
        body = {"assistant_id": "reply_pipeline", "command": {"resume": [{"type": kind, "args": None}]}}
        with suppress(httpx.HTTPError):  # It may die on it.
            httpx.post(f"{self.server.url}/threads/{thread['thread_id']}/runs/wait", json=body, timeout=60)

    def finish(self, header: str, way: Way) -> None:
        """Answer what waits until nothing does; one answer may have been lost with the server."""
        for _ in range(2):
            until(
                "a card or the end", self.server,
                lambda: self.waits(header) or self.status(header) == "done",
            )  # fmt: skip
            if self.status(header) == "done":
                return
            self.answer(header, way.answer)
        until("the end", self.server, lambda: self.status(header) == "done")

    def die(self, point: str, state: str, way: Way, number: int) -> str:
        """Let the server die at this point of its work on a new mail; the mail's Message-ID."""
        asked = bool(way.answer) and point not in UP_TO_REVIEW
        if not asked:
            arm(self.data, point, state)
        header = self.begin(number, way)
        if asked:
            until("the card", self.server, lambda: self.waits(header))
        if point == CARD_WAITS:
            self.server.kill()
        elif asked:
            arm(self.data, point, state)
            self.answer(header, way.answer)
        until(f"death {point}", self.server, lambda: self.server.process.poll() is not None)
        return header

    def check(self, header: str, way: Way, point: str) -> None:
        """The mail has one status, its reply is in one place, and the allowance was taken as often as it may be."""
        assert [row[1:] for row in self.records(header)] == [("done", way.outcome, 0)], point
        found = {name: _answers(self.box, name)[header] for name in ("Sent", "Drafts")}
        there = {"Sent": int(way.outcome == "sent"), "Drafts": int(way.outcome == "drafted")}
        assert found == there, (point, found)
        ((thread, *_),) = self.records(header)
        query = "SELECT kind, status FROM outbox WHERE kind != 'draft' AND (action_id LIKE ? OR subject_key LIKE ?)"
        effects = Counter(self.rows(query, f"{thread}%", f"%:{thread}:%"))
        wanted = {("send", "done"): there["Sent"], ("allowance", "done"): way.allowances}
        assert effects == Counter(wanted), (point, effects)
        query = "SELECT decision FROM reviews WHERE run_thread_id = ? AND decision IN ('accept', 'ignore')"
        assert len(self.rows(query, thread)) == bool(way.answer), point


def _answers(box: mailbox.Maildir, folder: str) -> Counter[str]:
    messages = box.get_folder(folder) if folder in box.list_folders() else []
    return Counter(str(m["In-Reply-To"]).strip() for m in messages)


@contextmanager
def serving(folder: Path, model: ModelServer, port: int, auto: str) -> Iterator[Post]:
    """The next server on the same folder."""
    settings = PERSON | {
        "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
        "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model.base_url,
        "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
        "EMAIL_ASSISTANT_AUTO_SEND": "true" if auto == "on" else "false",
        "EMAIL_ASSISTANT_AUTO_SEND_DAILY": "100",
    }
    with dev_server(folder, settings | armed_project(folder), port=port) as server:
        yield Post(server, folder / "data", model)


@pytest.mark.parametrize("state", [SAVED, FORGOTTEN])
@pytest.mark.parametrize("auto", MODES)
def test_killed_anywhere_each_reply_leaves_once(
    tmp_path: Path, auto: str, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each server dies at another point with another mail, and the next settles that by itself or with one answer."""
    kills = [(way, point) for way in MODES[auto] for point in way.points]
    with running_model_server() as model:
        port, header = free_port(), ""
        for number, (way, point) in enumerate([*kills, (ON[0], "")]):
            with serving(tmp_path, model, port, auto) as post:
                if header:
                    post.finish(header, kills[number - 1][0])
                    post.check(header, *kills[number - 1])
                if point:
                    header = post.die(point, state, way, number)
    with capsys.disabled():
        print(
            f"\nreply_pipeline: automatic sending {auto}, {state}: {len(kills)} kills, each reply in its one place"
        )
