"""A run that the server repeats brings its answer again; it settles the card it was given for, and no other."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from email_assistant.mail.message import Message
from eval.accepting import accepting
from eval.workbench import config_for
from tests.graphs.test_assistant import ACCEPT, DONE, IGNORE, MEETING, REPLY, begin, respond
from tests.support.desk import Desk, desk, mail
from tests.support.scripted import Script, calls


async def repeat(assistant: Desk, message: Message, run_id: str, answer: object) -> dict[str, Any] | None:
    """Answer in a run of the server's, which may have been there before; returns the card that waits then."""
    configurable = config_for(message)["configurable"] | {"run_id": run_id}
    await assistant.graph.ainvoke(Command(resume=answer), {"configurable": configurable})
    return await assistant.card(message)


def two_cards() -> Script:
    """A meeting, and after it a reply."""
    return Script(turns=[calls(MEETING), calls(REPLY, DONE, prefix="second")])


@pytest.mark.parametrize("answer", [ACCEPT, IGNORE, respond("Shorter, please.")])
async def test_the_next_card_is_not_settled_by_the_last_answer(tmp_path: Path, answer: Any) -> None:
    """Whatever the answer was, the reply still waits, and its first line says why; the next run's answer is taken."""
    assistant, message, card = await begin(tmp_path, two_cards())
    reply = await repeat(assistant, message, "run-1", ACCEPT)
    again = await repeat(assistant, message, "run-1", answer)
    assert reply is not None
    assert again is not None
    assert again["action_request"] == reply["action_request"] != card["action_request"]
    assert "for another card" in again["description"].splitlines()[0]
    assert (await assistant.letters(), len(await assistant.drafts())) == ([], 1)
    assert await repeat(assistant, message, "run-2", [accepting(again)]) is None
    assert len(await assistant.letters()) == 1


async def test_cut_off_in_the_models_turn_the_answer_is_not_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repeated run goes on from the model's turn, and stops at the card that comes of it."""
    assistant, message, _ = await begin(tmp_path, two_cards())
    reached = asyncio.Event()

    async def thinks(*_: Any) -> None:
        reached.set()
        await asyncio.Event().wait()

    with monkeypatch.context() as patch:
        patch.setattr(type(assistant.house.models), "turn", thinks)
        run = asyncio.create_task(repeat(assistant, message, "run-1", ACCEPT))
        await reached.wait()
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
    card = await repeat(assistant, message, "run-1", ACCEPT)
    assert card is not None
    assert card["action_request"]["action"].startswith("Send reply to ")
    assert await assistant.letters() == []


async def test_an_answer_to_a_notification_is_not_an_answer_to_the_draft(tmp_path: Path) -> None:
    """What was said about the message starts the reply, and is no feedback on it."""
    assistant = desk(tmp_path, Script("notify", [calls(REPLY, DONE)]))
    message = await assistant.receive(mail())
    assert await assistant.start(message)
    draft = await repeat(assistant, message, "run-1", respond("Say 120."))
    again = await repeat(assistant, message, "run-1", respond("Say 120."))
    assert draft is not None
    assert again is not None
    assert again["action_request"] == draft["action_request"]
