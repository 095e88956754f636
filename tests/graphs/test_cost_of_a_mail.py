"""What a mail costs the journal: transactions, statements, waits for another thread, checkpoints. No bound is above what it takes."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from email_assistant.journal import database
from email_assistant.memory.profiles import PROFILES
from email_assistant.models.client import Request
from tests.support.counting import Cost, counting
from tests.support.desk import Desk, desk, mail
from tests.support.scripted import Script, ScriptedModels, calls

ACCEPT, IGNORE = [{"type": "accept", "args": None}], [{"type": "ignore", "args": None}]
REPLY = calls(("send_email", {"body": "It is 120 euro."}), ("Done", {}))
MEETING = calls(
    ("schedule_meeting", {"title": "Shelf", "attendees": ["ana@example.com"], "start": "2026-11-24T15:00", "end": "2026-11-24T15:30"})
)  # fmt: skip
MET = calls(("send_email", {"body": "Until then."}), ("Done", {}), prefix="then")


@pytest.fixture(autouse=True)
def no_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine a mail takes longer than the second after which a trace is written by itself."""
    monkeypatch.setattr(database, "FLUSH_SECONDS", 3_600.0)


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
    assert not cost.within(writes=8, reads=5, statements=55, hops=14, checkpoints=14)


async def test_a_meeting_with_a_reply(tmp_path: Path) -> None:
    """Two cards: the meeting, then the reply."""
    cost = await _cost(tmp_path, Script(turns=[MEETING, MET]), ACCEPT, ACCEPT)
    assert not cost.within(writes=12, reads=9, statements=85, hops=22, checkpoints=20)


async def test_a_dismissal(tmp_path: Path) -> None:
    """A notification that is ignored."""
    cost = await _cost(tmp_path, Script(triage="notify"), IGNORE)
    assert not cost.within(writes=5, reads=4, statements=40, hops=9, checkpoints=5)
