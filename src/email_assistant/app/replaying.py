"""Mail that was given up, tried anew."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import httpx

from email_assistant.app.container import Container
from email_assistant.journal.dead_letters import DeadLetters
from email_assistant.journal.records import DeadLetter, MailRecord
from email_assistant.mail.mailbox import Listed

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient


async def replay_all(
    built: Container, client: "LangGraphClient", found: Sequence[tuple[DeadLetter, MailRecord]]
) -> bool:
    """Give each message fresh attempts and start them; False when no server runs, which does it when it starts.

    Raises `NotFoundError` for one that somebody else has replayed, and what the mailbox raises for one that it cannot give.
    """
    for letter, record in found:
        if (
            record.email_input is None
        ):  # The mailbox could not give it: it is read now, or stays a dead letter.
            await built.mailbox.fetch(record.message_id)
        await DeadLetters(built.database, built.clock).replay(letter.mailbox, letter.message_id, letter.graph)
    try:
        for _, record in found:
            if record.email_input is None:
                listed = Listed(record.message_id, record.mail_thread_id)
                await built.ingestion(client, record.graph, wait=False).take_up(listed)
        await built.recovery(client).recover(built.clock.now() - timedelta(days=1))
    except httpx.HTTPError:
        return False
    return True
