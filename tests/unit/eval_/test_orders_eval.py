"""The sample mails of the shop, read as a perfect model would: a wrong sum is seen."""

from decimal import Decimal
from typing import Any

import pytest

from email_assistant.workflows.order_desk.shop import order
from eval.orders.measure import score
from eval.orders.running import Case, cases, run_all


async def wrong(all_: list[Case]) -> dict[str, set[str]]:
    """Mail → the fields that are not right; mails that are right in all are left out."""
    states = await run_all("scripted", all_)
    fields = {case.mail["email_id"]: score(case, states[case.mail["email_id"]]) for case in all_}
    bad = {name: {field for field, right in each.items() if not right} for name, each in fields.items()}
    return {name: each for name, each in bad.items() if each}


async def test_a_wrong_sum_in_the_code_makes_the_score_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cent too much in what the code adds up."""
    right = order.settle_order

    def settled(*args: Any) -> Any:
        order = right(*args)
        return type(order)(order.status, order.lines, order.total + Decimal("0.01"))

    monkeypatch.setattr("email_assistant.workflows.order_desk.working.settle_order", settled)
    assert await wrong(cases()[:3]) == {case.mail["email_id"]: {"total"} for case in cases()[:3]}
