"""The order desk after its server has forgotten the run: the stock knows what was taken, and the mails say whose it is."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.app.graphs import graph_of
from email_assistant.journal.records import MailStatus
from email_assistant.mail.message import Message
from email_assistant.workflows.order_desk.dependencies import OrderDependencies
from email_assistant.workflows.order_desk.grounding import OrderFactCheck
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.records.tables import OrderState
from email_assistant.workflows.order_desk.shop.order import Wanted
from email_assistant.workflows.order_desk.working import order_ids
from eval.workbench import config_for
from tests.support.desk import Desk, mail, order_desk

ACCEPT = [{"type": "accept", "args": None}]
IGNORE = [{"type": "ignore", "args": None}]
MUG = "KTC-4098"
ORDER = "Hello,\n\nplease send me 2 Enamel mug (KTC-4098).\n\nBest regards,\nAna Petrova"


class DiedError(Exception):
    """The process ends here."""


@pytest.fixture
async def assistant(tmp_path: Path) -> Desk:
    """An order desk with the sample shop's catalogue."""
    return await order_desk(tmp_path)


def forget(assistant: Desk) -> None:
    """The server starts anew and knows no thread."""
    assistant.graph = graph_of(
        assistant.house, "order_desk", checkpointer=InMemorySaver(), store=assistant.store
    )


async def begin(assistant: Desk, body: str = ORDER, **more: Any) -> tuple[Message, dict[str, Any]]:
    """A mail that has come to its card."""
    message = await assistant.receive(mail(body, subject="Mugs", **more))
    card = await assistant.start(message)
    assert card is not None
    return message, card


async def states(assistant: Desk) -> list[OrderState]:
    """Of all orders, the oldest first."""
    return [
        record.state
        for record in reversed(await Orders(assistant.house.database, assistant.house.clock).list())
    ]


async def values(assistant: Desk, message: Message) -> dict[str, Any]:
    """What the thread holds."""
    return dict((await assistant.graph.aget_state(config_for(message))).values)


async def test_a_reply_that_was_sent_sells_although_the_run_died_before(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found among the sent ones; the order must not stay held."""
    message, _ = await begin(assistant)
    with monkeypatch.context() as patch:

        async def dies(*_: object) -> None:
            raise DiedError

        patch.setattr(OrderDependencies, "sent", dies)
        with pytest.raises(DiedError):
            await assistant.answer(message, ACCEPT)
    assert (len(await assistant.sent()), await states(assistant)) == (1, [OrderState.held])
    forget(assistant)
    assert await assistant.start(message) is None
    assert (await values(assistant, message))["outcome"] == "sent"
    assert (len(await assistant.sent()), await states(assistant)) == (1, [OrderState.confirmed])


async def test_an_earlier_order_of_the_conversation_is_found_by_its_mail(assistant: Desk) -> None:
    """The thread that held it is forgotten; the next mail's card tells and decides it all the same."""
    await begin(assistant)
    forget(assistant)
    body = "And please send me 1 Enamel plate (KTC-4110) as well.\n\nBest regards,\nAna Petrova"
    again, card = await begin(
        assistant, body, message_id="<m2@example.com>", reply_to_id="<m1@example.com>", minutes=5
    )
    assert "An earlier order of this conversation" in card["description"]
    assert MUG in card["action_request"]["args"]["body"]
    await assistant.answer(again, IGNORE)
    assert await states(assistant) == [OrderState.released] * 2


async def test_what_was_taken_is_decided_even_when_the_mail_is_read_otherwise(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model may see no order any more; one that was never worked out, as earlier versions could leave it, is named on the card."""
    message = await assistant.receive(mail(ORDER))
    order_id = order_ids(message)[0]
    await Orders(assistant.house.database, assistant.house.clock).take(order_id, [Wanted(MUG, 2)], hold=True)
    patch_rules = "email_assistant.workflows.order_desk.calls.analysis.analysis_of"
    said = {"language": "en", "primary_intent": "product inquiry", "customer_name": "Ana", "segments": []}
    monkeypatch.setattr(patch_rules, lambda *_: said)
    card = await assistant.start(message)
    assert card
    assert f"The reply does not tell order {order_id}" in card["description"]
    await assistant.answer(message, IGNORE)
    assert await states(assistant) == [OrderState.released]


@pytest.mark.parametrize("by_hand", ["release", "confirm"])
async def test_what_was_settled_by_hand_is_no_matter_of_the_next_mail(assistant: Desk, by_hand: str) -> None:
    """A card that tells what was given back could never be accepted."""
    first, _ = await begin(assistant)
    order_id = (await values(assistant, first))["open_orders"][0]
    await getattr(Orders(assistant.house.database, assistant.house.clock), by_hand)(order_id)
    body = "Please send me 1 Enamel plate (KTC-4110).\n\nBest regards,\nAna Petrova"
    again, card = await begin(
        assistant, body, message_id="<m2@example.com>", reply_to_id="<m1@example.com>", minutes=5
    )
    assert MUG not in card["action_request"]["args"]["body"]
    assert "An earlier order" not in card["description"]
    assert await assistant.answer(again, [{"type": "accept", "args": card["action_request"]}]) is None
    assert len(await assistant.sent()) == 1


async def test_a_mail_that_cannot_be_answered_holds_nothing(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no card, so nobody would ever decide: its units are for sale again."""
    monkeypatch.setattr("email_assistant.tools.mail_tools.conversation.reply", lambda *_, **__: _Nobody())
    message = await assistant.receive(mail(ORDER, subject="Mugs"))
    assert await assistant.start(message) is None
    ended = await values(assistant, message)
    assert (ended["outcome"], ended["open_orders"]) == ("not_answered", [])
    assert "nobody to reply to" in ended["error"]
    assert await states(assistant) == [OrderState.released]


class _Nobody:
    to = cc = ()


async def test_a_dead_letter_holds_its_order_until_it_is_replayed_or_settled_by_hand(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What failed three times is given up; its order is on record as held, and the replayed mail's card decides it."""
    message = await assistant.receive(mail(ORDER, subject="Mugs"))

    async def fails(*_: object) -> None:
        raise DiedError

    with monkeypatch.context() as patch:
        patch.setattr(OrderFactCheck, "check", fails)
        for _ in range(3):
            with pytest.raises(DiedError):
                await assistant.start(message)
    (record,) = await assistant.house.mail_log.by_run_thread(config_for(message)["configurable"]["thread_id"])
    assert record.status is MailStatus.dead_letter
    number, since = await Orders(assistant.house.database, assistant.house.clock).held_since()
    assert (number, since) == (
        1,
        (await Orders(assistant.house.database, assistant.house.clock).held())[0].taken_at,
    )
    assert await assistant.resume(message) is not None
    await assistant.answer(message, IGNORE)
    assert await Orders(assistant.house.database, assistant.house.clock).held_since() == (0, None)
