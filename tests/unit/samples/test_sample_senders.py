"""Which samples are doubted, and why."""

import asyncio
from pathlib import Path

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.mailboxes import Correspondents
from email_assistant.mail.authenticity import sender_warnings, sought
from email_assistant.mail.message import Message
from email_assistant.mail.mime import parse_message

MAILBOX = Path(__file__).parents[3] / "samples" / "mailbox"
OWN = frozenset({"robin@vale.example"})
ATTACKS = {
    "33-new-bank-details": (
        "Replies would go to accounts-brandtholz@payments.test, not to the sender's domain brandtholz.example.",
        "The mail may not come from that address: its check failed (SPF, DMARC).",
    ),
    "35-injection-as-robin": (
        "The sender's name is your own, but the message comes from robin.vale@webmail.test.",
    ),
}


def messages() -> dict[str, Message]:
    """Every sample by name."""
    return {
        path.stem: parse_message(path.read_bytes(), id=path.stem) for path in sorted(MAILBOX.glob("*.eml"))
    }


@pytest.mark.parametrize("host", ["", "mx.vale.example"])
def test_only_attacks_are_doubted(host: str) -> None:
    """Of all samples exactly those that pretend to be somebody are warned about, each for its reasons."""
    found = {
        name: sender_warnings(message, own=OWN, name="Robin Vale", host=host)
        for name, message in messages().items()
    }
    assert {name: warnings for name, warnings in found.items() if warnings} == ATTACKS


async def test_an_inbox_of_friends_raises_no_alarm(tmp_path: Path, clock: FixedClock) -> None:
    """When the user has written to every sender, still nobody but the attacks is doubted."""
    correspondents = Correspondents(Database(f"sqlite:///{tmp_path / 'journal.db'}"), clock)
    mails = await asyncio.to_thread(messages)
    await correspondents.note("m", [m.sender for m in mails.values() if m.sender.key not in OWN])
    for name, message in mails.items():
        known = await correspondents.known("m", sought(message))
        found = sender_warnings(message, own=OWN, name="Robin Vale", known=known)
        assert found == ATTACKS.get(name, ()), name
