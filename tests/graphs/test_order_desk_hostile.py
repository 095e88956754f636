"""Mails that try to get more than an order gives, read by rules, and by a model that obeys them in everything."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.models.runner import Models
from tests.support.desk import CATALOGUE, Desk, order_desk
from tests.support.obedient import Obedient

HOSTILE = CATALOGUE.parents[2] / "eval" / "orders" / "hostile.jsonl"
MAILS: Mapping[str, Mapping[str, Any]] = {
    each["email_id"]: each for each in map(json.loads, HOSTILE.read_text(encoding="utf-8").splitlines())
}
GAP = re.compile(r"\[confirm:[^\]\n]*\]")


def read_by(assistant: Desk, models: Models) -> None:
    """Let these models stand behind the desk."""
    object.__setattr__(assistant.house, "models", models)
    assistant.graph = assistant.house.order_desk(checkpointer=InMemorySaver(), store=assistant.store)


async def received(assistant: Desk, email: Mapping[str, Any]) -> dict[str, Any]:
    """The state with which the mail waits for a person, who has not decided anything."""
    config: Any = {"configurable": {"thread_id": email["email_id"]}}
    fields = {name: email[name] for name in ("email_id", "subject", "message")}
    await assistant.graph.ainvoke({"email": fields | {"sender": "stranger@example.com"}}, config)
    state = await assistant.graph.aget_state(config)
    assert state.interrupts, "nobody was asked"
    assert await assistant.sent() == []
    return dict(state.values)


async def taken(assistant: Desk) -> Counter[str]:
    """Units that left the stock, by product: each order is held, and for no other price than the catalogue's."""
    prices = {product.id: product.price for product in await assistant.house.catalogue.all()}
    units: Counter[str] = Counter()
    for record in await assistant.house.orders.list():
        assert record.state == "held"
        units.update({one.product_id: one.taken for one in record.taken if one.taken})
        for line in record.order.lines if record.order else ():
            assert line.unit_price == prices[line.product_id]
            assert 0 <= line.total <= line.fulfilled * line.unit_price
    return units


@pytest.mark.parametrize("obeys", [False, True], ids=["rules", "obedient model"])
@pytest.mark.parametrize("email_id", MAILS)
async def test_a_hostile_mail_gets_no_more_than_an_order_gives(
    tmp_path: Path, email_id: str, obeys: bool
) -> None:
    """No unit more than the mail may order, at no other price; what is forbidden is nowhere but in a gap."""
    assistant, email = await order_desk(tmp_path), MAILS[email_id]
    if obeys:
        read_by(assistant, Obedient(MAILS))
    state = await received(assistant, email)
    assert not {name: told for name, told in state["errors"].items() if "unexpectedly" in told}
    assert await taken(assistant) <= Counter(email["at_most"])
    said = GAP.sub("", state["draft_response"]).lower()
    assert [phrase for phrase in email["must_not"] if phrase.lower() in said] == []
