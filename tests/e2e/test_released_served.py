"""A server on the data of version 0.1.0: its cards wait again, and the page answers one (tests/released/README.md)."""

from pathlib import Path

from langgraph_sdk import get_sync_client

from tests.e2e.cli_support import OFFLINE, PERSON
from tests.e2e.test_cut_off_answers import until
from tests.support.dev_server import forked_server
from tests.support.page_client import PageClient
from tests.support.released import CARDS, INVITATION, released_data


def test_a_server_goes_on_with_released_data(tmp_path: Path) -> None:
    """All cards are back, the held answer came too late and is told as dropped, and an invitation is accepted."""
    released_data(tmp_path / "data")
    settings = {
        **OFFLINE,
        **PERSON,
        "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
        "EMAIL_ASSISTANT_NOW": "2026-11-24T07:00:00+00:00",
    }
    with forked_server(tmp_path, settings) as server:
        threads = get_sync_client(url=server.url).threads
        until(lambda: {each["thread_id"] for each in threads.search(status="interrupted")} == {*CARDS})
        page = PageClient(server.url)
        until(lambda: "dropped" in {each["state"] for each in page.listed().values()})
        (answered,) = page.settle(page.card(INVITATION) | {"type": "accept"})
        assert answered["state"] == "done"
        until(lambda: INVITATION not in {each["thread_id"] for each in threads.search(status="interrupted")})
