"""Promises about what a crash loses and what a person wants gone: the one comes back, the other does not."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from email_assistant.app import ingesting
from email_assistant.ingest.starter import run_thread_id
from email_assistant.journal.records import MailRecord
from email_assistant.mail.message import Message
from eval.workbench import answering, config_for
from tests.support.graph_server import GraphServer
from tests.support.workflows import ACCEPT, Bench, echoed, respond

WORDS = "Sign with Cheers."


class LostContract:
    """The server loses the state of a thread, or a person ends it without the graph."""

    async def test_a_card_whose_state_is_lost_comes_back_and_can_be_answered_once(self, bench: Bench) -> None:
        """The list still shows the old one; the journal knows the mail."""
        message, server = await _waiting(bench)
        await _lose(bench, message)
        assert await _recover(bench, server) == {"restarted": 1}
        card = await bench.up_to_reply(message, await bench.card(message))
        await bench.answer(message, echoed(card))
        assert len(await bench.sent()) == 1
        await server.show(_thread(message))
        assert set(await _recover(bench, server)) <= {"fine", "closed"}
        assert await bench.card(message) is None

    async def test_words_given_to_a_draft_outlive_its_state(self, bench: Bench) -> None:
        """Twice, because what is lost once may be lost again; whoever writes is told them, and the first card says so."""
        message, card = await bench.to_reply()
        for words in (WORDS, "Mention the oak."):
            await bench.up_to_reply(message, await bench.answer(message, respond(words)))
        server = GraphServer(bench.graph)
        for _ in range(2):
            await server.show(_thread(message))
            await _lose(bench, message)
            bench.writer.prompts.clear()
            assert await _recover(bench, server) == {"restarted": 1}
            first = await bench.card(message)
            assert first is not None
            assert WORDS in first["description"]
            card = await bench.up_to_reply(message, first)
            told = [*bench.writer.prompts, card["description"]]  # The claims desk's letters are rules'.
            assert all(any(words in each for each in told) for words in (WORDS, "Mention the oak."))
        assert await bench.sent() == []
        await bench.answer(message, echoed(card))
        assert len(await bench.sent()) == 1

    async def test_clicks_on_a_card_without_a_state_do_not_make_a_dead_letter(self, bench: Bench) -> None:
        """Each ends in an error, none of them counts against the mail, and the card comes back."""
        message, server = await _waiting(bench)
        await _lose(bench, message)
        for _ in range(4):
            with pytest.raises((TypeError, ValueError)):
                await bench.graph.ainvoke(
                    await answering(bench.graph, config_for(message), ACCEPT), config_for(message)
                )
        server.rows[_thread(message)]["status"] = "error"
        assert (await _record(bench, message)).attempts == 0
        assert await _recover(bench, server) == {"restarted": 1}
        assert await bench.card(message) is not None
        assert await bench.sent() == []

    async def test_a_card_that_the_list_has_behind_its_state_is_shown_anew(self, bench: Bench) -> None:
        """An answer to what is shown would go to another card."""
        message, server = await _waiting(bench)
        server.rows[_thread(message)]["interrupts"]["task"] = [{"id": "of another card", "value": []}]
        assert await _recover(bench, server) == {"resumed": 1}
        state = await server.state(_thread(message))
        assert server.rows[_thread(message)]["interrupts"]["task"] == state["interrupts"]

    async def test_a_card_that_the_list_has_as_done_is_shown_anew(self, bench: Bench) -> None:
        """An engine may write that a thread is idle over what its run has left."""
        message, server = await _waiting(bench)
        server.rows[_thread(message)]["status"] = "idle"
        assert await _recover(bench, server) == {"resumed": 1}
        assert server.rows[_thread(message)]["status"] == "interrupted"
        assert await _recover(bench, server) == {"fine": 1}

    async def test_a_thread_that_the_list_has_forgotten_goes_on_from_its_state(self, bench: Bench) -> None:
        """A run that began anew would do again what was done there."""
        message, server = await _waiting(bench)
        before = await bench.card(message)
        del server.rows[_thread(message)]
        assert await _recover(bench, server) == {"resumed": 1}
        assert await bench.card(message) == before

    async def test_what_was_marked_as_resolved_stays_so_wherever_its_thread_is_from(
        self, bench: Bench
    ) -> None:
        """Studio, the SDK and scripts give a thread no metadata of ours."""
        message, server = await _waiting(bench)
        assert server.rows[_thread(message)]["metadata"] == {}
        await server.client.threads.update_state(_thread(message), None, as_node="__end__")
        assert await _recover(bench, server) == {"closed": 1}
        await _is_over(bench, server, message)

    async def test_a_thread_that_a_person_deleted_does_not_come_back(self, bench: Bench) -> None:
        """Of one that a crash lost the journal has heard no such thing."""
        message, server = await _waiting(bench)
        assert await ingesting.closing(bench.house, server.client).forget(_thread(message)) == 1
        await _lose(bench, message)
        del server.rows[_thread(message)]
        await _is_over(bench, server, message)

    async def test_a_run_that_a_person_cancelled_is_not_started_again(self, bench: Bench) -> None:
        """The server has it on record as interrupted, and its thread has nothing to show."""
        message, server = await _waiting(bench)
        await _lose(bench, message)
        thread = _thread(message)
        await server.show(thread)
        now = datetime.now(UTC).isoformat()
        server.runs.append({"run_id": "r", "thread_id": thread, "status": "interrupted", "created_at": now})
        assert await _recover(bench, server) == {"closed": 1}
        await _is_over(bench, server, message)


async def _waiting(bench: Bench) -> tuple[Message, GraphServer]:
    """A mail whose card waits on a thread that somebody else than we has made."""
    message, _ = await bench.to_reply()
    server = GraphServer(bench.graph)
    await server.show(_thread(message))
    return message, server


async def _lose(bench: Bench, message: Message) -> None:
    await bench.graph.checkpointer.adelete_thread(_thread(message))


async def _recover(bench: Bench, server: GraphServer) -> dict[Any, int]:
    return await ingesting.recovery(bench.house, server.client).recover(
        datetime.now(UTC) + timedelta(hours=1)
    )


async def _record(bench: Bench, message: Message) -> MailRecord:
    (record,) = await bench.house.mail_log.by_run_thread(_thread(message))
    return record


async def _is_over(bench: Bench, server: GraphServer, message: Message) -> None:
    """No card, no draft, nothing sent, and no further look changes that."""
    assert await _recover(bench, server) == {}
    assert (await bench.card(message), await bench.drafts(), await bench.sent()) == (None, [], [])
    assert (await _record(bench, message)).status == "done"


def _thread(message: Message) -> str:
    return run_thread_id(message.mail_thread_id)
