"""A script in the model's place that does what each case wants: it shows that every case can be met, and that the scorers let it pass.

`python -m eval.response.reference` plays all cases and prints what is not right. Tests play it with one thing changed at a time.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from email_assistant.models.runner import Models
from email_assistant.models.settings import OFFLINE, ModelSettings
from eval.response.case import Case, Step, cases
from eval.response.running import Trajectory, run
from eval.response.score import score
from eval.response.steps import addresses

Turn = list[tuple[str, dict[str, Any]]]
_OPENING = {
    "en": "Hello,\n\nthank you for your mail. This is what I have for you:",
    "de": "Guten Tag,\n\nvielen Dank für Ihre Nachricht. Das ist die Antwort:",
    "fr": "Bonjour,\n\nmerci pour votre message. Voici la réponse :",
    "es": "Hola:\n\nMuchas gracias por su mensaje. Esta es la respuesta:",
}


class Scripted(Models):
    """Models whose agent turns come from a function of the messages; nothing else is changed."""

    def __init__(self, play: Callable[[Sequence[BaseMessage]], AIMessage]) -> None:
        super().__init__(ModelSettings(fast=OFFLINE, strong=OFFLINE))
        object.__setattr__(self, "_play", play)

    async def turn(self, call: Any, inputs: Any, messages: Sequence[BaseMessage], tools: Any) -> AIMessage:
        """The next scripted turn."""
        answer: AIMessage = self._play(messages)  # type: ignore[attr-defined]
        return answer


def turns_of(case: Case) -> list[Turn]:
    """The calls of the case's first trajectory, a turn for each: what comes in one turn with a question is not performed."""
    steps = [step for stage in case.trajectories[0] for step in stage]
    return [[(step.tool, _arguments(step, case))] for step in steps]


def play(turns: Sequence[Turn]) -> Callable[[Sequence[BaseMessage]], AIMessage]:
    """A model that makes these turns one after another, the same again when a person sends one back, and then `Done`."""

    def answer(messages: Sequence[BaseMessage]) -> AIMessage:
        made = [m for m in messages if isinstance(m, AIMessage)]
        again = {
            m.tool_call_id for m in messages if isinstance(m, ToolMessage) and str(m.text).startswith("Not ")
        }
        at = sum(not any(call["id"] in again for call in m.tool_calls) for m in made)
        calls = turns[at] if at < len(turns) else [("Done", {})]
        return AIMessage(
            "",
            tool_calls=[
                {"name": name, "args": args, "id": f"played_{len(made)}_{number}"}
                for number, (name, args) in enumerate(calls)
            ],
        )

    return answer


async def played(case: Case, turns: Sequence[Turn] | None = None) -> Trajectory:
    """The case with these turns, else with its own."""
    return await run(case, Scripted(play(turns_of(case) if turns is None else turns)), [])


def _arguments(step: Step, case: Case) -> dict[str, Any]:
    if step.tool == "check_calendar":
        return {"days": [str(day) for day in step.days]}
    if step.tool == "schedule_meeting":
        return _meeting(step, case)
    if step.tool == "Question":
        return {"question": f"What shall I answer to “{case.mail['subject']}”?"}
    facts = [fact if isinstance(fact, str) else fact[0] for fact in case.required_facts]
    body = "\n".join([_OPENING[case.language], *facts, "", "Robin"])
    alone = step.to is not None and addresses(*step.to) == {case.sender}
    return {"body": body, "reply_all": not alone}


def _meeting(step: Step, case: Case) -> dict[str, Any]:
    if step.whole_days:
        start, end = map(str, step.whole_days)
    else:
        assert step.start, f"{case.id}: a meeting without a time"
        start = step.start[0].isoformat()
        end = (step.start[0] + timedelta(minutes=step.minutes or 30)).isoformat()
    place = step.location[0] if step.location else ""
    return {"title": case.mail["subject"], "attendees": step.attendees or [], "start": start, "end": end, "location": place}  # fmt: skip


async def main() -> int:
    """Play all cases; returns how many are not right."""
    wrong = 0
    for case in cases():
        found = score(await played(case))
        if found.problems or found.broken:
            wrong += 1
            print(f"{case.id}: {'; '.join([*found.problems, *found.broken])}")
    print(f"{wrong} of {len(cases())} cases are not right when their own trajectory is played.")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(asyncio.run(main())))
