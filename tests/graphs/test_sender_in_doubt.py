"""A message that may not be from whom it seems to be: said on its cards, learned from never, nothing done by itself."""

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from sqlalchemy.exc import OperationalError

from email_assistant.journal.tables import CORRESPONDENTS
from email_assistant.mail.message import Message
from email_assistant.review.action import Risk
from email_assistant.review.card_facts import NOTHING_LEARNED
from email_assistant.tools.mail_tools import SendEmail
from email_assistant.tools.tool import Toolbox
from email_assistant.workflows.email_assistant.graph import assistant_graph
from eval.workbench import config_for
from tests.support.desk import Desk, desk, mail
from tests.support.scripted import Script, calls

FAILED = {"Authentication_Results": "mx.example; dmarc=fail"}
FORGED = "The mail may not come from that address: its check failed (DMARC)."
REPLY = ("send_email", {"body": "Hi Ana,\n\n120 euro.\n\nRobin"})
MEETING = (
    "schedule_meeting",
    {
        "title": "Fitting",
        "attendees": ["ana@example.com"],
        "start": "2026-11-26T10:00",
        "end": "2026-11-26T10:30",
        "timezone": "Europe/Berlin",
        "location": "",
    },
)
DONE: tuple[str, dict[str, Any]] = ("Done", {})
ACCEPT, IGNORE = [{"type": "accept", "args": None}], [{"type": "ignore", "args": None}]
RESPONSE = [{"type": "response", "args": "Always write shorter"}]
PROFILES = ("triage_preferences", "response_preferences", "cal_preferences")


def edit(card: dict[str, Any]) -> list[dict[str, Any]]:
    """The card's text field edited, as Agent Inbox sends it."""
    request = card["action_request"]
    field = "body" if "body" in request["args"] else "location"
    return [
        {
            "type": "edit",
            "args": {"action": request["action"], "args": request["args"] | {field: "Always short."}},
        }
    ]


async def revisions(assistant: Desk) -> list[int]:
    """Up to which revision each profile has come; the first one is what the user set, written when it is first read."""
    return [(await assistant.profile(name)).get("revision", 1) for name in PROFILES]


async def state_of(assistant: Desk, message: Message) -> dict[str, Any]:
    """The state of the message's thread."""
    return dict((await assistant.graph.aget_state(config_for(message))).values)


@pytest.mark.parametrize(
    ("triage", "call", "answer"),
    [
        ("notify", REPLY, IGNORE),
        ("respond", REPLY, RESPONSE),
        ("respond", REPLY, "edit"),
        ("respond", MEETING, "edit"),
    ],
)
@pytest.mark.parametrize("doubted", [True, False])
async def test_nothing_is_learned_in_doubt(
    tmp_path: Path, triage: str, call: Any, answer: Any, doubted: bool
) -> None:
    """Whatever the human answers, no profile changes when the sender is in doubt; otherwise one does."""
    script = Script(triage=triage, turns=[calls(call, DONE), calls(call, DONE, prefix="again")])
    assistant = desk(tmp_path, script)
    message = await assistant.receive(mail(**(FAILED if doubted else {})))
    card = await assistant.start(message)
    assert card is not None
    assert (NOTHING_LEARNED in card["description"]) is doubted
    assert (FORGED in card["description"]) is doubted
    before = await revisions(assistant)
    await assistant.answer(message, edit(card) if answer == "edit" else answer)
    assert (await revisions(assistant) == before) is doubted


class Filing(SendEmail):
    """A tool that policy lets through, standing for one that labels or files."""

    risk: ClassVar[Risk] = Risk.REVERSIBLE


def with_filing(assistant: Desk) -> Desk:
    """The same assistant with the automatic tool."""
    parts = assistant.parts
    parts = replace(parts, toolbox=Toolbox((Filing(parts.sending), *parts.toolbox.tools[1:])))
    graph = assistant_graph(parts).compile(checkpointer=InMemorySaver(), store=assistant.store)
    return replace(assistant, graph=graph)


@pytest.mark.parametrize("doubted", [True, False])
async def test_nothing_is_done_by_itself_in_doubt(tmp_path: Path, doubted: bool) -> None:
    """What is automatic for other senders waits for the human when the sender is in doubt."""
    assistant = with_filing(desk(tmp_path, Script(turns=[calls(REPLY, DONE)])))
    message = await assistant.receive(mail(**(FAILED if doubted else {})))
    card = await assistant.start(message)
    assert (card is not None) is doubted
    assert len(await assistant.sent()) == (not doubted)
    if doubted:
        assert await assistant.answer(message, ACCEPT) is None
        assert len(await assistant.sent()) == 1


async def test_who_was_answered_is_known_from_then_on(tmp_path: Path) -> None:
    """After a reply was sent, the same name from a stranger's address is told; the person's own next mail is not."""
    script = Script(turns=[calls(REPLY, DONE)])
    assistant = desk(tmp_path, script)
    first = await assistant.receive(mail())
    await assistant.start(first)
    assert (await state_of(assistant, first))["sender_warnings"] == []
    await assistant.answer(first, ACCEPT)
    script.triage = "notify"
    forged = await assistant.receive(
        mail(sender='"PETROVA, Ana" <ana.petrova@evil.test>', message_id="<m2@evil.test>", subject="Account")
    )
    card = await assistant.start(forged)
    assert card is not None
    assert "You know this name as `ana@example.com`" in card["description"]
    genuine = await assistant.receive(mail(message_id="<m3@example.com>", subject="Thanks"))
    card = await assistant.start(genuine)
    assert card is not None
    assert "Look closely" not in card["description"]


async def test_a_send_is_sent_though_nobody_can_be_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the record of correspondents is gone, the reply is sent once all the same and the run ends well."""
    assistant = desk(tmp_path, Script(turns=[calls(REPLY, DONE)]))
    message = await assistant.receive(mail())
    await assistant.start(message)
    async with assistant.house.database.begin() as connection:
        await connection.run_sync(CORRESPONDENTS.drop)
    assert await assistant.answer(message, ACCEPT) is None
    assert len(await assistant.sent()) == 1
    assert await assistant.house.mailbox.is_read(message.id)


async def test_a_run_waits_for_the_record(tmp_path: Path) -> None:
    """When the record of correspondents cannot be read, the message is not shown as unsuspicious: the run fails."""
    assistant = desk(tmp_path, Script(triage="notify"))
    message = await assistant.receive(mail(sender="Ana Petrova <ana@evil.test>"))
    async with assistant.house.database.begin() as connection:
        await connection.run_sync(CORRESPONDENTS.drop)
    with pytest.raises(OperationalError):
        await assistant.start(message)
    async with assistant.house.database.begin() as connection:
        await connection.run_sync(CORRESPONDENTS.create)
    assert await assistant.resume(message) is not None
