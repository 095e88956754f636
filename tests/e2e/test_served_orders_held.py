"""Orders on the real server whose card nobody answers: marked as resolved, or answered from a mail program."""

import asyncio
import json
import mailbox
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client, get_sync_client

from email_assistant.app import Container
from email_assistant.settings import load_settings
from eval.workbench import CATALOGUE
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.support.desk import ME, mail
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("orders_held")

BODY = "Hello,\n\nplease send me 2 Enamel mug (KTC-4098).\n\nAna Petrova"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A shop with its catalogue; the offline rules read and write."""
    folder = tmp_path_factory.mktemp("held")
    made = Cli(folder, folder / "data", PERSON | OFFLINE)
    assert made.run("catalog", "import", str(CATALOGUE)).returncode == 0
    return made


@pytest.fixture(scope="module")
def server(shop: Cli) -> Iterator[DevServer]:
    """Over the shop's folder."""
    with forked_server(shop.folder, shop.settings) as running:
        yield running


def deliver(shop: Cli, header: str, body: str = BODY, **more: Any) -> None:
    """Put a mail into the mailbox."""
    box = mailbox.Maildir(shop.data / "mailbox", create=True)
    box.add(mail(body, subject=f"Mugs {more.get('reply_to_id', header)}", message_id=header, **more))


def arrives(shop: Cli, server: DevServer, header: str, body: str = BODY, **more: Any) -> None:
    """A mail, and a look for mail."""
    deliver(shop, header, body, **more)
    looked = shop.run("ingest", "--graph-name", "order_desk", "--url", server.url)
    assert looked.returncode == 0, looked.stderr


def waiting(server: DevServer) -> list[dict[str, Any]]:
    """The threads with a card."""
    return [dict(thread) for thread in get_sync_client(url=server.url).threads.search(status="interrupted")]


def orders(shop: Cli) -> list[str]:
    """The states of all orders, the oldest first."""
    return [each["state"] for each in json.loads(shop.run("orders", "list", "--json").stdout)][::-1]


def stock(shop: Cli) -> int:
    """Mugs that can still be taken."""
    return int(json.loads(shop.run("catalog", "show", "KTC-4098", "--json").stdout)["stock"])


def house_of(shop: Cli) -> Container:
    """A house on the shop's folder."""
    settings = {**shop.settings, "EMAIL_ASSISTANT_DATA_DIR": str(shop.data)}
    return Container(load_settings(settings, shop.folder))


def test_a_card_that_is_marked_as_resolved_gives_its_stock_back(shop: Cli, server: DevServer) -> None:
    """Agent Inbox ends the thread without running the graph; the next round of recovery undoes what waited."""
    before = stock(shop)
    arrives(shop, server, "<resolved@example.com>")
    (thread,) = waiting(server)
    assert (stock(shop), orders(shop)[-1]) == (before - 2, "held")
    url = f"{server.url}/threads/{thread['thread_id']}/state"
    httpx.post(url, json={"values": None, "as_node": "__end__"}).raise_for_status()
    house = house_of(shop)
    for _ in range(2):
        later = datetime.now(UTC) + timedelta(hours=1)
        asyncio.run(house.recovery(get_client(url=server.url)).recover(later))
    assert (stock(shop), orders(shop)[-1], waiting(server)) == (before, "released", [])
    assert list(mailbox.Maildir(shop.data / "mailbox").get_folder("Drafts")) == []
    state: Any = get_sync_client(url=server.url).threads.get_state(thread["thread_id"])
    assert (state["values"]["outcome"], state["values"]["open_orders"]) == ("resolved", [])


def test_an_order_that_the_user_answered_elsewhere_stays_held_and_status_says_so(
    shop: Cli, server: DevServer
) -> None:
    """Only the user knows what was promised there: one line tells how to settle it, and the next mail's card decides it."""
    before = stock(shop)
    assert "orders held" not in shop.run("status").stdout
    first = "<elsewhere@example.com>"
    arrives(shop, server, first)
    (thread,) = waiting(server)
    mail_thread = thread["values"]["email_input"]["thread_id"]
    box = mailbox.Maildir(shop.data / "mailbox")
    sent = box.get_folder("Sent") if "Sent" in box.list_folders() else box.add_folder("Sent")
    sent.add(
        mail("They are yours.", sender=ME, message_id="<own@vale.example>", reply_to_id=first, minutes=9)
    )
    closing = house_of(shop).ingestion(get_client(url=server.url), "order_desk").closing
    assert asyncio.run(closing.close_answered([mail_thread])) == 1
    assert (waiting(server), stock(shop), orders(shop)[-1]) == ([], before - 2, "held")
    (line,) = [each for each in shop.run("status").stdout.splitlines() if each.startswith("orders held")]
    (held,) = json.loads(shop.run("orders", "list", "--held", "--json").stdout)
    assert f"1, since {held['taken_at'][:16].replace('T', ' ')} UTC" in line
    assert "`email-assistant orders confirm ID`" in line
    assert json.loads(shop.run("status", "--json").stdout)["orders_held"]["number"] == 1
    arrives(
        shop, server, "<thanks@example.com>", "Thank you, please send me 1 Enamel plate (KTC-4110), too.\n\nAna",
        reply_to_id=first, minutes=15,
    )  # fmt: skip
    (thread,) = waiting(server)
    card = thread["interrupts"].popitem()[1][0]["value"][0]
    assert "An earlier order of this conversation is still held" in card["description"]
    client = get_sync_client(url=server.url)
    client.runs.wait(
        thread["thread_id"], "order_desk", command={"resume": [{"type": "ignore", "args": None}]}
    )
    assert (stock(shop), orders(shop)[-2:]) == (before, ["released"] * 2)
    assert shop.run("orders", "list", "--held").stdout == "No order is held.\n"
