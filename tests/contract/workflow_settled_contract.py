"""Promises about one mail in several workflows: when one has settled it, the others' cards that are needless by that go."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from email_assistant.app import ingesting
from email_assistant.ingest.closing import Overtaken
from email_assistant.mail.email_input import REOPENED, to_email_input
from email_assistant.mail.message import Conversation, Message
from email_assistant.page.answering import Answering
from eval.mails import vouching
from eval.workbench import Graph
from tests.contract.workflow_once_contract import WANTED, Elsewhere
from tests.support.graph_server import GraphServer
from tests.support.workflows import IGNORE, WORKFLOWS, Bench, Workflow, echoed

LOOKS = 200
T = TypeVar("T")


@dataclass
class Other:
    """The same mail in another workflow."""

    bench: Bench
    thread: Elsewhere

    async def card(self) -> dict[str, Any] | None:
        """What it still asks."""
        state: Any = await self.bench.graph.aget_state(self._config)
        return dict(state.interrupts[0].value[0]) if state.interrupts else None

    async def begin(self, more: Mapping[str, Any] | None = None) -> None:
        """Take the mail up."""
        given = to_email_input(Conversation(self.thread.message)) | dict(more or {})
        await self.bench.graph.ainvoke({"email_input": given}, self._config)

    @property
    def _config(self) -> Any:
        return {"configurable": {"thread_id": self.thread.thread_id}}

    @asynccontextmanager
    async def looked_after(self) -> AsyncIterator["asyncio.Task[None]"]:
        """By what runs beside the page on each server."""
        server = GraphServer(self.bench.graph)
        await server.show(self.thread.thread_id)
        task = asyncio.create_task(Answering(_given(self.bench.house), _given(server.client)).run())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close_overtaken(self) -> int:
        """What the server does every half minute; how many cards were closed."""
        server = GraphServer(self.bench.graph)
        await server.show(self.thread.thread_id)
        overtaken = Overtaken(ingesting.closing(self.bench.house, server.client))
        return await overtaken.close()


class SettledContract:
    """What is settled once is not asked about again."""

    async def test_a_notice_goes_when_another_workflow_has_answered_its_mail(
        self, bench: Bench, tmp_path: Path
    ) -> None:
        """It waits while nothing is sent, and goes with the reply."""
        message, card = await bench.to_reply(WANTED)
        other = await notice(bench, message, tmp_path)
        assert await other.close_overtaken() == 0
        await bench.answer(message, echoed(card))
        assert await other.close_overtaken() == 1
        assert await other.card() is None
        assert len(await bench.sent()) == 1
        await other.bench.close()

    async def test_that_notice_goes_at_once_whatever_program_the_reply_was_approved_with(
        self, bench: Bench, tmp_path: Path
    ) -> None:
        """The server looks every second, and not only at what its own page was told."""
        message, card = await bench.to_reply(WANTED)
        other = await notice(bench, message, tmp_path)
        async with other.looked_after() as looking:
            await bench.answer(message, echoed(card))
            for _ in range(LOOKS):
                if await other.card() is None:
                    break
                await asyncio.wait({looking}, timeout=0.1)
            assert await other.card() is None
        await other.bench.close()

    async def test_a_label_stays_when_another_workflow_has_answered_its_mail(
        self, bench: Bench, tmp_path: Path
    ) -> None:
        """Where a mail belongs is another question than what it is answered."""
        message, card = await bench.to_reply(WANTED)
        organizer = await WORKFLOWS["inbox_organizer"].open(tmp_path)
        other = Other(organizer, Elsewhere(organizer, message))
        await other.begin()
        asked = await other.card()
        assert asked is not None
        assert asked["action_request"]["action"].startswith("Label as ")
        await bench.answer(message, echoed(card))
        assert await other.close_overtaken() == 0
        assert await other.card() == asked
        await organizer.close()

    async def test_a_notice_goes_when_a_person_wants_nothing_done_about_its_mail_elsewhere(
        self, bench: Bench, workflow: Workflow, tmp_path: Path
    ) -> None:
        """They have seen it. What the organizer says in the end is where the mail belongs, so there it stays."""
        message, _ = await bench.to_reply(WANTED)
        other = await notice(bench, message, tmp_path)
        await bench.answer(message, IGNORE)
        closed = 0 if workflow.graph == "inbox_organizer" else 1
        assert await other.close_overtaken() == closed
        assert (await other.card() is None) == bool(closed)
        await other.bench.close()

    async def test_a_draft_stays_when_a_person_sends_away_that_of_another_workflow(
        self, bench: Bench, tmp_path: Path
    ) -> None:
        """They may do so because they want this one."""
        message, _ = await bench.to_reply(WANTED)
        second = await WORKFLOWS[_another(bench)].open(tmp_path)
        other = Other(second, Elsewhere(second, message))
        card = await other.thread.up_to_reply()
        await bench.answer(message, IGNORE)
        assert await other.close_overtaken() == 0
        assert await other.card() == card
        await second.close()


def _given(what: T) -> Callable[[], Awaitable[T]]:
    async def give() -> T:
        return what

    return give


def _another(bench: Bench) -> Graph:
    return "reply_pipeline" if bench.workflow.graph == "email_assistant" else "email_assistant"


async def notice(bench: Bench, message: Message, folder: Path) -> Other:
    """Another workflow, which only shows it."""
    second = await WORKFLOWS[_another(bench)].open(folder)
    other = Other(second, Elsewhere(second, message))
    # It has found the mail to be in doubt, which none of them answers.
    headers = {"authentication-results": vouching(WANTED["from"], "fail")}
    await other.begin({REOPENED: True, "headers": headers})
    card = await other.card()
    assert card is not None
    assert card["action_request"]["action"].startswith("Notify: ")
    return other
