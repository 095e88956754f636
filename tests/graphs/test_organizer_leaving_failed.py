"""An approved request to leave a mailing that fails is told: in the journal, in `status`, in the list, and on the next card."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from pytest_httpserver import HTTPServer

from email_assistant.app.graphs import graph_of
from email_assistant.workflows.inbox_organizer.commands import mailing_line
from email_assistant.workflows.inbox_organizer.status import mailing_facts
from email_assistant.workflows.inbox_organizer.unsubscribing.one_click import OneClick
from email_assistant.workflows.inbox_organizer.unsubscribing.requests import BY_HAND, Mailings
from email_assistant.workflows.inbox_organizer.unsubscribing.unsubscribing import Unsubscribing
from tests.support.desk import NOW, Desk
from tests.support.mailings import ACCEPT, IGNORE, is_leaving, leaving_desk, mailings, state_of

NOWHERE = "<https://leave.shop.invalid/news?token=secret>"
REASON = "there is no host leave.shop.invalid"


async def refused(assistant: Desk) -> None:
    """Three mails of a list whose host does not exist; the card is accepted."""

    async def nobody(*_: object) -> list[str]:
        return []

    leaving = replace(Unsubscribing.of(assistant.house), unsubscriber=OneClick(resolve=nobody))
    assistant.graph = graph_of(
        assistant.house,
        "inbox_organizer",
        unsubscribing=leaving,
        checkpointer=assistant.graph.checkpointer,
        store=assistant.store,
    )
    message, card = await mailings(assistant, way=NOWHERE)
    assert is_leaving(card)
    assert await assistant.answer(message, ACCEPT) is None


async def test_a_host_that_does_not_exist_is_told(tmp_path: Path) -> None:
    """It is no success, the list says failed and what to do, and so does `status`."""
    assistant = leaving_desk(tmp_path)
    await refused(assistant)
    runs = [await assistant.house.trace.run(run.run_id) for run in await assistant.house.trace.runs()]
    (tool,) = [tool for run in runs if run for tool in run.tools if tool.name == "unsubscribe"]
    assert (tool.success, tool.error) == (False, f"No list was left. Refused: Weekly news: {REASON}")
    undone = await assistant.house.trace.not_done(tool.tool_call_id.split(":")[0], NOW - timedelta(days=1))
    assert undone == tool.error, "the terminal would say that it was accepted"
    assert await assistant.house.trace.not_done("another", NOW - timedelta(days=1)) == ""
    (mailing,) = await Mailings.of(assistant.house).all()
    assert (mailing.state, mailing.reason, mailing.next) == ("failed", REASON, BY_HAND)
    assert mailing_line(mailing).startswith("failed      Weekly news (")
    assert f"; {REASON}; {BY_HAND}" in mailing_line(mailing)
    facts = await mailing_facts(assistant.house)
    assert (facts["failed"], facts["left"]) == (1, 0)
    assert facts["failures"] == [
        {"name": "Weekly news", "key": mailing.key, "reason": REASON, "next": BY_HAND}
    ]


async def test_the_next_card_says_that_it_has_failed(tmp_path: Path) -> None:
    """With the next mail of the list the user is asked again; kept, nothing is said of the failure any more."""
    assistant = leaving_desk(tmp_path)
    await refused(assistant)
    message, card = await mailings(assistant, way=NOWHERE, numbers=range(3, 4))
    assert is_leaving(card)
    assert card is not None
    assert "Leaving it has failed: there is no host" in card["description"]
    await assistant.answer(message, IGNORE)
    (mailing,) = await Mailings.of(assistant.house).all()
    assert (mailing.state, mailing.reason, mailing.next) == ("kept", "", "")


async def test_what_was_left_is_left(tmp_path: Path, httpserver: HTTPServer) -> None:
    """The list's host took the request."""
    httpserver.expect_request("/leave").respond_with_data("ok")
    assistant = leaving_desk(tmp_path, httpserver)
    message, _ = await mailings(assistant, way=f"<{httpserver.url_for('/leave')}>")
    (waiting,) = await Mailings.of(assistant.house).all()
    assert waiting.state == "card waits"
    await assistant.answer(message, ACCEPT)
    assert await state_of(assistant) == "unsubscribed"
    (mailing,) = await Mailings.of(assistant.house).all()
    assert (mailing.state, mailing.messages, mailing.next) == ("left", 3, "")
