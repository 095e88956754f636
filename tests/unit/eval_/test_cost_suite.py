"""What a mail costs: the graphs are really run, and a graph that asks more often fails the suite."""

import pytest

from eval.cost import suite
from eval.setup import Setup


async def test_a_graph_that_asks_too_often_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here with a bound that the order desk is above."""
    monkeypatch.setattr(suite, "GRAPHS", ("order_desk",))
    assert (await suite.report(Setup(count=2))).failures == []
    monkeypatch.setitem(suite.MOST_CALLS, "order_desk", 1.0)
    (told,) = (await suite.report(Setup(count=2))).failures
    assert told.startswith("order_desk.model-calls is ")
