"""Labels on a real local mailbox."""

from pathlib import Path

import pytest

from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from email_assistant.workflows.inbox_organizer.labelling import Labelling
from tests.support.desk import mail

CATEGORIES = ("Clients", "Private/Family", "News")


@pytest.fixture
def labelling(tmp_path: Path) -> Labelling:
    """Labels for three categories."""
    return Labelling(MaildirMailbox(tmp_path / "mailbox", SystemClock()), CATEGORIES)


async def received(labelling: Labelling) -> str:
    """The id of a mail in the mailbox."""
    message_id, _ = await deliver(labelling.mailbox, mail())  # type: ignore[arg-type]
    return message_id


async def test_one_category_at_a_time(labelling: Labelling) -> None:
    """The label of another category goes, labels that are no category's stay, and a repeat changes nothing."""
    message_id = await received(labelling)
    own = frozenset({"Agent/Priority/High", "Todo", "agent/NEWS"})
    await labelling.mailbox.change_labels(message_id, add=own)
    for _ in range(2):
        assert await labelling.apply(message_id, "Private/Family") == "Agent/Private/Family"
        assert await labelling.mailbox.labels(message_id) == {
            "Agent/Private/Family", "Agent/Priority/High", "Todo"
        }  # fmt: skip
