"""Data of version 0.1.0 goes on with today's code: nothing is lost, and its cards are answered (tests/released/README.md)."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from langgraph.types import Command
from sqlalchemy import Engine, MetaData, create_engine

from email_assistant.checkpoints.savers import sqlite_saver
from email_assistant.journal.database import Database
from email_assistant.journal.held_answers import AnswerState, HeldAnswers
from email_assistant.journal.migrate import newest_revision
from email_assistant.journal.sql import VERSION_TABLE
from email_assistant.memory.profiles import PROFILES
from email_assistant.review.card_view import CardView
from tests.support.desk import Desk, desk
from tests.support.released import AT, CARDS, INVITATION, MARA, NOTICE, REPLY, journal_sql, released_data

pytestmark = pytest.mark.usefixtures("real_migrations")


@dataclass
class Opened:
    """The data folder, open."""

    desk: Desk
    graph: Any

    async def cards(self, thread: str) -> list[dict[str, Any]]:
        """The card that waits on the run thread, if one does."""
        state = await self.graph.aget_state(_config(thread))
        return [each.value[0] for each in state.interrupts]

    async def answer(self, thread: str, kind: str, args: object = None) -> list[dict[str, Any]]:
        """Answer the card; the next one, if there is one."""
        await self.graph.ainvoke(Command(resume=[{"type": kind, "args": args}]), _config(thread))
        return await self.cards(thread)


def _config(thread: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread}}


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """The data of 0.1.0 in a folder of the test's own."""
    released_data(tmp_path / "data")
    made = desk(tmp_path, EMAIL_ASSISTANT_NOW=AT)
    async with sqlite_saver(tmp_path / "data") as saver:
        yield Opened(made, made.house.graph("email_assistant", checkpointer=saver, store=made.store))


async def test_every_card_is_there_as_it_was(opened: Opened) -> None:
    """With its title, and with facts that this version draws cards from."""
    for thread, title in CARDS.items():
        (card,) = await opened.cards(thread)
        assert card["action_request"]["action"] == title
        read = CardView.from_json(card["view"]).as_json()
        assert {name: read[name] for name in card["view"]} == card["view"]


async def test_cards_are_answered(opened: Opened) -> None:
    """A reply is edited and sent, an invitation accepted, a notice put aside; none asks again."""
    before = len(await opened.desk.sent())
    (reply,) = await opened.cards(REPLY)
    asked = reply["action_request"]
    edited = {
        "action": asked["action"],
        "args": asked["args"] | {"body": "Bonjour,\n\nje vous appelle.\n\nRobin"},
    }
    assert await opened.answer(REPLY, "edit", edited) == []
    assert await opened.answer(INVITATION, "accept") == []
    assert await opened.answer(NOTICE, "ignore") == []
    sent = [str(mail["To"]) for mail in (await opened.desk.sent())]
    assert len(sent) == before + 2
    for who in ("eloise.marchand@maisonbleue.example", "petra.kunze@cityhall.example"):
        assert sum(who in to for to in sent) == 1, sent


async def test_what_was_learned_is_kept(opened: Opened) -> None:
    """Each profile is at the revision, and in the words, that 0.1.0 left."""
    profiles = opened.desk.house.profiles
    revisions = [(await profiles.read(name, None)).revision for name in PROFILES]
    assert sorted(revisions) == [2, 3, 4]
    learned = (await profiles.read("response_preferences", None)).content
    assert learned.endswith("Always offer a call instead of a price, and sign as Robin.")


async def test_an_answer_that_was_held_is_known(opened: Opened) -> None:
    """With its words, as those that were given before it."""
    held = HeldAnswers(opened.desk.house.database, opened.desk.house.clock)
    (waiting,) = await held.waiting()
    assert (waiting.run_thread_id, waiting.state) == (MARA, AnswerState.held)
    assert "the shelves are of solid oak" in str(waiting.answer)
    assert [each.state for each in await held.since(waiting.given_at - timedelta(days=1))].count(
        AnswerState.done
    ) == 3


def _filled(url: str, data: Path) -> Engine:
    """A journal of 0.1.0 on that URL; on PostgreSQL its rows in the tables of its revision, in the schema where it had them."""
    here = Database(url).url.replace("+aiosqlite", "")
    engine = create_engine(here.replace("search_path%3Demail_assistant", "search_path%3Dpublic"))
    if engine.dialect.name == "sqlite":
        place = Path(engine.url.database or "")
        place.parent.mkdir()
        with closing(sqlite3.connect(place)) as connection:
            connection.executescript(journal_sql(data))
        return engine
    source, tables = _filled(f"sqlite:///{data / 'source' / 'journal.db'}", data), MetaData()
    config = Config()
    config.set_main_option("script_location", str(files("email_assistant.journal") / "migrations"))
    config.set_main_option("path_separator", "os")
    with engine.begin() as target, source.connect() as connection:
        config.attributes["connection"] = target
        command.upgrade(config, "0017")
        tables.reflect(connection)
        for table in tables.sorted_tables:
            rows = [row._asdict() for row in connection.execute(table.select())]
            if rows and table.name != VERSION_TABLE:
                target.execute(table.insert(), rows)
    source.dispose()
    return engine


def _rows(engine: Engine) -> dict[str, list[Any]]:
    tables = MetaData()
    with engine.connect() as connection:
        tables.reflect(connection)
        return {
            each.name: sorted(map(repr, connection.execute(each.select()))) for each in tables.sorted_tables
        }


async def test_no_row_is_lost(empty_database_url: str, tmp_path: Path) -> None:
    """Every row that 0.1.0 has written stands after the upgrade as it stood before, on SQLite and on PostgreSQL."""
    released, database = _filled(empty_database_url, tmp_path), Database(empty_database_url)
    before = _rows(released)
    released.dispose()
    assert before.pop(VERSION_TABLE) == ["('0017',)"]
    await database.migrate()
    engine = create_engine(database.url.replace("+aiosqlite", ""))
    after = _rows(engine)
    assert after.pop(VERSION_TABLE) == [f"('{newest_revision()}',)"]
    assert {name: after[name] for name in before} == before
    assert sum(map(len, before.values())) > 100
    assert not any(rows for name, rows in after.items() if name not in before)
    engine.dispose()
