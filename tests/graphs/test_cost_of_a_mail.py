"""What a mail costs the journal: transactions, statements, waits for another thread, checkpoints. No bound is above what it takes."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from email_assistant.journal import database
from email_assistant.memory import profiles
from email_assistant.memory.profiles import PROFILES
from email_assistant.models.client import Request
from eval.accepting import accepting
from tests.support.counting import Cost, counting
from tests.support.desk import Desk, desk, mail, organizer, pipeline
from tests.support.scripted import Script, ScriptedModels, calls

ACCEPT, IGNORE = [{"type": "accept", "args": None}], [{"type": "ignore", "args": None}]
REPLY = calls(("send_email", {"body": "It is 120 euro."}), ("Done", {}))


@pytest.fixture(autouse=True)
def long_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine a mail takes longer than the second after which a trace is written by itself, and profiles are read again."""
    monkeypatch.setattr(database, "FLUSH_SECONDS", 3_600.0)
    monkeypatch.setattr(profiles, "RECENT_SECONDS", 3_600.0)


class RecordedModels(ScriptedModels):
    """Scripted, and each call is on record like a real one's."""

    async def run(self, call: Any, inputs: Any, *, escalate_below: float | None = None) -> Any:
        """The scripted verdict."""
        answer = await super().run(call, inputs)
        await self._ruled(Request(call.name, call.tier, [], lambda model: model), "", time.perf_counter())
        return answer

    async def turn(self, call: Any, inputs: Any, messages: Sequence[BaseMessage], tools: Any) -> AIMessage:
        """The next scripted turn."""
        answer = await super().turn(call, inputs, messages, tools)
        await self._ruled(Request(call.name, call.tier, [], lambda model: model), "", time.perf_counter())
        return answer


async def _warmed(folder: Path, script: Script) -> Desk:
    """A desk whose tables, profiles and connections are there, as they are for every mail but a server's first."""
    made = desk(folder)
    vars(made.house)["models"] = RecordedModels(script)
    made.graph = made.house.graph("email_assistant", checkpointer=made.graph.checkpointer, store=made.store)
    wanted, script.triage = script.triage, "ignore"
    await made.start(await made.receive(mail(message_id="<first@example.com>", subject="Another matter")))
    script.triage = wanted
    for name in PROFILES:
        await made.parts.profiles.read(name, made.store)
    made.parts.profiles._seen.forget()  # The mail reads them once.
    return made


async def _cost(folder: Path, script: Script, *answers: object) -> Cost:
    """Of one mail, from its arrival to its end."""
    made = await _warmed(folder, script)
    message = await made.receive(mail())
    with counting() as cost:
        card = await made.start(message)
        for answer in answers:
            assert card is not None
            card = await made.answer(message, answer)
    assert card is None
    return cost


async def test_a_reply(tmp_path: Path) -> None:
    """Sorted, drafted, asked about, sent."""
    cost = await _cost(tmp_path, Script(turns=[REPLY]), ACCEPT)
    assert not cost.within(writes=8, reads=6, statements=52, hops=14, checkpoints=10)


BOTH = "Hi Robin, could we meet on 24 November 2026 at 15:00 for half an hour? I would like 2 of the oak shelf. Ana"


async def _of_cards(made: Desk, number_of_cards: int) -> Cost:
    """Of the second mail, whose cards are accepted as far as they can be."""
    for number in range(2):
        message, cards = (
            await made.receive(mail(BOTH, message_id=f"<{number}@x.example>", subject=f"{number}")),
            0,
        )
        with counting() as cost:
            card = await made.start(message)
            while card is not None:
                cards += 1
                card = await made.answer(
                    message, [accepting(card)] if card["config"]["allow_accept"] else IGNORE
                )
        assert cards == number_of_cards
    return cost


async def test_the_organizer(tmp_path: Path) -> None:
    """A category, then an event."""
    cost = await _of_cards(organizer(tmp_path), 2)
    assert not cost.within(writes=11, reads=8, statements=83, hops=19, checkpoints=18)


async def test_the_reply_pipeline(tmp_path: Path) -> None:
    """A reply, its gap filled."""
    cost = await _of_cards(pipeline(tmp_path), 1)
    assert not cost.within(writes=10, reads=11, statements=147, hops=21, checkpoints=13)
