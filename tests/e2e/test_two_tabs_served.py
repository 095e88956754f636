"""Two people accept one card on the served graph, by every two surfaces: what is found out meanwhile is read before anything is sent."""

import mailbox
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.conftest import Served, Thread
from tests.e2e.test_answers import ACCEPT, reply
from tests.e2e.test_page_races import bodies
from tests.support.page_client import PageClient

pytestmark = pytest.mark.xdist_group("served")

Accept = Callable[[], object]
DELETED = "The draft was deleted in the mailbox."


def by_page(served: Served, thread: Thread) -> Accept:
    """A tab of the page with the card as it is now."""
    page = PageClient(served.server.url)
    seen = page.card(thread.thread_id)
    return lambda: page.answer(seen | {"type": "accept"})


def by_inbox(served: Served, thread: Thread) -> Accept:
    """A tab of Agent Inbox with it."""
    echo = thread.echo()
    return lambda: thread.answer([{"type": "accept", "args": echo}])


def by_http(served: Served, thread: Thread) -> Accept:
    """A script that names no card."""
    return lambda: thread.answer(ACCEPT)


WAYS = {
    "HTTP, Agent Inbox": (by_http, by_inbox, False),
    "two of Agent Inbox at one moment": (by_inbox, by_inbox, True),
    "page and HTTP at one moment": (by_page, by_http, True),
}


def without_draft(served: Served) -> Thread:
    """A card whose draft somebody has deleted in the mailbox since."""
    thread = served.begin(reply("As drafted."))
    drafts = mailbox.Maildir(served.folder / "data" / "mailbox", create=False).get_folder("Drafts")
    for key, draft in drafts.items():
        if str(draft["In-Reply-To"]).strip() == thread.header:
            drafts.remove(key)
    return thread


def read_and_accept(served: Served, thread: Thread) -> None:
    """The card says why it is asked again; whoever accepts that, sends it, once."""
    assert bodies(served, thread) == [], "sent unread"
    assert DELETED in thread.card["description"].splitlines()[0]
    by_inbox(served, thread)()
    assert len(bodies(served, thread)) == 1
    assert thread.status == "idle"


@pytest.mark.parametrize("way", WAYS)
def test_two_accepts_of_one_asking_send_nothing(served: Served, way: str) -> None:
    """One after the other, and at one moment, on the real server with its queue of runs."""
    one, other, at_once = WAYS[way]
    thread = without_draft(served)
    tabs = [one(served, thread), other(served, thread)]
    if at_once:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda accept: accept(), tabs))
    else:
        for accept in tabs:
            accept()
    read_and_accept(served, thread)
