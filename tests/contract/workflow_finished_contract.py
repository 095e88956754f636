"""Promises about threads that are over: the server deletes them, no card and nothing unfinished goes with them, and conversations go on."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from email_assistant.app import ingesting
from email_assistant.clock import FixedClock
from email_assistant.ingest.look import Look
from email_assistant.ingest.starter import run_thread_id
from email_assistant.journal.records import MailStatus, OutboxStatus
from email_assistant.journal.tables import MAIL, OUTBOX
from email_assistant.mail.message import Message
from eval.mails import received
from tests.support.graph_server import GraphServer
from tests.support.workflows import IGNORE, SENDS, Bench, echoed

SAID = "please do not forget what I wrote before"


class FinishedContract:
    """The server deletes what is over."""

    @pytest.mark.parametrize("answer", ["accept", "ignore"])
    async def test_a_thread_that_is_over_is_deleted_and_the_next_mail_of_its_conversation_gets_a_card(
        self, bench: Bench, answer: str
    ) -> None:
        """It knows the conversation from the mailbox, and its card is sent once like the first one."""
        message, server = await _answered(bench, answer)
        before = await bench.sent()
        assert await _sweep(bench, server) == 1
        assert (server.rows, await bench.values(message)) == ({}, {})
        later = await _later(bench, server, message)
        card = await bench.up_to_reply(later, await bench.card(later))
        assert any(SAID in prompt for prompt in bench.writer.prompts)
        state = await bench.values(later)
        assert state["email_input"]["thread"][0]["id"] == message.id
        await bench.answer(later, echoed(card))
        assert len(await bench.sent()) == len(before) + 1
        assert await bench.drafts() == []
        await server.show(_thread(later))
        assert await _sweep(bench, server) == 1

    async def test_a_thread_whose_card_waits_is_never_deleted(self, bench: Bench) -> None:
        """Nor when what the list shows, or what the journal says, is behind the other."""
        message, card = await bench.to_reply()
        server = await _shown(bench, message)
        assert await _sweep(bench, server) == 0
        server.rows[_thread(message)] |= {"status": "idle", "interrupts": {}}
        assert await _sweep(bench, server) == 0
        await server.show(_thread(message))
        await _set(bench, MAIL, status=MailStatus.done)
        assert await _sweep(bench, server) == 0
        server.rows[_thread(message)] |= {"status": "idle", "interrupts": {}}
        assert await _sweep(bench, server) == 0
        assert await bench.card(message) == card

    async def test_a_thread_is_kept_while_something_of_it_is_unfinished_or_to_come(
        self, bench: Bench
    ) -> None:
        """An effect whose end nobody saw, a run that is to be tried again, a schedule, a run that has begun meanwhile."""
        message, server = await _answered(bench, "accept")
        await _set(bench, OUTBOX, status=OutboxStatus.started)
        assert await _sweep(bench, server) == 0
        await _set(bench, OUTBOX, status=OutboxStatus.done)
        await _set(bench, MAIL, status=MailStatus.needs_review)
        assert await _sweep(bench, server) == 0
        await _set(bench, MAIL, status=MailStatus.done)
        server.crons.append({"cron_id": "c", "thread_id": _thread(message)})
        assert await _sweep(bench, server) == 0
        server.crons.clear()
        server.rows[_thread(message)]["status"] = "busy"
        assert await _sweep(bench, server) == 0
        server.rows[_thread(message)]["status"] = "idle"
        assert await _sweep(bench, server, later=timedelta(minutes=5)) == 0
        assert await _sweep(bench, server) == 1

    async def test_a_mail_that_is_taken_up_once_more_after_its_thread_is_deleted_gets_its_card_again(
        self, bench: Bench
    ) -> None:
        """`ingest --rerun` asks for it; nothing is sent by itself."""
        message, server = await _answered(bench, "ignore")
        await _sweep(bench, server)
        await _look(bench, server, rerun=True)
        card = await bench.up_to_reply(message, await bench.card(message))
        assert await bench.sent() == []
        await bench.answer(message, echoed(card))
        assert len(await bench.sent()) == 1


async def _answered(bench: Bench, answer: str) -> tuple[Message, GraphServer]:
    """A mail whose reply was accepted or ignored, and nothing more to ask."""
    message, card = await bench.to_reply()
    next_card = await bench.answer(message, echoed(card) if answer == "accept" else IGNORE)
    while next_card is not None:
        assert not next_card["action_request"]["action"].startswith(SENDS)
        next_card = await bench.answer(message, IGNORE)
    return message, await _shown(bench, message)


async def _shown(bench: Bench, message: Message) -> GraphServer:
    server = GraphServer(bench.graph)
    await server.show(_thread(message))
    return server


async def _sweep(bench: Bench, server: GraphServer, later: timedelta = timedelta(days=2)) -> int:
    found = ingesting.finished_threads(bench.house, server.client, set())
    return await replace(found, clock=FixedClock(datetime.now(UTC) + later)).delete()


async def _later(bench: Bench, server: GraphServer, first: Message) -> Message:
    """The correspondent writes once more, and the mailbox is looked into."""
    case = dict(bench.workflow.case)
    again = case | {"id": "two", "text": f"{case['text']}\n\nAnd {SAID}."}
    again |= {"date": (datetime.now(UTC) + timedelta(minutes=1)).isoformat()}
    reply = {"headers": {"In-Reply-To": first.message_id, "References": first.message_id}}
    found = (await received(bench.house, again | reply)).current
    assert found.mail_thread_id == first.mail_thread_id
    await _look(bench, server)
    return found


async def _look(bench: Bench, server: GraphServer, *, rerun: bool = False) -> None:
    ingestion = ingesting.ingestion(bench.house, server.client, bench.workflow.graph)
    tally = await ingestion.run(Look(include_read=True, rerun=rerun))
    assert tally.taken_up == 1


async def _set(bench: Bench, table: Any, **values: Any) -> None:
    async with bench.house.database.begin() as connection:
        await connection.execute(update(table).values(**values))


def _thread(message: Message) -> str:
    return run_thread_id(message.mail_thread_id)
