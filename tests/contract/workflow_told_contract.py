"""Promises about what is told afterwards: what was done, why mail has no card, and nothing that did not happen."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select

from email_assistant.app.unasked import unasked_today
from email_assistant.ingest.starter import Starter, bring_back
from email_assistant.journal.attention import sender_and_subject, settled_unasked
from email_assistant.journal.records import MailStatus
from email_assistant.journal.tables import TOOL_EXECUTIONS
from eval.workbench import compiled
from tests.support.graph_server import GraphServer
from tests.support.workflows import IGNORE, Bench, respond

MOST_CARDS = 6
IGNORES_NOTHING = ("inbox_organizer",)
EVER = datetime(2000, 1, 1, tzinfo=UTC)
MAILING: dict[str, Any] = {
    "id": "mailing", "from": "Market Letter <letter@market.example>", "subject": "This week", "auth": "pass",
    "headers": {"List-Id": "<letter.market.example>", "List-Unsubscribe": "<mailto:off@market.example>", "Precedence": "bulk"},
    "text": "Ten things that happened on the market this week.",
}  # fmt: skip
QUESTION: dict[str, Any] = {
    "id": "question", "from": "Cleo <cleo@elsewhere.example>", "to": "robin@vale.example, bo@elsewhere.example", "subject": "Oak",
    "auth": "pass", "text": "Hello,\n\nis your table of oak?\n\nCleo",
}  # fmt: skip


class ToldContract:
    """The journal, the commands and the page tell what was, for every graph."""

    async def test_a_letter_that_was_not_sent_counts_as_no_success(self, bench: Bench) -> None:
        """Sent back with words, then ignored."""
        message, _ = await bench.to_reply()
        cards = [await bench.answer(message, respond("Shorter, please."))]
        while cards[-1] is not None and len(cards) < MOST_CARDS:
            cards.append(await bench.answer(message, IGNORE))
        assert await bench.sent() == []
        async with bench.house.database.read() as connection:
            tools = (await connection.execute(select(TOOL_EXECUTIONS.c.name))).scalars().all()
        assert [each for each in tools if "send" in each or "reply" in each] == []

    async def test_mail_that_gets_no_card_has_its_reason(self, bench: Bench) -> None:
        """In the mail's row, where the digest and `status` read it."""
        message, card = await bench.bring(MAILING)
        if card is not None:  # This graph asks about it.
            return
        record = await bench.house.mail_log.get(bench.house.mailbox.name, message.id, bench.workflow.graph)
        assert record is not None
        assert record.status in {MailStatus.ignored, MailStatus.done}
        (told,) = await settled_unasked(bench.house.database, EVER)
        assert told.reason

    async def test_what_was_ignored_is_listed_and_comes_back(self, bench: Bench) -> None:
        """With its reason, what asks all the same on top. Brought back it has a card, and the next like it is shown; it teaches once."""
        house, profiles, is_first = (
            bench.house,
            bench.house.profiles,
            bench.workflow.graph == "email_assistant",
        )
        bench.writer.triages = "ignore" if is_first else ""
        cards = [(await bench.bring(case))[1] for case in (QUESTION, MAILING)]
        ignores = bench.workflow.graph not in IGNORES_NOTHING
        cases = [
            case for case, card in zip((QUESTION, MAILING), cards, strict=True) if card is None and ignores
        ]
        listed = [each for each in await unasked_today(house) if each.outcome == "ignored"]
        assert [sender_and_subject(each.email_input)[1] for each in listed] == [
            case["subject"] for case in cases
        ]
        assert [each.asks for each in listed] == ["asks: Is your table of oak?"] * is_first + [""] * ignores
        assert all(each.reason for each in listed)
        first = bench.graph if is_first else compiled(house, "email_assistant", bench.store)
        server = GraphServer(first)
        for mail, case in zip(listed, cases, strict=True):
            before = await profiles.read("triage_preferences", bench.store)
            thread = await bring_back(Starter(server.client, house.mail_log), mail.key)
            assert server.rows[thread]["status"] == "interrupted"
            assert (await profiles.read("triage_preferences", bench.store)).revision == before.revision + 1
            assert (await bench.bring(case | {"id": f"next {mail.key}", "subject": "Another"}))[1] is not None
            await profiles.write("triage_preferences", before.content, origin="forgotten", store=bench.store)
            given = {"email_input": server.rows[thread]["values"]["email_input"]}
            await first.ainvoke(given, {"configurable": {"thread_id": thread}})
            assert (await profiles.read("triage_preferences", bench.store)).content == before.content
