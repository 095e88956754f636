"""What a mail costs: the graphs are really run, the floor asks as often, and a graph that asks more often fails the suite."""

from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.journal.database import Database
from eval.bench_floor import table
from eval.bench_growth import measure as grown
from eval.cost import suite
from eval.cost.durable_floor import Disk, DurableFloor
from eval.cost.floor import Asked, Floor
from eval.cost.parts import Parts
from eval.cost.running import measure
from eval.setup import Setup


async def test_a_mail_is_run_to_its_end_and_so_is_the_floor() -> None:
    """Calls and cards in their order, tokens, time and its parts."""
    (cost,) = await measure("email_assistant", most=1)
    assert cost.plan[0].who == "model"
    assert cost.calls >= 1
    assert cost.prompt > 100
    assert min(cost.outside_ms, cost.floor_ms, cost.durable_ms) > 0
    assert cost.parts["journal"] > 0
    assert cost.parts["checkpoints"] > 0
    text = table({"email_assistant": [cost]})
    assert text.splitlines()[2].startswith("| email_assistant | 1 |")


async def test_the_floor_follows_its_plan() -> None:
    """Every model call and every card, no more."""
    floor = Floor([Asked("model", 400, 40), Asked("person"), Asked("model", 4, 4)])
    saver = InMemorySaver()
    assert await floor.run(saver, "t", "mail") > 0
    state = await floor.compiled(saver).aget_state({"configurable": {"thread_id": "t"}})
    assert (state.values["at"], state.next) == (3, ())
    assert [len(str(m.content)) for m in state.values["messages"]] == [4, 400, 40, 4, 4]


async def test_the_durable_floor_does_what_it_counts(tmp_path: Path) -> None:
    """A draft is there while it is asked about, is sent after, and both steps and outbox are on record."""
    disk, config = Disk(tmp_path / "disk"), {"configurable": {"thread_id": "t"}}
    plan = [Asked("model", 4, 4), Asked("model", 4, 4), Asked("person", sends=True), Asked("person")]
    floor = DurableFloor(plan, disk=disk, thread="t")
    await floor.compiled(InMemorySaver()).ainvoke({"messages": [], "at": 0}, config)
    assert [file.name for file in (disk.folder / "drafts").iterdir()] == ["t-2"]

    disk, saver = Disk(tmp_path / "another"), InMemorySaver()
    floor = DurableFloor(plan, disk=disk, thread="t")
    assert await floor.run(saver, "t", "mail") > 0
    state = await floor.compiled(saver).aget_state(config)
    assert (state.values["at"], state.next) == (4, ())
    assert [file.name for file in (disk.folder / "sent").iterdir()] == ["t-2"]
    outbox = disk.journal.execute("SELECT action, status FROM outbox").fetchall()
    assert outbox == [("t-2", "done"), ("t-3", "done")]
    nodes = [node for (node,) in disk.journal.execute("SELECT node FROM step")]
    assert nodes == ["model", "model", *(2 * ["prepare", "person", "perform"])]


async def test_a_graph_that_asks_too_often_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here with a bound that the order desk is above."""
    monkeypatch.setattr(suite, "GRAPHS", ("order_desk",))
    assert (await suite.report(Setup(count=2))).failures == []
    monkeypatch.setitem(suite.MOST_CALLS, "order_desk", 1.0)
    (told,) = (await suite.report(Setup(count=2))).failures
    assert told.startswith("order_desk.model-calls is ")


def test_nothing_is_counted_afterwards() -> None:
    """The classes are as they were."""
    before = Database.begin
    with Parts().watched():
        assert Database.begin is not before
    assert Database.begin is before


async def test_a_past_is_as_long_as_it_is_asked_to_be() -> None:
    """And the mails after it ask as often as without it."""
    found = await grown("inbox_organizer", 64, mails=2)
    assert found.past == 64
    assert all(cost.plan is not None for cost in found.costs)
    assert sum(cost.calls for cost in found.costs) > 0
