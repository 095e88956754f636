"""Cards that ask to leave mailings and get lost: cut-off runs find their lists again, and no list waits for ever."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from email_assistant.ingest.closing import RESOLVED
from email_assistant.journal.records import MailStatus
from email_assistant.workflows.inbox_organizer.hub import HubNodes
from email_assistant.workflows.inbox_organizer.records.subscriptions import Subscriptions, SubscriptionState
from email_assistant.workflows.inbox_organizer.services import OrganizerServices
from tests.support.desk import Desk
from tests.support.mailings import IGNORE, is_leaving, leaving_desk, mailings, state_of, subscription

LISTS = "news.shop.example, offers.shop.example"


class Killed(BaseException):
    """The process died here."""


@pytest.fixture
def assistant(tmp_path: Path) -> Desk:
    """An organizer with the offline rules."""
    return leaving_desk(tmp_path)


def way(name: str) -> str:
    """How a list can be left."""
    return f"<https://shop.example/leave/{name}>"


async def two_lists(assistant: Desk) -> None:
    """One mailing of each of two lists is missing until both are due."""
    for name in ("offers", "news"):
        _, card = await mailings(assistant, name, way=way(name), numbers=range(2))
        assert card is None
    subscriptions, mailbox = (
        OrganizerServices.of(assistant.house).unsubscribing.subscriptions,
        assistant.house.mailbox,
    )
    # The user has thought better of it: both lists are due with the next mail.
    message, card = await mailings(assistant, "offers", way=way("offers"), numbers=range(2, 3))
    assert card is not None
    await assistant.answer(message, IGNORE)
    kept, active = SubscriptionState.kept, SubscriptionState.active
    await subscriptions.move(mailbox.name, "offers.shop.example", active, expected=kept)


def forgetful(assistant: Desk) -> Desk:
    """The same assistant on a server that remembers nothing."""
    graph = assistant.house.graph("inbox_organizer", checkpointer=InMemorySaver(), store=assistant.store)
    return replace(assistant, graph=graph)


@pytest.mark.parametrize("moves", [1, 2])
async def test_a_node_that_was_cut_off_shows_the_same_card(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch, moves: int
) -> None:
    """The lists were moved, the process died before the checkpoint: the node runs again and none is missing."""
    await two_lists(assistant)
    recommend, done = Subscriptions.recommend, []

    async def dies_after(*args: Any) -> bool:
        done.append(await recommend(*args))
        if len(done) == moves:
            raise Killed
        return done[-1]

    monkeypatch.setattr(Subscriptions, "recommend", dies_after)
    with pytest.raises(Killed):
        await mailings(assistant, way=way("news"), numbers=range(2, 3))
    monkeypatch.undo()
    assert done == [True] * moves
    (record,) = await assistant.house.mail_log.with_status(MailStatus.needs_review)
    message = await assistant.house.mailbox.fetch(record.message_id)
    card = await assistant.resume(message)
    assert card is not None
    assert (card["action_request"]["action"], card["action_request"]["args"]) == (
        "Unsubscribe from 2 lists",
        {"lists": LISTS},
    )


async def test_a_run_that_the_server_forgot_shows_the_same_card(assistant: Desk) -> None:
    """The whole state is gone though the card was shown: the message is run again, and its card is the same."""
    await two_lists(assistant)
    message, card = await mailings(assistant, way=way("news"), numbers=range(2, 3))
    assert is_leaving(card)
    assert await forgetful(assistant).start(message) == card
    assert (await subscription(assistant)).state == "recommended"


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


async def test_a_newer_mail_of_the_conversation_brings_the_card_itself(assistant: Desk) -> None:
    """The older message's card gives way, and its lists come on the new one."""
    first, card = await mailings(assistant, way=way("news"))
    assert is_leaving(card)
    second, card = await mailings(
        assistant, way=way("news"), numbers=range(3, 4), reply_to_id=first.message_id
    )
    assert second.mail_thread_id == first.mail_thread_id
    assert is_leaving(card)
    assert card is not None
    again = await assistant.answer(second, IGNORE)
    assert again is not None
    assert again["description"].startswith("This card took the place of one that waited")
    assert await assistant.answer(second, IGNORE) is None
    assert await state_of(assistant) == "kept"


async def test_a_card_that_waits_keeps_its_lists(assistant: Desk) -> None:
    """However much mail of the list comes in other conversations, it is asked about once."""
    _, card = await mailings(assistant, way=way("news"))
    assert is_leaving(card)
    _, card = await mailings(assistant, way=way("news"), numbers=range(3, 9))
    assert not is_leaving(card)
