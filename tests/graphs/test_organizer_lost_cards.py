"""Cards that ask to leave mailings and get lost: cut-off runs find their lists again, and no list waits for ever."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from email_assistant.app.graphs import graph_of
from email_assistant.ingest.closing import RESOLVED
from email_assistant.journal.records import MailStatus
from email_assistant.workflows.inbox_organizer.hub import HubNodes
from tests.support.desk import Desk
from tests.support.mailings import is_leaving, leaving_desk, mailings


@pytest.fixture
def assistant(tmp_path: Path) -> Desk:
    """An organizer with the offline rules."""
    return leaving_desk(tmp_path)


def way(name: str) -> str:
    """How a list can be left."""
    return f"<https://shop.example/leave/{name}>"


def forgetful(assistant: Desk) -> Desk:
    """The same assistant on a server that remembers nothing."""
    graph = graph_of(assistant.house, "inbox_organizer", checkpointer=InMemorySaver(), store=assistant.store)
    return replace(assistant, graph=graph)


async def test_the_lists_of_a_dead_letter_are_asked_about_again(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the run is tried again no other card has its lists; when it is given up the next mail brings them."""

    async def propose(*_: Any) -> Command[Literal["finish", "interrupt_handler"]]:
        raise RuntimeError("broken")

    mail_log = assistant.house.mail_log
    await mailings(assistant, way=way("news"), numbers=range(2))
    with monkeypatch.context() as patch:
        patch.setattr(HubNodes, "propose", propose)
        broken = forgetful(assistant)
        with pytest.raises(RuntimeError):
            await mailings(broken, way=way("news"), numbers=range(2, 3))
    (record,) = await mail_log.with_status(MailStatus.needs_review)
    _, card = await mailings(assistant, way=way("news"), numbers=range(3, 4))
    assert not is_leaving(card)
    message = await assistant.house.mailbox.fetch(record.message_id)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await broken.resume(message)
    assert [r.message_id for r in await mail_log.with_status(MailStatus.dead_letter)] == [record.message_id]
    _, card = await mailings(assistant, way=way("news"), numbers=range(4, 5))
    assert is_leaving(card)


async def test_the_lists_of_a_closed_card_are_asked_about_again(assistant: Desk) -> None:
    """A thread that a person marked as resolved never runs again."""
    message, card = await mailings(assistant, way=way("news"))
    assert is_leaving(card)
    mail_log, key = assistant.house.mail_log, (assistant.house.mailbox.name, message.id, "inbox_organizer")
    await mail_log.set_status(*key, MailStatus.done, reason=RESOLVED)
    _, card = await mailings(assistant, way=way("news"), numbers=range(3, 4))
    assert is_leaving(card)


async def test_a_card_that_waits_keeps_its_lists(assistant: Desk) -> None:
    """However much mail of the list comes in other conversations, it is asked about once."""
    _, card = await mailings(assistant, way=way("news"))
    assert is_leaving(card)
    _, card = await mailings(assistant, way=way("news"), numbers=range(3, 9))
    assert not is_leaving(card)
