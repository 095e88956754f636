"""The order desk with the real catalogue, stock, mailbox and database; the offline rules read and write."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.app.graphs import graph_of
from email_assistant.errors import InputError, ProviderError
from email_assistant.mail.message import Message
from email_assistant.models.runner import Models
from email_assistant.workflows.order_desk.reading import route_resolver_result
from email_assistant.workflows.order_desk.records.catalogue import Catalogue
from email_assistant.workflows.order_desk.records.orders import Orders
from email_assistant.workflows.order_desk.records.tables import OrderState
from eval.workbench import config_for
from tests.support.desk import Desk, desk, mail, order_desk
from tests.support.workflows import edited

ACCEPT = [{"type": "accept", "args": None}]
IGNORE = [{"type": "ignore", "args": None}]
MUG, PLATE = "KTC-4098", "KTC-4110"
MIXED = "Hello,\n\nplease send me 2 Enamel mug (KTC-4098).\n\nHow much is the Enamel plate (KTC-4110)?\n\nBest regards,\nAna Petrova"


@pytest.fixture
async def assistant(tmp_path: Path) -> Desk:
    """An order desk with the sample shop's catalogue."""
    return await order_desk(tmp_path)


async def values(assistant: Desk, message: Message) -> dict[str, Any]:
    """What the thread holds."""
    return dict((await assistant.graph.aget_state(config_for(message))).values)


async def stock(assistant: Desk, product_id: str) -> int:
    """Units that can still be taken."""
    product = await Catalogue(assistant.house.database, assistant.house.clock).get(product_id)
    assert product
    return product.stock


async def begin(assistant: Desk, body: str = MIXED, **more: Any) -> tuple[Message, dict[str, Any]]:
    """A mail that has come to its card."""
    message = await assistant.receive(mail(body, subject="Mugs", **more))
    card = await assistant.start(message)
    assert card is not None
    return message, card


async def test_an_order_and_a_question_are_answered_in_one_reply_that_a_person_approves(
    assistant: Desk,
) -> None:
    """Both agents work; what rules cannot answer is a gap; the stock is held for the card, and sold with the reply."""
    before = await stock(assistant, MUG)
    message, card = await begin(assistant)
    state = await values(assistant, message)
    assert state["classifier"]["primary_intent"] == "order request"
    line = state["fulfiller"]["lines"][0]
    assert (line["product_id"], line["quantity"], line["fulfilled"], line["status"]) == (MUG, 2, 2, "created")
    question = f"How much is the Enamel plate ({PLATE})?"
    assert state["advisor"] == {"answers": [], "unanswered": [question]}
    body = card["action_request"]["args"]["body"]
    assert MUG in body
    assert state["fulfiller"]["total"] in body
    assert f"[confirm: answer to “{question}”]" in body
    assert "The stock is held until you decide" in card["description"]
    assert (await stock(assistant, MUG), await assistant.sent()) == (before - 2, [])
    again = await assistant.answer(message, ACCEPT)
    assert again is not None  # A gap never leaves.
    filled = body.replace(f"[confirm: answer to “{question}”]", "12.90 EUR")
    assert await assistant.answer(message, edited(again, body=filled)) is None
    state = await values(assistant, message)
    assert (state["outcome"], state["open_orders"], len(await assistant.sent())) == ("sent", [], 1)
    order = await Orders(assistant.house.database, assistant.house.clock).get(state["fulfiller"]["order_id"])
    assert order
    assert order.state is OrderState.confirmed
    assert await stock(assistant, MUG) == before - 2
    steps = [step["step_name"] for step in state["steps"]]
    assert steps == [
        "analyze_email", "resolve_product_mentions", "process_order", "respond_to_inquiry", "compose_response", "review",
        "human_queue", "dispatch", "human_queue", "dispatch",
    ]  # fmt: skip


async def test_a_mail_that_was_given_back_can_be_dealt_with_again(assistant: Desk) -> None:
    """The units are taken anew; a mail that was sold is not sold twice."""
    before = await stock(assistant, MUG)
    message, _ = await begin(assistant, "Please send me 2 Enamel mug (KTC-4098).\n\nAna")
    await assistant.answer(message, IGNORE)
    assert await assistant.start(message) is not None
    assert await stock(assistant, MUG) == before - 2
    await assistant.answer(message, ACCEPT)
    assert await assistant.start(message) is None or await assistant.answer(message, IGNORE) is None
    assert await stock(assistant, MUG) == before - 2


async def test_of_one_that_is_left_the_second_gets_none_but_is_offered_others(assistant: Desk) -> None:
    """The last jacket is sold to the first; the second is told what else there is."""
    body = "Please send me 1 Northlight down jacket (CSH-1230).\n\nBest regards,\nAna"
    first, _ = await begin(assistant, body)
    second, card = await begin(
        assistant, body, message_id="<m9@example.com>", sender="Ben Ode <ben@example.com>"
    )
    line = (await values(assistant, second))["fulfiller"]["lines"][0]
    assert (line["status"], line["fulfilled"], line["total"]) == ("out of stock", 0, "0.00")
    assert 0 < len(line["alternatives"]) <= 3
    assert all(i in card["action_request"]["args"]["body"] for i in line["alternatives"])
    assert (await values(assistant, first))["fulfiller"]["lines"][0]["fulfilled"] == 1


async def test_an_order_that_was_given_back_by_hand_is_not_told_as_sold(assistant: Desk) -> None:
    """The card comes back and says so; ignoring it gives nothing back twice."""
    before = await stock(assistant, MUG)
    message, _ = await begin(assistant)
    order_id = (await values(assistant, message))["fulfiller"]["order_id"]
    await Orders(assistant.house.database, assistant.house.clock).release(order_id)
    card = await assistant.answer(message, ACCEPT)
    assert card
    assert "was given back meanwhile" in card["description"]
    assert await assistant.sent() == []
    assert await assistant.answer(message, IGNORE) is None
    assert await stock(assistant, MUG) == before


class Failing(Models):
    """Models that fail for one call."""

    broken: str

    async def run(self, call: Any, inputs: Any, *, escalate_below: float | None = None) -> Any:
        """Fails for the one."""
        if call.name == self.broken:
            raise ProviderError("the model is not there")
        return await super().run(call, inputs, escalate_below=escalate_below)


@pytest.mark.parametrize(
    ("call", "agent"), [("analyze_order", "classifier"), ("advise", "advisor"), ("compose_order", "composer")]
)
async def test_an_agent_that_fails_leaves_its_error_and_a_reply_is_written_all_the_same(
    assistant: Desk, call: str, agent: str
) -> None:
    """The card says what failed; what is not known stands as a gap in the reply."""
    house = assistant.house
    failing = Failing(house.models.settings)
    object.__setattr__(failing, "broken", call)
    object.__setattr__(house, "models", failing)
    assistant.graph = graph_of(house, "order_desk", checkpointer=InMemorySaver(), store=assistant.store)
    message, card = await begin(assistant)
    state = await values(assistant, message)
    assert state["errors"] == {agent: "the model is not there"}
    assert f"The {agent} failed: the model is not there" in card["description"]
    body = card["action_request"]["args"]["body"]
    assert body.startswith("Dear Ana")
    assert ("[confirm: what could not be worked out here]" in body) is (agent != "composer")
    assert (MUG in body) is (agent != "classifier")


async def test_a_fulfiller_that_fails_after_it_has_taken_has_taken_nothing(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units leave the stock together with what they come to, or not at all."""
    before = await stock(assistant, MUG)

    async def broken(*_: object) -> None:
        raise ProviderError("the disk is full")

    monkeypatch.setattr(type(Orders(assistant.house.database, assistant.house.clock)), "record", broken)
    message, _ = await begin(assistant)
    state = await values(assistant, message)
    assert state["errors"] == {"fulfiller": "the disk is full"}
    assert (state["open_orders"], await stock(assistant, MUG)) == ([], before)


async def test_without_a_catalogue_the_card_says_how_to_import_one(tmp_path: Path) -> None:
    """Nothing is guessed."""
    made = desk(tmp_path)
    made.graph = graph_of(made.house, "order_desk", checkpointer=InMemorySaver(), store=made.store)
    _, card = await begin(made)
    assert "email-assistant catalog import" in card["description"]


async def test_stock_is_final_at_once_when_the_setting_says_so(tmp_path: Path) -> None:
    """Ignoring the reply gives nothing back then."""
    made = await order_desk(tmp_path, EMAIL_ASSISTANT_ORDER_APPROVAL="false")
    before = await stock(made, MUG)
    message, card = await begin(made)
    assert "The stock is held" not in card["description"]
    await made.answer(message, IGNORE)
    assert await stock(made, MUG) == before - 2


async def test_the_short_form_without_a_sender_is_answered_on_paper(assistant: Desk) -> None:
    """There is nobody to send to: no card, no draft; the order waits to be confirmed."""
    email = {"email_id": "E1", "subject": "Mugs", "message": MIXED}
    config: Any = {"configurable": {"thread_id": "e1"}}
    out = await assistant.graph.ainvoke({"email": email}, config)
    assert (out["outcome"], out["email_id"]) == ("composed", "E1")
    (record,) = await assistant.house.mail_log.by_run_thread("e1")
    assert (record.message_id, record.status, record.outcome) == ("E1", "done", "composed")
    assert MUG in out["final_response"]
    assert not (await assistant.graph.aget_state(config)).interrupts
    with_sender = await assistant.graph.ainvoke(
        {"email": email | {"email_id": "E2", "sender": "ana@example.com"}}, config
    )
    assert with_sender["__interrupt__"]


@pytest.mark.parametrize(
    ("email", "told"),
    [
        ({"email_id": "E1", "subject": "x"}, "email.message is missing"),
        ({"email_id": "E1", "subject": "x", "message": "y", "body": "z"}, "email.body is unknown"),
        (
            {"email_id": "E1", "subject": "x", "message": "y", "sender": "nobody"},
            "from is not an email address",
        ),
    ],
)
async def test_a_wrong_input_is_one_line_that_names_the_field(assistant: Desk, email: Any, told: str) -> None:
    """Nothing is done."""
    with pytest.raises(InputError, match=told) as error:
        await assistant.graph.ainvoke({"email": email}, {"configurable": {"thread_id": "wrong"}})
    assert "\n" not in str(error.value)
    assert await Orders(assistant.house.database, assistant.house.clock).list() == ()


def segments(*kinds: str) -> dict[str, Any]:
    """A reading with these segments."""
    return {"classifier": {"segments": [{"segment_type": kind} for kind in kinds]}}


@pytest.mark.parametrize(
    ("state", "goals"),
    [
        (segments("order"), ["process_order"]),
        (segments("inquiry", "personal_statement"), ["respond_to_inquiry"]),
        (segments("inquiry", "order"), ["process_order", "respond_to_inquiry"]),
        (segments("personal_statement"), ["compose_response"]),
    ],
)
def test_the_routing_table(state: Any, goals: list[str]) -> None:
    """Orders to the fulfiller, questions to the advisor, both side by side."""
    assert route_resolver_result(state) == goals
