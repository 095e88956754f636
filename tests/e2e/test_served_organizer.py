"""The organizer on the real server: each way through it, with a scripted model on both tiers, and its commands."""

import asyncio
import json
import mailbox
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client, get_sync_client

from email_assistant.app import Container
from email_assistant.settings import load_settings
from tests.e2e.cli_support import PERSON, Cli
from tests.servers.model_server import ModelServer, failing, running_model_server, tool_call
from tests.support.desk import deliver, mail
from tests.support.dev_server import DevServer, forked_server
from tests.support.page_client import PageClient

pytestmark = pytest.mark.xdist_group("organizer")

WORK, NEWS, OFFERS = "Professional/Work", "Newsletters/Subscriptions", "Marketing/Promotions"
_numbers = count(1)


@dataclass
class Sorter:
    """A served organizer, its model and its commands."""

    server: DevServer
    model: ModelServer
    cli: Cli

    def command(self, *args: str) -> str:
        """A command that succeeds; what it prints."""
        done = self.cli.run(*args)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def organize(self) -> dict[str, int]:
        """One run of the command."""
        found: dict[str, int] = json.loads(self.command("organize", "--json", "--url", self.server.url))
        return found

    def look(self, header: str) -> Any:
        """Let the server look for mail, and the mail's run come to its pause or end; returns what was found."""
        client = get_sync_client(url=self.server.url)
        told: Any = client.runs.wait(
            None, "ingest", input={"graph_name": "inbox_organizer"}, raise_error=True
        )
        (run,) = client.runs.list(self.thread_id(header), limit=1)
        client.runs.join(run["thread_id"], run["run_id"])
        return told["counts"]

    def recover(self) -> None:
        """What the server does every half minute, as if an hour had passed."""
        folder = {"EMAIL_ASSISTANT_DATA_DIR": str(self.cli.data)}
        house = Container(load_settings(self.cli.settings | folder, self.cli.data))
        later = datetime.now(UTC) + timedelta(hours=1)
        asyncio.run(house.recovery(get_client(url=self.server.url)).recover(later))

    def script(self, *answers: Any) -> None:
        """What the model says; it finds nothing worth noting unless it is told to."""
        idle = {"worth_noting": False, "title": "", "summary": "", "key_points": [], "links": []}
        self.model.script(*answers, tool_call("NoteAnswer", idle, when="NoteAnswer", repeat=True))

    def asked(self, tool: str) -> list[str]:
        """Which tiers were asked for this answer."""
        return [b["model"] for b in self.model.bodies if b["tools"][0]["function"]["name"] == tool]

    def receive(self, **fields: Any) -> str:
        """Deliver a mail; returns its Message-ID."""
        header = f"<sorted-{next(_numbers)}@example.com>"
        fields.setdefault("sender", f"Ana {header[1:-13]} <ana{next(_numbers)}@example.com>")
        deliver(self.cli.data / "mailbox", mail(message_id=header, **fields))
        return header

    def thread_id(self, header: str) -> str:
        """The id of the mail's thread on the server."""
        query = "SELECT run_thread_id FROM mail WHERE email_input LIKE ?"
        with sqlite3.connect(self.cli.data / "email_assistant.db") as database:
            ((found,),) = database.execute(query, (f"%{header}%",)).fetchall()
        return str(found)

    def thread(self, header: str) -> Any:
        """The mail's thread on the server."""
        return get_sync_client(url=self.server.url).threads.get(self.thread_id(header))

    def answer(self, header: str, value: dict[str, Any]) -> None:
        """Answer the card as Agent Inbox does."""
        body = {"assistant_id": "inbox_organizer", "command": {"resume": [value]}}
        url = f"{self.server.url}/threads/{self.thread_id(header)}/runs/wait"
        assert "__error__" not in httpx.post(url, json=body, timeout=60).raise_for_status().json()

    def values(self, header: str) -> dict[str, Any]:
        """What the run came to."""
        return dict(self.thread(header)["values"])


def card_of(thread: Any) -> dict[str, Any]:
    """The card that waits."""
    ((interrupt,),) = thread["interrupts"].values()
    (card,) = interrupt["value"]
    return dict(card)


@pytest.fixture(scope="module")
def sorter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sorter]:
    """One server for the module."""
    folder = tmp_path_factory.mktemp("organizer")
    with running_model_server() as model:
        settings = PERSON | {
            "EMAIL_ASSISTANT_MODEL_FAST": "openai:fast",
            "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.base_url,
            "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00+00:00",
            "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
            "EMAIL_ASSISTANT_VAULT": str(folder / "vault"),
            "EMAIL_ASSISTANT_VIPS": "board.example",
        }
        with forked_server(folder, settings) as server:
            yield Sorter(server, model, Cli(folder, folder / "data", settings))


def says(category: str, confidence: float) -> Any:
    """The model's answer."""
    return tool_call(
        "CategoryAnswer",
        {"reasoning": "So it seems.", "category": category, "confidence": confidence, "key_phrases": []},
    )


@pytest.mark.parametrize(
    ("answers", "labelled"),
    [
        ([0.70], False), ([0.79], False), ([0.80], True),
        ([0.69, 0.69], False), ([0.69, 0.70], False), ([0.69, 0.79], False), ([0.69, 0.80], True),
    ],
)  # fmt: skip
def test_every_way_to_a_label(sorter: Sorter, answers: list[float], labelled: bool) -> None:
    """Fast tier, strong tier below 0.7, label from 0.8 on, else a card; after its approval the label."""
    sorter.script(*(says(WORK, each) for each in answers))
    header = sorter.receive()
    assert sorter.look(header) == {"started": 1}
    assert sorter.asked("CategoryAnswer") == ["fast", "strong"][: len(answers)]
    thread = sorter.thread(header)
    assert thread["status"] == ("idle" if labelled else "interrupted")
    if not labelled:
        assert card_of(thread)["action_request"]["action"].startswith(f"Label as {WORK}: ")
        assert sorter.values(header).get("labels") == []
        sorter.answer(header, {"type": "accept", "args": None})
    assert (sorter.values(header)["labels"], sorter.values(header)["outcome"]) == (
        [f"Agent/{WORK}"],
        "labeled",
    )
    assert sorter.organize() == {}


def test_a_label_from_the_page_can_be_taken_off_again(sorter: Sorter) -> None:
    """It is held, in one answer with others, and then given; taking it back leaves the mailbox as it was."""
    page, headers = PageClient(sorter.server.url), []
    for _ in range(2):
        sorter.script(says(WORK, 0.75))
        headers.append(sorter.receive())
        sorter.look(headers[-1])
    before = labels(sorter)
    cards = [page.card(sorter.thread_id(header)) for header in headers]
    edit = {"type": "edit", "args": {"category": NEWS}}
    kept, taken = page.settle(cards[0] | {"type": "accept"}, cards[1] | edit)
    assert (kept["state"], taken["state"]) == ("done", "done")
    assert labels(sorter) == sorted([*before, f"Agent/{WORK}", f"Agent/{NEWS}"])
    told = page.undo(taken["id"])
    assert (told["state"], told["why"]) == ("undone", f"The label Agent/{NEWS} was taken off.")
    assert labels(sorter) == sorted([*before, f"Agent/{WORK}"])
    assert page.undo(taken["id"])["state"] == "undone"


def labels(sorter: Sorter) -> list[str]:
    """Every label in the mailbox, as often as it is given."""
    house = Container(
        load_settings(
            sorter.cli.settings | {"EMAIL_ASSISTANT_DATA_DIR": str(sorter.cli.data)}, sorter.cli.data
        )
    )

    async def all_of_them() -> list[str]:
        box = sorter.cli.data / "mailbox"
        ids = [key for key, _ in mailbox.Maildir(box).items()]
        return sorted([label for each in ids for label in await house.mailbox.labels(each)])

    return asyncio.run(all_of_them())


def test_corrections_teach_and_can_be_undone(sorter: Sorter) -> None:
    """After three edits of a list's cards the fourth mail is sorted without the model; `hints forget` undoes that."""
    fields = {"sender": "Shop <news@shop.example>", "List_Id": "<news.shop.example>"}
    for _ in range(3):
        sorter.script(says(OFFERS, 0.75))
        header = sorter.receive(**fields)
        sorter.look(header)
        action = card_of(sorter.thread(header))["action_request"]["action"]
        sorter.answer(header, {"type": "edit", "args": {"action": action, "args": {"category": NEWS}}})
    sorter.script()
    header = sorter.receive(**fields)
    assert [sorter.organize(), sorter.organize()] == [{"started": 1}, {}]
    assert (sorter.model.bodies, sorter.values(header)["decided_by"]) == ([], "hint")
    listed = sorter.command("hints", "list")
    assert f"list:news.shop.example  {NEWS}  decides" in listed
    sorter.command("hints", "forget", "list:news.shop.example")
    sorter.script(says(OFFERS, 0.9))
    header = sorter.receive(**fields)
    sorter.look(header)
    assert sorter.values(header)["labels"] == [f"Agent/{OFFERS}"]
    assert "shop" not in sorter.command("hints", "list")


def test_what_failed_three_times_is_replayed(sorter: Sorter, tmp_path: Path) -> None:
    """The dead letter is listed with its reason; when the model is well again a replay labels the mail, once."""
    sorter.script(failing(400, "no") | {"repeat": True})
    header = sorter.receive()
    sorter.look(header)
    client = get_sync_client(url=sorter.server.url)
    for _ in range(2):
        client.runs.wait(sorter.thread_id(header), "inbox_organizer", input=None, raise_error=False)
    (letter,) = json.loads(sorter.command("dead-letters", "list", "--json"))
    assert (letter["graph"], letter["attempts"]) == ("inbox_organizer", 3)
    assert "400" in letter["reason"]
    assert "Ana sorted-" in sorter.command("dead-letters", "show", letter["message_id"])
    sorter.script(says(WORK, 0.9))
    told = sorter.command("dead-letters", "replay", letter["message_id"], "--url", sorter.server.url)
    assert told == "1 message is tried again.\n"
    (run,) = client.runs.list(sorter.thread_id(header), limit=1)
    client.runs.join(sorter.thread_id(header), run["run_id"])
    assert sorter.values(header)["labels"] == [f"Agent/{WORK}"]
    assert json.loads(sorter.command("dead-letters", "list", "--json")) == []


BOSS = "The Boss <boss@board.example>"
MONEY = "It is about 4,000 euro."


def noted(worth: bool = True) -> Any:
    """What the model finds worth noting."""
    fields = {
        "worth_noting": worth,
        "title": "The atrium quote",
        "summary": "It is about 4,000 euro.",
        "key_points": [],
        "links": [],
    }
    return tool_call("NoteAnswer", fields, when="NoteAnswer")


@pytest.mark.parametrize(
    ("sender", "body", "level"),
    [
        (BOSS, f"Please answer immediately, it is due today. {MONEY}", "critical"),
        (BOSS, f"Could you answer by Monday? {MONEY}", "high"),
        (BOSS, "Could you look at the drawings?", "normal"),
        ("Ana <ana@else.test>", "Here you are.", "low"),
    ],
)
def test_each_importance_leads_where_it_should(sorter: Sorter, sender: str, body: str, level: str) -> None:
    """Critical and high mail has a label and a reply that waits; normal mail may be noted; low mail is only sorted."""
    reply = tool_call("ReplyAnswer", {"body": "I will."}, when="ReplyAnswer")
    sorter.script(says(WORK, 0.9) | {"when": "CategoryAnswer"}, reply)
    header = sorter.receive(sender=sender, body=body)
    sorter.look(header)
    important = level in {"critical", "high"}
    assert sorter.values(header)["importance"]["level"] == level
    assert sorter.values(header)["labels"] == [f"Agent/{WORK}"] + (
        [f"Agent/Priority/{level.title()}"] if important else []
    )
    asked = [body["tools"][0]["function"]["name"] for body in sorter.model.bodies]
    assert asked == [
        "CategoryAnswer",
        *(["NoteAnswer"] if level != "low" else []),
        *(["ReplyAnswer"] if important else []),
    ]
    thread = sorter.thread(header)
    assert thread["status"] == ("interrupted" if important else "idle")
    if important:
        assert card_of(thread)["action_request"]["action"].startswith("Send reply to The Boss: ")
        sorter.answer(header, {"type": "accept", "args": None})
        sent = mailbox.Maildir(sorter.cli.data / "mailbox").get_folder("Sent")
        assert [str(m["In-Reply-To"]) for m in sent].count(header) == 1


def test_a_note_is_made_and_then_added_to(sorter: Sorter) -> None:
    """One note for a conversation, whatever comes in it."""
    sorter.script(says(WORK, 0.9) | {"when": "CategoryAnswer"}, noted())
    first = sorter.receive(sender=BOSS, body="Could you look at the quote?")
    sorter.look(first)
    (note,) = list((sorter.cli.folder / "vault").rglob("*.md"))
    before = note.read_text()
    sorter.script(says(WORK, 0.9) | {"when": "CategoryAnswer"}, noted())
    second = sorter.receive(sender=BOSS, body="And could you look again?", reply_to_id=first, minutes=5)
    sorter.look(second)
    (note,) = list((sorter.cli.folder / "vault").rglob("*.md"))
    assert len(note.read_text()) > len(before)


def test_an_event_is_created_when_it_is_approved(sorter: Sorter) -> None:
    """Words of a meeting lead to the strong tier, its answer to a card, the approval to the calendar."""
    event = {
        "reasoning": "She proposes a time.", "is_event": True, "title": "Workshop visit", "start": "2026-11-26T10:00",
        "end": "2026-11-26T10:45", "confidence": 0.9,
    }  # fmt: skip
    sorter.script(
        says(WORK, 0.9) | {"when": "CategoryAnswer"}, tool_call("EventAnswer", event, when="EventAnswer")
    )
    header = sorter.receive(
        sender="Ana <ana@else.test>", body="Could we meet on Thursday 26 November 2026 at 10:00?"
    )
    sorter.look(header)
    assert card_of(sorter.thread(header))["action_request"]["action"] == "Schedule meeting: Workshop visit"
    calendar = sorter.cli.data / "calendar.ics"
    assert not calendar.exists() or "Workshop visit" not in calendar.read_text()
    sorter.answer(header, {"type": "accept", "args": None})
    assert calendar.read_text().count("SUMMARY:Workshop visit") == 1


def test_a_list_that_is_never_answered_is_proposed_to_be_left(sorter: Sorter) -> None:
    """After its third mail a card waits; ignoring it keeps the list, and nothing is sent anywhere."""
    fields = {
        "sender": "Weekly <weekly@letters.example>",
        "List_Id": "<weekly.letters.example>",
        "List_Unsubscribe": "<https://letters.example/leave?t=1>",
        "List_Unsubscribe_Post": "List-Unsubscribe=One-Click",
        "body": "The news of this week, to read online.",
        "subject": "Newsletter of this week",
    }
    for number in range(3):
        sorter.script(says(NEWS, 0.9))
        header = sorter.receive(**fields)
        sorter.look(header)
        assert sorter.thread(header)["status"] == ("interrupted" if number == 2 else "idle")
    assert card_of(sorter.thread(header))["action_request"]["args"] == {"lists": "weekly.letters.example"}
    sorter.answer(header, {"type": "ignore", "args": None})
    assert sorter.thread(header)["status"] == "idle"


def test_a_card_that_was_marked_as_resolved_does_not_keep_its_list(sorter: Sorter) -> None:
    """The review page ends the thread without running the graph; the list is asked about with its next mail."""

    def arrives(number: int) -> str:
        header = sorter.receive(
            sender="Weekly <weekly@lists.shop.example>", subject=f"Issue {number}", List_Id="<weekly.lists.shop.example>",
            List_Unsubscribe="<https://lists.shop.example/leave>", List_Unsubscribe_Post="List-Unsubscribe=One-Click",
            Precedence="list",
        )  # fmt: skip
        sorter.script(says(NEWS, 0.95))
        sorter.look(header)
        return header

    *_, third = [arrives(number) for number in range(3)]
    asked = "Unsubscribe from Weekly"
    assert card_of(sorter.thread(third))["action_request"]["action"] == asked
    url = f"{sorter.server.url}/threads/{sorter.thread_id(third)}/state"
    httpx.post(url, json={"values": None, "as_node": "__end__"}).raise_for_status()
    sorter.recover()
    fourth = arrives(4)
    assert card_of(sorter.thread(fourth))["action_request"]["action"] == asked
