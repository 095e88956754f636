"""The served organizer, killed at each point of its work: every mail is settled once, and nothing of it is lost."""

import mailbox
import select
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client

from tests.e2e.cli_support import PERSON, Cli
from tests.e2e.test_served_organizer import WORK, Sorter, card_of, says
from tests.servers.model_server import ModelServer, running_model_server, tool_call
from tests.support.arming import FORGOTTEN, SAVED, arm, armed_project
from tests.support.dev_server import DevServer, dev_server, free_port

pytestmark = pytest.mark.xdist_group("organizer")

SECONDS = 90
CARD_WAITS = "while the card waits"
CREATED, SENT = "after:IcsCalendar.create", "after:MaildirMailbox.send_draft"
POINTS = {
    "after:MailLog.claim_all": set(),
    "before:SortingNodes.take_up": set(),
    "before:SortingNodes.weigh": set(),
    "after:MaildirMailbox.change_labels": set(),
    "after:ObsidianVault.write": {"NoteAnswer", "EventAnswer"},
    "after:MaildirMailbox.save_draft": {"ReplyAnswer"},
    CREATED: set(),
    SENT: set(),
    CARD_WAITS: {"CategoryAnswer", "NoteAnswer", "EventAnswer", "ReplyAnswer"},
}
"""Where the server dies, and which answers of the model were not on record then, so that it is asked again."""
MAX_CARDS = 4
EMPTY = {"worth_noting": True, "key_points": [], "links": []}
MEETING = {"is_event": True, "start": "2026-11-26T10:00", "end": "2026-11-26T10:45", "confidence": 0.9}


@dataclass
class Desk:
    """The folder that outlives the servers, and the model."""

    folder: Path
    model: ModelServer
    port: int

    @property
    def settings(self) -> dict[str, str]:
        """The person's settings."""
        return PERSON | {
            "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
            "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": self.model.base_url,
            "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00+00:00",
            "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
            "EMAIL_ASSISTANT_VAULT": str(self.folder / "vault"),
            "EMAIL_ASSISTANT_VIPS": "board.example",
        }

    @contextmanager
    def serving(self) -> Iterator[Sorter]:
        """The next server on the same folder."""
        with dev_server(self.folder, self.settings | armed_project(self.folder), port=self.port) as server:
            yield Sorter(server, self.model, Cli(self.folder, self.folder / "data", self.settings))


def until(what: str, server: DevServer, so: Callable[[], bool]) -> None:
    """Ask until it is so."""
    deadline = time.monotonic() + SECONDS
    while not so():
        assert time.monotonic() < deadline, f"{what} did not come: {server.log.read_text()[-3000:]}"
        select.select([], [], [], 0.1)


def begin(sorter: Sorter, number: int) -> str:
    """Deliver a mail that needs everything, and let the server look for it."""
    answers = {
        "EventAnswer": MEETING | {"reasoning": "A time is proposed.", "title": f"Visit {number}"},
        "NoteAnswer": EMPTY | {"title": f"Quote {number}", "summary": "4,000 euro."},
        "ReplyAnswer": {"body": "I will."},
    }
    sorter.model.script(
        says(WORK, 0.9) | {"when": "CategoryAnswer", "repeat": True},
        *(tool_call(name, fields, when=name, repeat=True) for name, fields in answers.items()),
    )
    header = sorter.receive(
        sender=f"Boss {number} <boss{number}@board.example>",
        subject=f"Quote {number}.",
        body="Could you pay the 4,000 euro? It is due today, please answer immediately."
        " And could we meet on Thursday 26 November 2026 at 10:00?",
    )
    with suppress(httpx.HTTPError):  # It may die before it can answer.
        look = {"graph_name": "inbox_organizer"}
        get_sync_client(url=sorter.server.url).runs.create(None, "ingest", input=look)
    return header


def record(sorter: Sorter, header: str) -> tuple[str, str, int]:
    """What the journal says of the mail."""
    query = "SELECT status, outcome, attempts FROM mail WHERE email_input LIKE ?"
    with sqlite3.connect(sorter.cli.data / "email_assistant.db") as database:
        found = database.execute(query, (f"%{header}%",)).fetchall()
    return found[0] if len(found) == 1 else ("unknown", str(found), 0)


def waits(sorter: Sorter, header: str) -> bool:
    """Whether the mail's card is there."""
    if record(sorter, header)[0] != "waiting_review":
        return False
    found = get_sync_client(url=sorter.server.url).threads.search(ids=[sorter.thread_id(header)])
    return bool(found) and found[0]["status"] == "interrupted"


def accept(sorter: Sorter, header: str) -> None:
    """Wait for the card and accept it as Agent Inbox does."""
    until("the card", sorter.server, lambda: waits(sorter, header))
    request = card_of(sorter.thread(header))["action_request"]
    with suppress(httpx.HTTPError):  # It may die on it.
        sorter.answer(header, {"type": "accept", "args": request})


def calls(model: ModelServer, number: int) -> Counter[str]:
    """How often the model was asked for each answer about this mail."""
    about = [body for body in model.bodies if f"Quote {number}." in str(body["messages"])]
    return Counter(str(body["tools"][0]["function"]["name"]) for body in about)


def finish(sorter: Sorter, header: str) -> None:
    """Accept what waits until nothing does."""

    def done() -> bool:
        return record(sorter, header)[0] == "done"

    for _ in range(MAX_CARDS):
        until("a card or the end", sorter.server, lambda: waits(sorter, header) or done())
        if done():
            return
        accept(sorter, header)
    raise AssertionError("more cards than there are actions")


def check(sorter: Sorter, header: str, number: int) -> None:
    """Everything happened once."""
    data = sorter.cli.data
    box = mailbox.Maildir(data / "mailbox", create=False)
    assert record(sorter, header) == ("done", "labeled", 0)
    assert sorter.values(header)["labels"] == [f"Agent/{WORK}", "Agent/Priority/Critical"]
    sent = Counter(str(m["In-Reply-To"]).strip() for m in box.get_folder("Sent"))
    assert (sent[header], list(box.get_folder("Drafts"))) == (1, [])
    assert (data / "calendar.ics").read_text().count(f"SUMMARY:Visit {number}\n") == 1
    notes = [
        p.read_text()
        for p in (sorter.cli.folder / "vault").rglob("*.md")
        if f"# Quote {number}\n" in p.read_text()
    ]
    assert [note.count("4,000 euro.") for note in notes] == [1]
    with sqlite3.connect(data / "email_assistant.db") as database:
        thread = sorter.thread_id(header)
        cards = database.execute(
            "SELECT title, decision FROM reviews WHERE run_thread_id = ? ORDER BY first_shown_at", (thread,)
        ).fetchall()
        effects = database.execute(
            "SELECT kind, status FROM outbox WHERE action_id LIKE ? AND kind != 'draft'", (f"{thread}%",)
        ).fetchall()
    assert cards == [
        (f"Schedule meeting: Visit {number}", "accept"),
        (f"Send reply to Boss {number}: asks you to pay the 4,000 euro, by Thu 19 Nov", "accept"),
    ]
    assert sorted(effects) == [("meeting", "done"), ("send", "done")]


def die(sorter: Sorter, point: str, state: str, number: int) -> str:
    """Let the server die at this point of its work on a new mail; the mail's Message-ID."""
    if point != CARD_WAITS:
        arm(sorter.cli.data, point, state)
    header = begin(sorter, number)
    if point in {CREATED, SENT}:
        accept(sorter, header)
    if point == SENT:
        accept(sorter, header)
    if point == CARD_WAITS:
        until("the card", sorter.server, lambda: waits(sorter, header))
        sorter.server.kill()
    until(f"death {point}", sorter.server, lambda: sorter.server.process.poll() is not None)
    return header


def run(folder: Path, state: str) -> dict[str, Counter[str]]:
    """Each server dies at another point with another mail, and the next takes that up by itself; the model's calls."""
    counted: dict[str, Counter[str]] = {}
    with running_model_server() as model:
        desk = Desk(folder, model, free_port())
        header = ""
        for number, point in enumerate([*POINTS, ""], start=1):
            with desk.serving() as sorter:
                if header:
                    finish(sorter, header)
                    check(sorter, header, number - 1)
                    counted[list(POINTS)[number - 2]] = calls(model, number - 1)
                if point:
                    header = die(sorter, point, state, number)
    return counted


def test_killed_anywhere_every_mail_is_settled_once(tmp_path: Path) -> None:
    """Label, event, note, reply and cards of each mail are there once; what a model said on record is not asked again."""
    for point, counted in run(tmp_path, SAVED).items():
        assert set(counted) == POINTS[CARD_WAITS], point
        assert {name for name, times in counted.items() if times > 1} <= POINTS[point], (point, counted)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_killed_anywhere_with_its_last_seconds_lost_every_mail_is_settled_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same when the server forgets what it had not yet saved by itself."""
    counted = run(tmp_path, FORGOTTEN)
    with capsys.disabled():
        print(
            f"\norganizer: killed at {len(counted)} points with its last seconds lost, each mail settled once"
        )
