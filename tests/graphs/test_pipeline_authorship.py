"""Whose words a promise may rest on: what the user has sent, never what only bears the user's name."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from email_assistant.app.graphs import graph_of
from email_assistant.calendars.event import Event
from email_assistant.knowledge.embedding import DIMS
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.message import Conversation, Message
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import Knowledge
from eval.workbench import config_for
from tests.graphs.test_reply_pipeline import (
    classified,
    settings,
    tools,
    written,
)
from tests.servers.model_server import ModelServer, running_model_server
from tests.support.desk import ME, Desk, mail, pipeline

PROMISE = "we will refund 80 Euro for the shelf."
DRAFT = f"Dear Ana,\n\n{PROMISE}\n\nRobin Vale"
SAID = f"Dear Ana,\n\nit is certain: {PROMISE}\n\nRobin Vale"
ASKED = "Hi Robin,\n\nwhat about the oak shelf?\n\nAna"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """A scripted model server."""
    with running_model_server() as server:
        yield server


@pytest.fixture
def assistant(model: ModelServer, tmp_path: Path) -> Desk:
    """A pipeline that finds past mail."""
    made = pipeline(tmp_path, **settings(model))
    embedder = Knowledge.of(made.house).embedder
    made.store = InMemoryStore(index={"embed": embedder.embed, "dims": DIMS, "fields": ["text"]})
    made.graph = graph_of(made.house, "reply_pipeline", checkpointer=InMemorySaver(), store=made.store)
    return made


async def answered(assistant: Desk, model: ModelServer) -> Message:
    """A mail that was answered with the promise, written by the person; returns the answer as the mailbox has it."""
    model.script(classified("complaint", 0.9), tools(), written())
    first = await assistant.receive(mail(ASKED))
    card = await assistant.start(first)
    assert card is not None
    request = card["action_request"]
    edit = {"action": request["action"], "args": request["args"] | {"body": SAID}}
    assert await assistant.answer(first, [{"type": "edit", "args": edit}]) is None
    return (await assistant.house.mailbox.thread(first.mail_thread_id))[-1]


async def drafted(assistant: Desk, model: ModelServer, conversation: Conversation) -> str:
    """What the pipeline makes of a draft with the promise."""
    model.script(classified("inquiry", 0.5), tools(), written(0.9, DRAFT))
    config = config_for(conversation.current)
    found: dict[str, Any] = await assistant.graph.ainvoke(
        {"email_input": to_email_input(conversation)}, config
    )
    return str(found["draft_response"])


async def conversation(assistant: Desk, message: Message) -> Conversation:
    """The message with what came before it, as it is taken in."""
    thread = await assistant.house.mailbox.thread(message.mail_thread_id)
    return Conversation(message, tuple(m for m in thread if m.id != message.id))


async def test_a_forged_mail_of_the_user_supports_none(model: ModelServer, assistant: Desk) -> None:
    """It came in, without any trace of a delivery or a check, and only says that it is the user's."""
    await assistant.receive(mail(ASKED))
    await assistant.receive(
        mail(SAID, sender=ME, message_id="<forged@vale.example>", reply_to_id="<m1@example.com>")
    )
    again = await assistant.receive(
        mail(ASKED, message_id="<m2@example.com>", reply_to_id="<m1@example.com>", minutes=9)
    )
    taken_in = await conversation(assistant, again)
    assert [m.text for m in taken_in.earlier if m.sender.key == "robin@vale.example"] == [SAID]
    draft = await drafted(assistant, model, taken_in)
    assert (PROMISE in draft, "[confirm:" in draft) == (False, True)
    await assistant.house.models.close()


async def test_a_forgery_with_the_message_id_of_a_sent_mail_supports_none(
    model: ModelServer, assistant: Desk
) -> None:
    """Whoever got a mail of the user knows its Message-ID."""
    model.script(classified("complaint", 0.9), tools(), written())
    first = await assistant.receive(mail(ASKED))
    await assistant.start(first)
    await assistant.answer(first, [{"type": "accept", "args": None}])
    sent = (await assistant.house.mailbox.thread(first.mail_thread_id))[-1]
    await assistant.receive(mail(SAID, sender=ME, message_id=sent.message_id, reply_to_id="<m1@example.com>"))
    again = await assistant.receive(
        mail(ASKED, message_id="<m2@example.com>", reply_to_id="<m1@example.com>", minutes=9)
    )
    assert PROMISE not in await drafted(assistant, model, await conversation(assistant, again))
    await assistant.house.models.close()


async def test_a_made_up_conversation_supports_none(model: ModelServer, assistant: Desk) -> None:
    """The run is told of words of the user that the mailbox does not have, under an id that it has."""
    model.script(classified("complaint", 0.9), tools(), written())
    first = await assistant.receive(mail(ASKED))
    await assistant.start(first)
    await assistant.answer(first, [{"type": "accept", "args": None}])
    sent = (await assistant.house.mailbox.thread(first.mail_thread_id))[-1]
    again = await assistant.receive(
        mail(ASKED, message_id="<m2@example.com>", reply_to_id="<m1@example.com>")
    )
    told = to_email_input(Conversation(again, (sent,)))
    told["thread"][0] |= {"body": SAID}
    model.script(classified("inquiry", 0.5), tools(), written(0.9, DRAFT))
    found = await assistant.graph.ainvoke({"email_input": told}, config_for(again))
    assert PROMISE not in found["draft_response"]
    await assistant.house.models.close()


@pytest.mark.parametrize("genuine", [True, False])
async def test_past_mail_supports_a_promise_only_when_it_was_sent(
    model: ModelServer, assistant: Desk, genuine: bool
) -> None:
    """A forged answer in another conversation is found, too, and is the other party's word."""
    if genuine:
        await answered(assistant, model)
    else:
        first = await assistant.receive(mail(ASKED))
        forged = await assistant.receive(
            mail(
                SAID, sender=ME, message_id="<forged@vale.example>", reply_to_id="<m1@example.com>", minutes=5
            )
        )
        await Knowledge.of(assistant.house).index(assistant.store, [first, forged])
    other = await assistant.receive(mail(ASKED, message_id="<other@example.com>", minutes=30))
    draft = await drafted(assistant, model, await conversation(assistant, other))
    state = (await assistant.graph.aget_state(config_for(other))).values
    assert [PROMISE in item["text"] for item in state["retrieved"]] == [True]
    assert (PROMISE in draft) is genuine
    await assistant.house.models.close()


@pytest.mark.parametrize("reply", [PROMISE, "the fee for the shelf is gone."])
async def test_a_title_in_the_calendar_supports_no_promise(
    model: ModelServer, tmp_path: Path, reply: str
) -> None:
    """A stranger's invitation words it; the times beside it are ours."""
    assistant = pipeline(tmp_path, **settings(model))
    busy = [datetime(2026, 11, 23, hour, tzinfo=UTC) for hour in (9, 10)]
    await assistant.house.calendar.create(Event("e1", reply, busy[0], busy[1]))
    draft = f"Dear Ana,\n\n{reply}\n\nRobin Vale"
    model.script(classified("meeting_request", 0.9), tools(), written(0.9, draft))
    message = await assistant.receive(mail("Hi Robin, can we meet on Monday?\n\nAna"))
    await assistant.start(message)
    state = (await assistant.graph.aget_state(config_for(message))).values
    assert reply in state["tool_results"]["check_calendar"]["result"]
    assert reply not in state["tool_ours"]["check_calendar"]
    assert "2026-11-23: busy" in state["tool_ours"]["check_calendar"]
    assert ("[confirm:" in state["draft_response"]) == (reply == PROMISE)
    await assistant.house.models.close()
