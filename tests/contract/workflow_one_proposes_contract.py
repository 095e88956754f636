"""Promises about one mail in several workflows: one alone proposes what is done about it, and the organizer sorts it all the same."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from eval.mails import received
from eval.workbench import Graph
from tests.contract.workflow_once_contract import WANTED
from tests.support.crossing import Reader
from tests.support.workflows import SENDS, WORKFLOWS, Bench, Workflow


@asynccontextmanager
async def on_the_same_server(graph: Graph, first: Reader, folder: Path) -> AsyncIterator[Reader]:
    """Another workflow over the same mailbox and database, which sees what waits on the server."""
    bench = await WORKFLOWS[graph].open(folder)
    reader = Reader(bench, graph)
    reader.server.rows.update(first.server.rows)
    yield reader
    await bench.close()


class OneProposesContract:
    """Nobody is asked by two workflows to answer one mail."""

    async def test_a_mail_that_a_workflow_asks_about_is_left_to_it(
        self, bench: Bench, workflow: Workflow, tmp_path: Path
    ) -> None:
        """A look for another one starts nothing, and the journal says whose it is."""
        message = (await received(bench.house, WANTED)).current
        first = Reader(bench, workflow.graph)
        await first.look()
        await first.up_to(SENDS)
        other: Graph = "reply_pipeline" if workflow.graph == "email_assistant" else "email_assistant"
        async with on_the_same_server(other, first, tmp_path) as second:
            waiting = dict(second.server.rows)
            await second.look()
            assert second.server.rows == waiting
            record = await bench.house.mail_log.get(bench.house.mailbox.name, message.id, other)
            assert record is not None
            assert record.reason == f"left to {workflow.graph}, which asks about it"

    async def test_the_organizer_sorts_what_another_workflow_has_and_proposes_nothing(
        self, bench: Bench, workflow: Workflow, tmp_path: Path
    ) -> None:
        """It asks for the label alone; without the other it would go on to a reply."""
        message = (await received(bench.house, WANTED)).current
        first = Reader(bench, workflow.graph)
        await first.look()
        if workflow.graph == "inbox_organizer":
            await first.up_to(SENDS)
            return
        async with on_the_same_server("inbox_organizer", first, tmp_path) as sorting:
            sorting.server.rows.clear()
            await sorting.look()
            for thread, card in (await sorting.read()).items():
                assert card["action_request"]["action"].startswith("Label as ")
                await sorting.answer(thread, card, "accept")
            assert await sorting.read() == {}
            record = await bench.house.mail_log.get(bench.house.mailbox.name, message.id, "inbox_organizer")
            assert record is not None
            assert record.outcome == "labeled"
