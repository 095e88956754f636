"""What a card tells of facts that stand nowhere."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from email_assistant.facts.fact import Source
from email_assistant.kit.reply_workflow import ReplyWorkflow
from email_assistant.mail.address import Address
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation, Message
from email_assistant.tools.draft_check import found_nowhere
from email_assistant.tools.tool import Turn, User

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
MAIL = Message(
    "1", "t", Address("ana@petrova.example", "Ana Petrova"), "Order KTC-4110",
    "Can you come on Thursday, 26 November at 10:00? Or on 3 December? It was 240.00 EUR.",
    date=NOW, quoted="> Our phone is +49 30 901820.", signature="Petrova Interiors",
)  # fmt: skip
USER = User(Address("robin@vale.example", "Robin Vale"), "Europe/Berlin", "I sell oak shelves.")


async def told(text: str, *sources: str) -> tuple[str, ...]:
    """What is told of a draft."""
    known = tuple(Source("what is known", each, "ours") for each in sources)
    return await found_nowhere(
        f"Hi Ana,\n\n{text}\n\nRobin Vale", Turn("t", Conversation(MAIL), USER, "c", sources=known), NOW
    )


@pytest.mark.parametrize(
    "text",
    [
        "Thursday at 10:00 suits me, and I will pay the 240 EUR for KTC-4110.",
        "I have called +49 30 901820 about it, as Petrova Interiors asked.",
        "26/11/2026 is fine.",
    ],
)
async def test_what_stands_somewhere_is_not_told(text: str) -> None:
    """In the mail, its signature, what it quotes; however it is written, and whoever promises."""
    assert await told(text) == ()


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("It comes to 235.17 EUR.", "The amount 235.17 EUR stands nowhere in the mail, nor in anything else that was read."),
        ("It is there on 14 March 2031.", "The date 14 March 2031 stands nowhere"),
        ("It is order KTC-9999.", "The reference KTC-9999 stands nowhere"),
        ("Ask Mr Bonham about it.", "Bonham stands nowhere"),
        ("Let us say Friday, 26 November.", "Look at the date Friday, 26 November: "),
    ],
)  # fmt: skip
async def test_what_stands_nowhere_is_told(text: str, warning: str) -> None:
    """By what it is, with its words, or with what is wrong with it."""
    (found,) = await told(text)
    assert warning in found


async def test_what_the_writer_was_given_is_a_source() -> None:
    """What a tool found, what the person said."""
    assert await told("It comes to 235.17 EUR.", "The shelf is 235.17 EUR.") == ()


def test_a_new_workflow_has_its_texts_checked() -> None:
    """Unless it says that it has checked them; what a person said of them is a source."""
    state = {"email_input": to_email_input(Conversation(MAIL)), "feedback": ["It is 235.17 EUR."]}
    receipts: Any = SimpleNamespace(user=USER, graph="receipts", checks_facts=False)
    turn = ReplyWorkflow.turn(receipts, state, "t")
    assert not turn.is_checked
    assert [source.text for source in turn.sources] == ["It is 235.17 EUR."]
    receipts.checks_facts = True
    assert ReplyWorkflow.turn(receipts, state, "t").is_checked
