"""What a letter asks stays asked when something that asks nothing comes after it: in every workflow, on the real server."""

import itertools
import json
import mailbox
import time
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph_sdk import get_sync_client

from email_assistant.review.kinds import RowGroup, kind_of
from eval.claims.running import SAMPLES
from eval.crash.scenarios import TENANT
from eval.mails import HOST, raw_messages
from eval.workbench import CATALOGUE
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("asked_stays")

ANA = "Ana Petrova <ana@petrova.example>"
BOSS = "The Boss <boss@board.example>"
BO = "Bo Lind <bo@team.example>"
ASKED = {
    "email_assistant": (ANA, "robin", "Hi Robin,\n\ncould you tell me what the ash shelf costs?\n\nAna"),
    "inbox_organizer": (BOSS, "sort", "Could you pay the 4,000 euro? It is due today, please answer immediately."),
    "reply_pipeline": (ANA, "team", "Hi Robin,\n\ncould you send me the price of the oak shelf?\n\nAna"),
    "order_desk": (ANA, "orders", "Hello,\n\nplease send me 1 Enamel mug (KTC-4098).\n\nAna Petrova"),
    "claims_desk": (ANA, "claims", "Hello,\n\nwhich documents do you need for a claim on my travel policy?\n\nAna"),
}  # fmt: skip
FOLLOWS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "postscript": ("", "PS: I meant the blue one, sorry!\n\nAna", {}),
    "a word": (BO, "I would take it, too.\n\nBo", {}),
    "out of office, unmarked": (BO, "I am out of the office until Monday.", {"subject": "Out of office: It"}),
}  # fmt: skip
CASES = list(itertools.product(ASKED, FOLLOWS))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A user whose mail goes to five workflows, by its address."""
    folder = tmp_path_factory.mktemp("asked")
    rules = ", ".join(f"{to}@vale.example={graph}" for graph, (_, to, _) in ASKED.items())
    own = ",".join(f"{to}@vale.example" for _, to, _ in ASKED.values())
    settings = {
        "EMAIL_ASSISTANT_GRAPHS": rules,
        "EMAIL_ASSISTANT_ALIASES": own,
        "EMAIL_ASSISTANT_VIPS": "board.example",
        "EMAIL_ASSISTANT_TENANT": TENANT,
        "EMAIL_ASSISTANT_AUTHSERV_ID": HOST,
        "EMAIL_ASSISTANT_NOW": "2026-11-20T08:00:00+00:00",
    }
    made = Cli(folder, folder / "data", PERSON | OFFLINE | settings)
    assert made.run("catalog", "import", str(CATALOGUE)).returncode == 0
    people, contracts = SAMPLES / "customers.csv", SAMPLES / "policies.csv"
    imported = made.run("customers", "import", str(people), str(contracts))
    assert imported.returncode == 0, imported.stderr
    return made


@pytest.fixture(scope="module")
def server(house: Cli) -> Iterator[DevServer]:
    """Over the user's folder."""
    with forked_server(house.folder, house.settings) as running:
        yield running


def arrives(house: Cli, server: DevServer, mails: list[bytes]) -> None:
    """Mails, and one look for mail."""
    box = mailbox.Maildir(house.data / "mailbox", create=True)
    for raw in mails:
        box.add(raw)
    looked = house.run("ingest", "--url", server.url)
    assert looked.returncode == 0, looked.stderr
    threads = get_sync_client(url=server.url).threads
    for _ in range(600):
        if not threads.search(status="busy", limit=1):
            return
        time.sleep(0.1)
    raise AssertionError("runs are still under way")


def letters(graph: str, follow: str) -> list[bytes]:
    """The letter that asks, and what comes after it."""
    sender, to, body = ASKED[graph]
    by, words, more = FOLLOWS[follow]
    common = {"to": f"{to}@vale.example", "cc": BO, "auth": "pass"}
    question = common | {"from": sender, "text": body, "subject": subject(graph, follow)}
    later = {
        "id": subject(graph, follow),
        "from": by or sender,
        "text": words,
        "subject": f"Re: {question['subject']}",
    }
    return raw_messages(common | later | {"thread": [question]} | more)


def subject(graph: str, follow: str) -> str:
    """Of the letter that asks."""
    return f"{graph}.{list(FOLLOWS).index(follow)}"


def acting(server: DevServer, graph: str) -> dict[str, dict[str, Any]]:
    """Run thread → the card there, where it would do something."""
    search = get_sync_client(url=server.url).threads.search
    found: Any = search(status="interrupted", metadata={"graph_id": graph}, limit=200)
    cards = {
        t["thread_id"]: asked[0]["value"][0]["view"] for t in found for asked in t["interrupts"].values()
    }
    return {t: view for t, view in cards.items() if kind_of(view["kind"]).together is not RowGroup.NOTICES}


@pytest.fixture(scope="module")
def walked(house: Cli, server: DevServer) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Graph → the acting cards before and after."""
    arrives(house, server, [letters(*case)[0] for case in CASES])
    before = {graph: acting(server, graph) for graph in ASKED}
    arrives(house, server, [letters(*case)[1] for case in CASES])
    return {graph: (before[graph], acting(server, graph)) for graph in ASKED}


@pytest.mark.parametrize(("graph", "follow"), CASES)
def test_the_question_is_still_asked(walked: Any, graph: str, follow: str) -> None:
    """By a card of the same kind about the same letter."""
    before, after = walked[graph]
    (thread,) = [each for each, view in before.items() if view["subject"] == subject(graph, follow)]
    assert thread in after
    now = after[thread]
    assert (now["kind"], now["subject"]) == (before[thread]["kind"], subject(graph, follow))


def test_nothing_is_held_without_a_card(walked: Any, house: Cli) -> None:
    """Every order has one."""
    held = [
        each for each in json.loads(house.run("orders", "list", "--json").stdout) if each["state"] == "held"
    ]
    assert len(held) == len(FOLLOWS) == len(walked["order_desk"][1])
