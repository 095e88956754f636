"""A served graph that ends in a reply: the folder that outlives its servers, and a person who answers its cards."""

import mailbox
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import httpx
from langgraph_sdk import get_sync_client

from eval.accepting import accepting
from tests.soak.test_organizer_kills import until
from tests.support.arming import THEN, arm, armed_project
from tests.support.dev_server import DevServer, dev_server

CARD_WAITS = "while the card waits"
CLAIMED, DONE = "after:OutboxStore.claim", "after:OutboxStore.finish"
SAVED_DRAFT, SENT, DELETED = (f"after:MaildirMailbox.{name}_draft" for name in ("save", "send", "delete"))
DISPATCH, DISPATCHED = "before:ReplyNodes.dispatch", "after:ReplyNodes.dispatch"
REJECT, REJECTED = "before:ApprovalNodes.rejected", "after:ApprovalNodes.rejected"
SENDING = (DISPATCH, f"{DISPATCH}{THEN}{CLAIMED}", SENT, f"{SENT}{THEN}{DONE}", DISPATCHED)
ACCEPT, IGNORE = "accept", "ignore"


def around(*nodes: str) -> tuple[str, ...]:
    """The points before and after each of these."""
    return tuple(f"{moment}:{node}" for node in nodes for moment in ("before", "after"))


@dataclass(frozen=True)
class Way:
    """What kind of mail it is, what a person answers ("" for none), and how it ends."""

    kind: str
    answer: str
    outcome: str
    points: tuple[str, ...]
    """Where the server dies."""


@dataclass
class Post:
    """One server over the folder. A graph's own class says which mail it gets, and where a card is already there."""

    server: DevServer
    data: Path
    graph: ClassVar[str]
    up_to_review: ClassVar[tuple[str, ...]]
    """Points that the server comes to before the card is there."""

    def mail(self, number: int, way: Way) -> tuple[str, bytes]:
        """The next mail: its Message-ID, and all of it."""
        raise NotImplementedError

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
        header, raw = self.mail(number, way)
        self.box.add(raw)
        self.look()
        return header

    def look(self) -> None:
        """Let the server look into the mailbox."""
        with suppress(httpx.HTTPError):  # It may die before it can answer.
            self.client.runs.create(None, "ingest", input={"graph_name": self.graph})

    def answer(self, header: str, kind: str) -> None:
        """Wait for the card and answer it as Agent Inbox does."""
        until("the card", self.server, lambda: self.waits(header))
        thread = self.thread(header)
        assert thread is not None
        ((card,),) = (each["value"] for some in thread["interrupts"].values() for each in some)
        given = accepting(card) if kind == "accept" else {"type": kind, "args": None}
        body = {"assistant_id": self.graph, "command": {"resume": [given]}}
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
        asked = bool(way.answer) and point not in self.up_to_review
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
        until(f"death {point}", self.server, lambda: self.is_dead(header, lambda: way.answer))
        return header

    def is_dead(self, header: str, answer: Callable[[], str]) -> bool:
        """Whether the server is; while it lives, a card that is asked about once more is answered once more."""
        with suppress(httpx.HTTPError):
            if self.server.process.poll() is None and self.waits(header) and (given := answer()):
                self.answer(header, given)
        return self.server.process.poll() is not None

    def settle(self, answers: Mapping[str, Way]) -> int:
        """Answer what is asked once more, until nothing works or waits; how much that was.

        A server that dies forgets its last seconds. It may work on mail again that was settled in them.
        """
        asked = 0
        while True:
            until("rest", self.server, lambda: not self.client.threads.search(status="busy"))
            waiting = [header for header in answers if self.waits(header)]
            assert len(waiting) == len(self.client.threads.search(status="interrupted", limit=1_000))
            if not waiting:
                return asked
            for header in waiting:
                self.answer(header, answers[header].answer)
                asked += 1

    def check(self, header: str, way: Way, point: str) -> None:
        """Once settled: the mail has one status, a person was asked once, and what was done is in its place."""
        self.in_place(header, way, point)
        ((thread, *_),) = self.records(header)
        query = "SELECT decision FROM reviews WHERE run_thread_id = ? AND decision IN ('accept', 'ignore')"
        assert len(self.rows(query, thread)) == bool(way.answer), point

    def in_place(self, header: str, way: Way, point: str) -> None:
        """The reply is in one place, and was sent as often as it is there."""
        assert [row[1:] for row in self.records(header)] == [("done", way.outcome, 0)], point
        found = {name: answers_in(self.box, name)[header] for name in ("Sent", "Drafts")}
        there = {"Sent": int(way.outcome == "sent"), "Drafts": int(way.outcome == "drafted")}
        assert found == there, (point, found)
        ((thread, *_),) = self.records(header)
        query = "SELECT kind, status FROM outbox WHERE kind != 'draft' AND (action_id LIKE ? OR subject_key LIKE ?)"
        effects = Counter(self.rows(query, f"{thread}%", f"%:{thread}:%"))
        # What a run began that is lost is closed as not done, where its draft proves it; it counts for nothing.
        del effects["send", "failed"]
        wanted = {("send", "done"): there["Sent"]}
        assert effects == Counter(wanted), (point, effects)


AnyPost = TypeVar("AnyPost", bound=Post)


@contextmanager
def serving(
    folder: Path, settings: Mapping[str, str], port: int, post: Callable[[DevServer, Path], AnyPost]
) -> Iterator[AnyPost]:
    """The next server on the same folder, with the points at which it can die."""
    with dev_server(folder, {**settings, **armed_project(folder)}, port=port) as server:
        yield post(server, folder / "data")


def killed_everywhere(
    ways: Sequence[Way], last: Way, state: str, serve: Callable[[], AbstractContextManager[AnyPost]]
) -> tuple[int, int]:
    """Each server dies at another point with another mail, and the next settles that by itself or with one answer.

    Returns how often one died, and how many cards of settled mail were there again in the end.
    """
    kills = [(way, point) for way in ways for point in way.points]
    headers: list[str] = []
    for number, (way, point) in enumerate([*kills, (last, "")]):
        with serve() as post:
            if headers:
                post.finish(headers[-1], kills[number - 1][0])
                post.check(headers[-1], *kills[number - 1])
            if point:
                headers.append(post.die(point, state, way, number))
                continue
            again = post.settle({header: of for header, (of, _) in zip(headers, kills, strict=True)})
            for header, (of, at) in zip(headers, kills, strict=True):
                post.in_place(header, of, at)
    return len(kills), again


def answers_in(box: mailbox.Maildir, folder: str) -> Counter[str]:
    """How often each mail is answered in a folder, by its Message-ID."""
    messages = box.get_folder(folder) if folder in box.list_folders() else []
    return Counter(str(m["In-Reply-To"]).strip() for m in messages)
