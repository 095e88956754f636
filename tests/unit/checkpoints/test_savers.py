"""The savers beyond what LangGraph's makers test: who waits, what a rolled-back run leaves, and a disk that is full."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from email_assistant.checkpoints.savers import FILE, ServerSaver, aside_notice, open_saver, set_aside


class State(TypedDict, total=False):
    """What is asked, one after another."""

    answers: Annotated[list[str], lambda old, new: [*old, *new]]


def _asking(question: str) -> Any:
    def node(_: State) -> State:
        return {"answers": [interrupt(question)]}

    return node


def graph(saver: Any) -> Any:
    """Two questions."""
    built = StateGraph(State)
    built.add_node("first", _asking("one?"))
    built.add_node("second", _asking("two?"))
    built.add_edge(START, "first")
    built.add_edge("first", "second")
    built.add_edge("second", END)
    return built.compile(checkpointer=saver)


def config(thread: str, run: str = "r") -> dict[str, Any]:
    """As the server gives it."""
    return {"configurable": {"thread_id": thread}, "metadata": {"run_id": run}}


@pytest.fixture
async def saver(database_url: str, tmp_path: Any) -> AsyncIterator[ServerSaver]:
    """In a SQLite file and in PostgreSQL."""
    async with open_saver(database_url, tmp_path) as opened:
        yield opened


async def questions(saver: ServerSaver) -> dict[str, list[str]]:
    """What each thread asks."""
    waiting = (await saver.standing()).waiting
    return {thread: [i.value for asked in tasks.values() for i in asked] for thread, tasks in waiting.items()}


async def test_a_thread_waits_for_its_latest_question_until_it_has_ended(saver: ServerSaver) -> None:
    """Questions that were answered are not among those that wait."""
    built = graph(saver)
    await built.ainvoke({"answers": []}, config("a"))
    await built.ainvoke({"answers": []}, config("b"))
    assert await questions(saver) == {"a": ["one?"], "b": ["one?"]}
    await built.ainvoke(Command(resume="yes"), config("a"))
    assert await questions(saver) == {"a": ["two?"], "b": ["one?"]}
    await built.ainvoke(Command(resume="yes"), config("a"))
    assert await questions(saver) == {"b": ["one?"]}


async def test_a_thread_whose_answer_is_on_disk_waits_no_more(saver: ServerSaver) -> None:
    """A run that was killed right after it took the answer goes on with it."""
    built = graph(saver)
    await built.ainvoke({"answers": []}, config("a"))
    latest = await saver.aget_tuple(config("a"))
    await saver.aput_writes(latest.config, [("__resume__", ["yes"])], "00000000-0000-0000-0000-000000000000")
    assert await questions(saver) == {}
    await built.ainvoke(None, config("a"))
    assert await questions(saver) == {"a": ["two?"]}


async def test_a_run_that_is_rolled_back_leaves_the_thread_as_it_was(saver: ServerSaver) -> None:
    """Its checkpoints go, those of other runs stay."""
    built = graph(saver)
    await built.ainvoke({"answers": []}, config("a", "r1"))
    await built.ainvoke(Command(resume="yes"), config("a", "r2"))
    await saver.adelete_for_runs(["r2"])
    assert set(await questions(saver)) <= {"a"}
    assert [t.metadata["run_id"] async for t in saver.alist(config("a"))] == ["r1", "r1"]


async def test_a_full_disk_keeps_nobody_else_from_writing_once_there_is_room(tmp_path: Any) -> None:
    """What could not be written is taken back, so that the file is not locked."""
    url = f"sqlite+aiosqlite:///{tmp_path}/journal.db"
    async with open_saver(url, tmp_path) as full, open_saver(url, tmp_path) as other:
        assert hasattr(full, "conn")
        async with full.conn.execute("PRAGMA page_count") as cursor:
            (pages,) = await cursor.fetchone()
        await full.conn.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            await graph(full).ainvoke({"answers": ["x" * 100_000]}, config("a"))
        await asyncio.wait_for(graph(other).ainvoke({"answers": []}, config("b")), 10)
        await full.conn.execute("PRAGMA max_page_count = 100000")
        await graph(full).ainvoke({"answers": []}, config("a"))
        assert set(await questions(full)) == {"a", "b"}


async def test_workers_that_start_together_make_the_tables_once(
    fresh_postgres: Callable[[str | None], str],
) -> None:
    """Each of eight has them."""
    url = fresh_postgres(None)

    async def opened() -> object:
        async with open_saver(url, Path()) as saver:
            return (await saver.standing()).waiting

    assert await asyncio.gather(*(opened() for _ in range(8))) == [{}] * 8


@pytest.mark.parametrize("harm", ["damaged", "halved", "no database", "a folder"])
async def test_a_damaged_file_is_set_aside_and_told(tmp_path: Path, harm: str) -> None:
    """Under a name with the time, with its log; an empty one takes its place, and one that is whole stays."""
    async with open_saver("sqlite:///x.db", tmp_path) as saver:
        await graph(saver).ainvoke({}, {"configurable": {"thread_id": "one"}})
    set_aside(tmp_path)
    assert aside_notice(tmp_path) == ""
    file = tmp_path / FILE
    raw = file.read_bytes()
    if harm == "a folder":
        file.unlink()
        file.mkdir()
    else:
        half = len(raw) // 8192 * 4096
        file.write_bytes(
            {"damaged": raw[:4096] + bytes(len(raw) - 4096), "halved": raw[:half]}.get(harm, b"no " * 999)
        )
    set_aside(tmp_path)
    (away,) = tmp_path.glob("checkpoints.damaged-*.db")
    assert not file.exists()
    assert away.name in aside_notice(tmp_path)
    async with open_saver("sqlite:///x.db", tmp_path) as saver:
        assert await saver.aget_tuple({"configurable": {"thread_id": "one"}}) is None
