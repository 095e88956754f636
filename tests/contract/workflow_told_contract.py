"""Promises about what is told afterwards: what was done, why mail has no card, and nothing that did not happen."""

from datetime import UTC, datetime

from sqlalchemy import select

from email_assistant.journal.attention import settled_unasked
from email_assistant.journal.records import MailStatus
from email_assistant.journal.tables import TOOL_EXECUTIONS
from tests.support.workflows import IGNORE, Bench, respond

MOST_CARDS = 6
EVER = datetime(2000, 1, 1, tzinfo=UTC)
MAILING = {
    "id": "mailing", "from": "Market Letter <letter@market.example>", "subject": "This week", "auth": "pass",
    "headers": {"List-Id": "<letter.market.example>", "List-Unsubscribe": "<mailto:off@market.example>", "Precedence": "bulk"},
    "text": "Ten things that happened on the market this week.",
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
