"""Rows of a development server that was killed, beside checkpoints that are ahead of them."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from langgraph.types import Interrupt

from email_assistant.checkpoints.savers import AskedThreads
from email_assistant.checkpoints.server_rows import Agreement
from email_assistant.clock import FixedClock

THREAD = str(uuid.UUID(int=7))
AT = datetime(2026, 11, 20, 10, 2, tzinfo=UTC)


def card(title: str, text: str = "From Ana.") -> dict[str, Any]:
    """One as a graph asks it."""
    return {"action_request": {"action": title, "args": {}}, "description": text}


@dataclass
class Kept:
    """Checkpoints: what each thread asks (nothing where it has ended), and its state."""

    asks: Mapping[str, str]
    values: Mapping[str, Any] = field(default_factory=dict)
    stopped: frozenset[str] = frozenset()

    async def standing(self) -> AskedThreads:
        """See `Saver`."""
        asked = {t: {"task": [Interrupt(value=[card(title)], id=title)]} for t, title in self.asks.items()}
        return AskedThreads(asked, self.stopped)

    async def aget_tuple(self, config: Any) -> Any:
        """The same state in every thread."""
        values = {**self.values, "branch:to:x": None, "__start__": None}
        return SimpleNamespace(checkpoint={"channel_values": values}, metadata={"graph_id": "order_desk"})


def row(title: str | None, status: str = "interrupted") -> dict[str, Any]:
    """A thread as the server has it."""
    shown = {"task": [{"id": title, "value": [card(title)]}]} if title else {}
    return {
        "thread_id": uuid.UUID(THREAD),
        "status": status,
        "interrupts": shown,
        "values": {},
        "metadata": {},
    }


def run(status: str) -> dict[str, Any]:
    """A run of it."""
    return {"run_id": uuid.UUID(int=1), "thread_id": uuid.UUID(THREAD), "status": status}


async def agreed(
    kept: Kept, threads: list[Any], runs: list[Any] | None = None, *, ended: bool = False
) -> tuple[Mapping[str, str], list[Any]]:
    """The threads that shall go on, and all rows."""

    async def ended_of(ids: Collection[str]) -> Collection[str]:
        return list(ids) if ended else []

    stopped = await Agreement(kept, ended_of, FixedClock(AT)).reach({"threads": threads, "runs": runs or []})
    return stopped, threads


def titles(threads: list[Any]) -> list[str]:
    """The cards that a person would see."""
    of_rows = [asked for r in threads if r["status"] == "interrupted" for asked in r["interrupts"].values()]
    return [i["value"][0]["action_request"]["action"] for asked in of_rows for i in asked]


async def test_a_card_that_was_answered_gives_way_to_the_one_that_waits() -> None:
    """An accept of the first would settle the second."""
    _, threads = await agreed(Kept({THREAD: "Send reply"}, {"outcome": ""}), [row("Schedule meeting")])
    assert (titles(threads), threads[0]["values"]) == (["Send reply"], {"outcome": ""})


async def test_a_card_with_no_state_behind_it_is_not_shown() -> None:
    """Recovery makes it again from the journal, where the mail is not done."""
    stopped, threads = await agreed(Kept({}), [row("Send reply")])
    assert (stopped, threads[0]["status"], threads[0]["interrupts"]) == ({}, "idle", {})


async def test_a_card_whose_thread_the_server_has_forgotten_is_there_again() -> None:
    """With the graph and the mail it is for."""
    _, threads = await agreed(Kept({THREAD: "Send reply"}, {"email_input": {"id": "m1"}}), [])
    assert titles(threads) == ["Send reply"]
    assert threads[0]["metadata"] == {"graph_id": "order_desk", "email_id": "m1"}


async def test_a_run_that_was_over_is_not_done_again() -> None:
    """The journal knows its end; the thread shows what the run has come to."""
    runs = [run("pending")]
    _, threads = await agreed(Kept({THREAD: "Send reply"}), [row(None, "busy")], runs, ended=True)
    assert runs[0]["status"] == "success"
    assert titles(threads) == ["Send reply"]


async def test_a_run_that_was_cut_off_is_left_to_the_server() -> None:
    """Until it is done again its thread is busy, and shows no card."""
    runs = [run("pending")]
    _, threads = await agreed(Kept({THREAD: "Send reply"}), [row("Send reply")], runs)
    assert (runs[0]["status"], threads[0]["status"], titles(threads)) == ("pending", "busy", [])


async def test_a_thread_that_was_cut_off_at_work_on_an_answer_shows_no_card_and_goes_on() -> None:
    """Also one that the server has forgotten; what was approved is under way."""
    for threads in ([row("Send reply")], []):
        stopped, after = await agreed(Kept({}, stopped=frozenset({THREAD})), threads)
        assert (set(stopped), titles(after)) == ({THREAD}, [])
    assert stopped == {THREAD: "order_desk"}
