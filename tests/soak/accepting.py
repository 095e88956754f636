"""A person who accepts cards of a served graph, and a count of what came of it over many killed servers."""

import mailbox
import random
import select
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from eval.accepting import accepting
from tests.support.desk import mail
from tests.support.dev_server import DevServer, dev_server

SECONDS = 120


def question(number: int) -> bytes:
    """Plain mail that gets a reply; every third one asks for a meeting too, which is a card before the reply to the rest."""
    ask = "could you send me the price of item {0}?"
    if number % 3 == 2:
        day, hour = 23 + number % 5, 8 + number // 3 % 10
        ask = f"Could we meet on {day} November 2026 at {hour:02}:00 for half an hour? What is the price of item {number}?"
    body = f"Hi Robin,\n\n{ask.format(number)}\n\nThanks\nSender {number}"
    return mail(
        body,
        sender=f"Sender {number} <sender{number}@example.com>",
        subject=f"Question {number}",
        message_id=header(number),
    )


def order(number: int) -> bytes:
    """Mail that orders mugs and asks about a plate, each of another customer."""
    body = (
        "Hello,\n\nplease send me 1 Enamel mug (KTC-4098).\n\nHow much is the Enamel plate (KTC-4110)?\n\nAna"
    )
    sender = f"Ana Petrova <ana{number}@example.com>"
    return mail(body, sender=sender, subject=f"Mugs {number}", message_id=header(number))


def header(number: int) -> str:
    """The Message-ID of the mail of that number."""
    return f"<kept-{number}@example.com>"


@dataclass
class Tally:
    """What happened, in numbers; the last four must be 0."""

    kills: int = 0
    mails: int = 0
    accepts: int = 0
    asked_again: int = 0
    twice: int = 0
    unapproved: int = 0
    dropped: int = 0
    """Mails with neither their reply nor a card."""
    unanswerable: int = 0
    """Cards that were shown and that no state stood behind."""

    def __str__(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')}: {number}" for name, number in vars(self).items())


@dataclass
class Person:
    """Accepts what is shown, and remembers what that was."""

    folder: Path
    graph: str
    settings: Mapping[str, str]
    port: int
    write: Callable[[int], bytes]
    chance: random.Random
    tally: Tally = field(default_factory=Tally)
    shown: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    """Run thread → the requests that were accepted on it."""
    strange: list[str] = field(default_factory=list)
    """What was sent unapproved, beside what was approved."""

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "data"

    @contextmanager
    def serving(self) -> Iterator[DevServer]:
        """The next server on the same folder."""
        with dev_server(self.folder, self.settings, port=self.port) as server:
            yield server

    def deliver(self, server: DevServer, count: int) -> None:
        """More mail, and a look for it."""
        box = mailbox.Maildir(self.data / "mailbox", create=True)
        for number in range(self.tally.mails, self.tally.mails + count):
            box.add(self.write(number))
        self.tally.mails += count
        body = {"assistant_id": "ingest", "input": {"graph_name": self.graph}}
        httpx.post(f"{server.url}/runs", json=body, timeout=60).raise_for_status()

    def cards(self, server: DevServer) -> list[dict[str, Any]]:
        """The threads that wait for an answer, as Agent Inbox lists them."""
        return [thread for thread in self._threads(server, "interrupted") if thread.get("interrupts")]

    def busy(self, server: DevServer) -> bool:
        """Whether anything works."""
        return bool(self._threads(server, "busy"))

    def _threads(self, server: DevServer, status: str) -> list[dict[str, Any]]:
        body = {"metadata": {"graph_id": self.graph}, "status": status, "limit": 1000}
        return list(httpx.post(f"{server.url}/threads/search", json=body, timeout=60).json())

    def accept(self, server: DevServer, thread: Mapping[str, Any]) -> None:
        """Accept what the list shows, its gaps filled."""
        ((interrupt, *_),) = list(thread["interrupts"].values())[:1]
        answer = accepting(interrupt["value"][0])
        self.shown[thread["thread_id"]].append(answer["args"])
        self.tally.accepts += 1
        body = {"assistant_id": self.graph, "command": {"resume": [answer]}}
        with suppress(httpx.HTTPError):  # The server may be at its end.
            httpx.post(f"{server.url}/threads/{thread['thread_id']}/runs", json=body, timeout=60)

    def accept_some(self, server: DevServer, number: int) -> None:
        """Accept so many of the cards that are shown now."""
        cards = self.cards(server)
        for thread in self.chance.sample(cards, min(number, len(cards))):
            self.accept(server, thread)

    def state(self, server: DevServer, thread_id: str) -> Mapping[str, Any]:
        """The thread's state."""
        found: Mapping[str, Any] = httpx.get(f"{server.url}/threads/{thread_id}/state", timeout=60).json()
        return found

    def settle(self, server: DevServer, mails: set[str] | None = None) -> None:
        """Wait until every mail is settled or waits as a card that can be answered, without anybody's help."""
        deadline, dead = time.monotonic() + SECONDS, ["?"]
        while time.monotonic() < deadline:
            if not self.busy(server):
                cards = self.cards(server)
                dead = [c["thread_id"] for c in cards if not self._is_answerable(server, c)]
                if not dead and not self._missing(cards):
                    return
            pause(0.3)
        cards = self.cards(server)
        self.tally.unanswerable += len(dead)
        missing = self._missing(cards)
        raise AssertionError(
            f"{dead} cannot be answered, {missing} are lost: {self.tally}\n{server.log.read_text()[-6000:]}"
        )

    def _is_answerable(self, server: DevServer, thread: Mapping[str, Any]) -> bool:
        shown = {i["id"] for of_task in thread["interrupts"].values() for i in of_task}
        state = self.state(server, thread["thread_id"])
        return shown == {i["id"] for i in state["interrupts"]} and bool(state["next"])

    def _missing(self, cards: list[dict[str, Any]]) -> list[str]:
        """Mails that are neither answered nor wait as a card."""
        waiting, answered = {card["thread_id"] for card in cards}, self.answered()
        wanted = {header(number) for number in range(self.tally.mails)} - set(answered)
        return [each for each in wanted if not self._threads_of(each) & waiting]

    def answered(self) -> Counter[str]:
        """How often each mail was answered, by its Message-ID."""
        return Counter(str(m["In-Reply-To"]).strip() for m in self._sent())

    def _sent(self) -> list[Any]:
        box = mailbox.Maildir(self.data / "mailbox", create=True)
        found = box.get_folder("Sent") if "Sent" in box.list_folders() else []
        return [mail for mail in found if not mail.is_multipart()]  # Invitations are part of their meetings.

    def _threads_of(self, message_id: str) -> set[str]:
        with sqlite3.connect(self.data / "email_assistant.db", timeout=30) as database:
            made = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'mail'").fetchone()
            if not made:  # The server has not got that far.
                return set()
            query = "SELECT run_thread_id FROM mail WHERE email_input LIKE ?"
            return {row[0] for row in database.execute(query, (f"%{message_id}%",))}

    def count(self) -> Tally:
        """The four numbers, once nothing waits any more."""
        answered = self.answered()
        self.tally.twice += sum(number - 1 for number in answered.values())
        self.tally.dropped = self.tally.mails - len(answered)
        for sent in self._sent():
            threads = self._threads_of(str(sent["In-Reply-To"]).strip())
            bodies = {words(r["args"].get("body", "")) for t in threads for r in self.shown[t]}
            if words(body_of(sent)) not in bodies:
                self.tally.unapproved += 1
                self.strange.append(
                    f"{sent['Subject']}: {body_of(sent)!r} beside {[self.shown[t] for t in threads]}"
                )
        self.tally.asked_again = self.tally.accepts - len(self._sent()) - self._events()
        return self.tally

    def _events(self) -> int:
        with sqlite3.connect(self.data / "email_assistant.db", timeout=30) as database:
            query = "SELECT COUNT(*), COUNT(DISTINCT subject_key) FROM outbox WHERE kind = 'event' AND status = 'done'"
            events, meetings = database.execute(query).fetchone()
        in_calendar = (self.data / "calendar.ics").read_text().count("BEGIN:VEVENT") if events else 0
        self.tally.twice += max(events, in_calendar) - meetings
        return int(meetings)


def words(text: str) -> str:
    """Without what a mail's lines make of it."""
    return " ".join(text.split())


def body_of(message: Any) -> str:
    """The text of a mail."""
    part = message.get_payload(decode=True)
    return str(part.decode(message.get_content_charset() or "utf-8"))


def pause(seconds: float) -> None:
    """Nothing here can be waited on: what is tried is what a server does by itself in this time."""
    select.select([], [], [], seconds)
