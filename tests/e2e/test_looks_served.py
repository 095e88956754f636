"""The server looks for mail by itself: a local mailbox and Gmail's stand-in, one that fails for a while among them."""

import mailbox
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client

from tests.e2e.cli_support import OFFLINE, PERSON
from tests.support.desk import mail
from tests.support.dev_server import DevServer, forked_server

pytestmark = pytest.mark.xdist_group("served")

LOOKING = {"EMAIL_ASSISTANT_LOOK_SECONDS": "1"}


@pytest.fixture
def local(tmp_path: Path) -> Iterator[DevServer]:
    """A server on a local mailbox."""
    (tmp_path / "data").mkdir()
    mailbox.Maildir(tmp_path / "data" / "mailbox", create=True)
    with forked_server(tmp_path, PERSON | OFFLINE | LOOKING) as server:
        yield server


def deliver(folder: Path, name: str, box: str = "mailbox") -> None:
    """Put a mail into the inbox, as a mail program does."""
    mailbox.Maildir(folder / "data" / box, create=False).add(mail(message_id=f"<{name}@example.com>"))


def cards(server: DevServer) -> int:
    """How many threads wait for an answer."""
    found: Any = get_sync_client(url=server.url).threads.search(status="interrupted", limit=100)
    return len(found)


def last_look(server: DevServer) -> dict[str, Any]:
    """How the server's last look went, as the review page is told."""
    told: dict[str, Any] = httpx.get(f"{server.url}/review/digest", timeout=30).raise_for_status().json()
    return dict(told["look"] or {})


def until(done: Callable[[], Any], seconds: float = 60) -> bool:
    """Ask over and over until it is so, or time is up."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if done():
            return True
        time.sleep(0.2)
    return False


def test_a_local_mailbox_that_is_gone_for_a_while(local: DevServer) -> None:
    """Mail that is put there gets its card. While the mailbox is away that is told once; what came meanwhile is taken up, once."""
    folder = local.log.parent
    deliver(folder, "first")
    assert until(lambda: cards(local) == 1)
    (folder / "data" / "mailbox").rename(folder / "data" / "away")
    assert until(lambda: last_look(local).get("failure"))
    deliver(folder, "second", "away")
    failing_since = last_look(local)["failing_since"]
    before = last_look(local)["at"]
    assert until(lambda: last_look(local)["at"] > before), "it is tried again"
    assert last_look(local)["failing_since"] == failing_since
    (folder / "data" / "away").rename(folder / "data" / "mailbox")
    assert until(lambda: cards(local) == 2)
    assert until(lambda: not last_look(local).get("failure"))
    assert cards(local) == 2
    assert local.log.read_text().count("look_failed") == 1
