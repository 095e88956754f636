"""A letter of the user's without an answer: one card with a reminder, which goes out in the letter's conversation once it is accepted."""

from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.importer import bring_in
from email_assistant.kit.response.done_so_far import TASK
from email_assistant.mail.email_input import FOLLOWS_UP, to_email_input
from email_assistant.mail.message import Conversation, Message
from eval.accepting import accepting
from eval.workbench import config_for
from tests.graphs.test_assistant import DONE, respond
from tests.support.desk import ME, Desk, desk, mail
from tests.support.scripted import Script, calls

LETTER = "Hi Ana,\n\ncould you send me the measurements of the shelf by Friday?\n\nBest regards\nRobin"
SEEN = [{"type": "ignore", "args": None}]


async def followed_up(assistant: Desk, raw: bytes) -> tuple[Message, dict[str, Any] | None]:
    """The user's letter in Sent, and the card of a run that follows it up."""
    found = await bring_in(assistant.house.mailbox, raw, assistant.house.user.own)
    letter = await assistant.house.mailbox.fetch(found.id)
    assert letter.sent
    assert letter.date is not None
    given = to_email_input(Conversation(letter)) | {FOLLOWS_UP: letter.date.isoformat()}
    await assistant.graph.ainvoke({"email_input": given}, config_for(letter))
    return letter, await assistant.card(letter)


def letter(body: str = LETTER, to: str = "Ana Petrova <ana@example.com>") -> bytes:
    """The user's letter."""
    raw = mail(body, sender=ME, message_id="<asked@vale.example>", subject="Shelf")
    return raw.replace(f"To: {ME}".encode(), f"To: {to}".encode())


async def test_the_reminder_goes_out_in_the_conversation_once(tmp_path: Path) -> None:
    """By rules: what was asked, and when; headed by who has not answered since when."""
    assistant = desk(tmp_path, None)
    message, card = await followed_up(assistant, letter())
    assert card is not None
    assert card["action_request"]["action"].startswith("Send email to Ana Petrova: ")
    assert (
        card["description"]
        .splitlines()[0]
        .startswith("Ana Petrova has not answered since Thu 19 Nov: Could you")
    )
    assert card["action_request"]["args"] == {
        "to": "Ana Petrova <ana@example.com>",
        "cc": "",
        "subject": "Re: Shelf",
        "body": "Hi Ana,\n\nI am coming back to my message of Thursday 19 November:\n\n"
        "> Could you send me the measurements of the shelf by Friday?\n\nBest regards,\nRobin Vale",
    }
    assert await assistant.answer(message, [accepting(card)]) is None
    (sent,) = [each for each in await assistant.sent() if each["Message-ID"] != "<asked@vale.example>"]
    assert (sent["In-Reply-To"], sent["To"]) == ("<asked@vale.example>", "Ana Petrova <ana@example.com>")
    assert await assistant.drafts() == []


@pytest.mark.parametrize(
    ("body", "to", "begins"),
    [
        ("Liebe Frau Berg,\n\nkönnten Sie mir bitte die Maße schicken?\n\nRobin Vale", "Clara Berg <clara@berg.example>",
         "Guten Tag Clara Berg,\n\nich komme auf meine Nachricht vom Donnerstag, 19. November zurück:\n\n> Könnten Sie mir bitte"),
        (LETTER, "a@example.com, b@example.com", "Hello,\n\nI am coming back to my message of Thursday 19 November:"),
    ],
)  # fmt: skip
async def test_it_is_written_as_the_letter_was(tmp_path: Path, body: str, to: str, begins: str) -> None:
    """In its language and tone; to several by no name."""
    _, card = await followed_up(desk(tmp_path, None), letter(body, to))
    assert card is not None
    assert card["action_request"]["args"]["body"].startswith(begins)


async def test_a_model_is_told_what_it_is_for(tmp_path: Path) -> None:
    """And writes the reminder; words bring a new one; what is not wanted ends it and teaches nothing about the user's own mail."""
    written = ("send_email", {"body": "Hi Ana, any news of the measurements? Robin"})
    shorter = ("send_email", {"body": "Hi Ana, any news? Robin"})
    script = Script(turns=[calls(written, DONE), calls(shorter, DONE, prefix="two")])
    assistant = desk(tmp_path, script)
    message, card = await followed_up(assistant, letter())
    assert card is not None
    assert card["action_request"]["args"]["to"] == "Ana Petrova <ana@example.com>"
    assert str(script.heard[0][0].content).startswith(TASK)
    card = await assistant.answer(message, respond("Shorter."))
    assert card is not None
    assert card["action_request"]["args"]["body"].endswith(shorter[1]["body"])
    assert await assistant.answer(message, SEEN) is None
    assert (await assistant.values(message))["outcome"] == "dismissed"
    (learned,) = await assistant.house.profiles.recent(("triage_preferences",), None)
    assert "robin@vale.example" not in learned.content
    assert await assistant.drafts() == []


async def test_an_answer_takes_the_reminder_away(tmp_path: Path) -> None:
    """Without a card where it needs none."""
    written = ("send_email", {"body": "Hi Ana, any news of the measurements? Robin"})
    assistant = desk(tmp_path, Script(triage="ignore", turns=[calls(written, DONE)]))
    first, card = await followed_up(assistant, letter())
    assert card is not None
    raw = mail(
        "Hi Robin,\n\nit is 80 cm wide.\n\nAna", subject="Re: Shelf", reply_to_id="<asked@vale.example>"
    )
    answer = await assistant.receive(raw)
    assert answer.mail_thread_id == first.mail_thread_id
    assert await assistant.start(answer) is None
    assert await assistant.drafts() == []


async def test_nobody_else_can_have_one_sent(tmp_path: Path) -> None:
    """Of a stranger's mail the field says nothing."""
    assistant = desk(tmp_path, None)
    message = await assistant.receive(
        mail("Hi all,\n\nthe oak shelf came today.\n\nAna", Cc="bo@example.org")
    )
    given = to_email_input(Conversation(message)) | {FOLLOWS_UP: "2026-11-12T09:00:00+00:00"}
    await assistant.graph.ainvoke({"email_input": given}, config_for(message))
    assert (await assistant.values(message))["classification_decision"] != "respond"
    assert await assistant.drafts() == []
