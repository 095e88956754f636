"""The order desk on the real server, read and written by a model over HTTP: from the inbox to Sent and to the stock."""

import asyncio
import json
import mailbox
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client

from email_assistant.app import Container
from email_assistant.settings import load_settings
from email_assistant.workflows.order_desk.run_workflow import run_workflow
from eval.workbench import CATALOGUE
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.servers.model_server import ModelServer, running_model_server, tool_call
from tests.support.desk import mail
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("orders")

QUESTION = "What is the plate's diameter?"
BODY = "Dear Ana,\n\n2 x Enamel mug (KTC-4098) at 8.95 EUR each: 17.90 EUR. Total: {total} EUR. The plate measures 22 cm.\n\nRobin Vale"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Cli:
    """A shop whose both tiers are on the model server, with its catalogue."""
    tmp_path = tmp_path_factory.mktemp("orders")
    models = {"EMAIL_ASSISTANT_MODEL_FAST": "openai:fast", "EMAIL_ASSISTANT_MODEL_STRONG": "openai:strong"}
    there = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": model.base_url}
    made = Cli(tmp_path, tmp_path / "data", PERSON | models | there)
    imported = made.run("catalog", "import", str(CATALOGUE))
    assert imported.returncode == 0, imported.stderr
    return made


@pytest.fixture(scope="module")
def server(user: Cli) -> Iterator[DevServer]:
    """Over the shop's folder."""
    with forked_server(user.folder, user.settings) as running:
        yield running


def mention(product_id: str, name: str, words: str, quantity: int = 1) -> dict[str, Any]:
    """A product as the model tells it."""
    return {
        "product_id": product_id,
        "product_name": name,
        "quantity": quantity,
        "confidence": 0.9,
        "mention_text": words,
    }


def reading() -> Mapping[str, Any]:
    """What the model reads in the mail."""
    order = {
        "segment_type": "order", "main_sentence": "Please send me two Enamel mugs.", "related_sentences": [],
        "product_mentions": [mention("ktc 4098", "Enamel mug", "two Enamel mugs", 2)],
    }  # fmt: skip
    inquiry = {
        "segment_type": "inquiry", "main_sentence": QUESTION, "related_sentences": [],
        "product_mentions": [mention("KTC-4110", "Enamel plate", "the plate")],
    }  # fmt: skip
    return {
        "language": "en",
        "primary_intent": "order request",
        "customer_name": "Ana",
        "segments": [order, inquiry],
    }


def script(model: ModelServer, *bodies: str) -> None:
    """The model's answers in one run, with an answer that also rests on a product that nobody spoke of."""
    answer = {"question": QUESTION, "answer": "It measures 22 cm.", "product_ids": ["KTC-4110", "TNT-9999"]}
    model.script(
        tool_call("EmailAnalysis", reading()),
        tool_call("InquiryAnswers", {"answers": [answer], "unanswered": []}),
        *(tool_call("Composed", {"body": body, "tone": "warm"}) for body in bodies),
    )


def taken_in(user: Cli, server: DevServer, number: int) -> tuple[str, dict[str, Any]]:
    """A mail through the ingest command: its run thread and the thread's state."""
    box = mailbox.Maildir(user.data / "mailbox", create=True)
    before = set(box.keys())
    text = f"Please send me two Enamel mugs.\n\n{QUESTION}\n\nAna ({number})"
    box.add(mail(text, subject=f"Mugs {number}", message_id=f"<mugs{number}@example.com>"))
    (message_id,) = set(box.keys()) - before
    told = user.run("ingest", "--graph-name", "order_desk", "--url", server.url)
    assert (told.returncode, "Mail: 1 taken up." in told.stdout) == (0, True), told.stderr
    client = get_sync_client(url=server.url)
    (thread,) = client.threads.search(status="interrupted", metadata={"email_id": message_id})
    return thread["thread_id"], dict(client.threads.get_state(thread["thread_id"]))


def stock(user: Cli) -> int:
    """Mugs that can still be taken."""
    shown: dict[str, Any] = json.loads(user.run("catalog", "show", "KTC-4098", "--json").stdout)
    return int(shown["stock"])


def test_a_mail_goes_the_whole_way(user: Cli, server: DevServer, model: ModelServer) -> None:
    """Taken in by the command, approved by a person: sent once, sold once; the catalogue costs no model tokens."""
    before = stock(user)
    script(model, BODY.format(total="17.90"))
    thread_id, state = taken_in(user, server, 1)
    card = state["tasks"][0]["interrupts"][0]["value"][0]
    assert card["action_request"]["args"]["body"] == BODY.format(total="17.90")
    assert state["values"]["advisor"]["answers"][0]["product_ids"] == ["KTC-4110"]
    assert stock(user) == before - 2
    prompts = json.dumps(model.bodies[0]["messages"])
    assert "Enamel mug" in prompts
    assert "Insulated bottle" not in prompts
    client = get_sync_client(url=server.url)
    ended: Any = client.runs.wait(
        thread_id, "order_desk", command={"resume": [{"type": "accept", "args": None}]}
    )
    assert (ended["outcome"], ended["errors"]) == ("sent", {})
    box = mailbox.Maildir(user.data / "mailbox")
    assert [m["In-Reply-To"] for m in box.get_folder("Sent")] == ["<mugs1@example.com>"]
    order, *_ = json.loads(user.run("orders", "list", "--json").stdout)  # the latest
    assert (order["state"], order["order"]["status"], stock(user)) == ("confirmed", "created", before - 2)


def test_a_reply_that_leaves_out_the_total_is_written_again_and_a_made_up_one_becomes_a_gap(
    user: Cli, server: DevServer, model: ModelServer
) -> None:
    """The model gets one more try; what it then makes up is no fact, and the card says what is missing."""
    script(model, "Dear Ana, two KTC-4098 are yours.", "Dear Ana, two KTC-4098 are yours. Total: 12.00 EUR.")
    _, state = taken_in(user, server, 2)
    card = state["tasks"][0]["interrupts"][0]["value"][0]
    assert "Total: [confirm: 12.00 EUR]" in card["action_request"]["args"]["body"]
    assert "Your last attempt left out: the total of 17.90 EUR" in json.dumps(model.bodies[3]["messages"])
    assert "The reply does not say: the total of 17.90 EUR" in card["description"]


def test_what_is_held_is_settled_by_hand(tmp_path: Path) -> None:
    """Both ways, each once; an unknown order and a wrong use are one line."""
    shop = Cli(tmp_path, tmp_path / "data", PERSON | OFFLINE)
    assert shop.run("catalog", "import", str(CATALOGUE)).returncode == 0
    before = stock(shop)
    built = Container(
        load_settings(shop.settings | {"EMAIL_ASSISTANT_DATA_DIR": str(shop.data)}, shop.folder)
    )
    for number in (1, 2):
        message = f"Please send me 2 Enamel mug (KTC-4098). No. {number}"
        asyncio.run(run_workflow({"email_id": f"E{number}", "subject": "Mugs", "message": message}, built))
    assert stock(shop) == before - 4
    first, second = [order["order_id"] for order in json.loads(shop.run("orders", "list", "--json").stdout)]
    assert "name the orders by their ids, or say --all" in shop.run("orders", "confirm").stderr
    assert shop.run("orders", "confirm", first).stdout == "1 order sold.\n"
    released = shop.run("orders", "release", "--all")
    assert (released.returncode, released.stdout, stock(shop)) == (0, "1 order given back.\n", before - 2)
    refused = shop.run("orders", "confirm", second, "nothing")
    assert (refused.returncode, refused.stdout) == (1, "0 orders sold.\n")
    assert "was released" in refused.stderr
    assert "nothing" in refused.stderr
