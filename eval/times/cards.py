"""What a person gets for a phrase: the card of `email_assistant`, and what accepting it puts into the calendar."""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from email_assistant.language.text import fold
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.meeting import written_at
from email_assistant.models.offline.named_times import days_and_hours
from eval.datasets import Case
from eval.response.running import ForcedTriage
from eval.setup import Setup
from eval.workbench import Workbench, workbench

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 10, tzinfo=ZONE)
"""A Monday."""
SENDER = "Ana Ruiz <ana@example.com>"
BENCHES = 6
"""So many assistants share the phrases, each with a part: most of the time files are waited for."""
SUBJECTS = {
    "en": "Meeting", "de": "Besprechung", "fr": "Rendez-vous", "es": "Reunión", "it": "Riunione", "nl": "Afspraak",
    "pt": "Reunião",
}  # fmt: skip
_ABOUT_TIME = re.compile(r"\bThe mail (?:names|asks)\b|in the mail's words")
"""Of a card's sentences those that say what of its time the mail does not say, or nobody has understood."""
_QUOTED = re.compile(r"“[^”]*”|^>.*$", re.MULTILINE)
_YEAR = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Shown:
    """A card, as far as it is about a time."""

    kind: str
    """Of the card; "" where there is none."""
    proposed: tuple[datetime, ...] = ()
    """The start of the meeting, or the times that a reply names."""
    minutes: int = 0
    """How long the meeting is to be."""
    said: tuple[str, ...] = ()
    """What it says of times that were not understood, or are not the mail's."""
    broken: str = ""
    """What accepting did that the card did not show."""


class Copying(ForcedTriage):
    """A model that answers everything with a meeting at the first day and the first hour that the mail names, whatever is said of them."""

    async def turn(
        self, call: Any, inputs: Any, messages: Sequence[BaseMessage], tools: Sequence[Any]
    ) -> AIMessage:
        """The meeting, once; nine o'clock and tomorrow where the mail names no hour and no day."""
        calls: list[dict[str, Any]] = [{"name": "Done", "args": {}, "id": f"done_{len(messages)}"}]
        if not any(isinstance(message, ToolMessage) for message in messages):
            meeting = _copied(inputs.conversation, inputs.now)
            calls.insert(0, {"name": "schedule_meeting", "args": meeting, "id": f"meet_{len(messages)}"})
        return AIMessage("", tool_calls=calls)


async def shown_for(cases: Sequence[Case], setup: Setup, *, scripted: bool = False) -> dict[str, Shown]:
    """The card of every phrase by its id: of the rules, or of the scripted model.

    The first of each kind is accepted, too; that every card does what it shows is for the contracts to say.
    """
    first = {case["kind"]: case["id"] for case in reversed(cases)}
    benches = [
        _of_one_bench(cases[at::BENCHES], set(first.values()), setup, scripted) for at in range(BENCHES)
    ]
    return {key: shown for each in await asyncio.gather(*benches) for key, shown in each.items()}


async def _of_one_bench(
    cases: Sequence[Case], accepted: Collection[str], setup: Setup, scripted: bool
) -> dict[str, Shown]:
    models: Any = Copying(setup.models()) if scripted else None
    async with workbench(models=models, EMAIL_ASSISTANT_NOW=NOW.isoformat()) as bench:
        return {case["id"]: await _shown(bench, case, accept=case["id"] in accepted) for case in cases}


async def _shown(bench: Workbench, case: Case, *, accept: bool) -> Shown:
    message, card = await bench.bring({
        "id": case["id"], "from": SENDER, "subject": case.get("subject", SUBJECTS[case["language"]]), "text": case["text"],
        "date": local(case["written"]).isoformat() if "written" in case else NOW.isoformat(),
    })  # fmt: skip
    if card is None:
        return Shown("")
    action, args = card["action_request"]["action"], card["action_request"]["args"]
    said = tuple(line for line in card["description"].splitlines() if _ABOUT_TIME.search(line))
    if "start" not in args:
        kind = "reply" if "body" in args else "notify" if action.startswith("Notify") else "question"
        return Shown(kind, tuple(_times_in(args.get("body", ""))), said=said)
    start, end = (datetime.fromisoformat(args[each]) for each in ("start", "end"))
    broken = await _accept(bench, message, card, start, end) if accept else ""
    return Shown("meeting", (start,), round((end - start).total_seconds() / 60), said, broken)


async def _accept(
    bench: Workbench, message: Message, card: Mapping[str, Any], start: datetime, end: datetime
) -> str:
    """What accepting the meeting does otherwise than its card says, in the calendar or in the letter that goes with it."""
    letter = await bench.answer(message, [{"type": "accept", "args": dict(card["action_request"])}])
    made = [each for each in await bench.house.calendar.events(*_YEAR) if not each.cancelled]
    for event in made:  # Each phrase finds an empty calendar.
        await bench.house.calendar.cancel(event.uid)
    told = _times_in(letter["action_request"]["args"].get("body", "")) if letter else []
    if [(each.start, each.end) for each in made] != [(start, end)]:
        return "the calendar has another time"
    return "the mail names another time" if told and start not in told else ""


def local(written: str) -> datetime:
    """A time of the dataset, by the user's clock."""
    return datetime.fromisoformat(written).replace(tzinfo=ZONE)


def _times_in(body: str) -> list[datetime]:
    """The times that our own letter names, besides the questions of the mail that it quotes."""
    found = days_and_hours(_QUOTED.sub("", body), NOW.date(), ZONE) if body else ()
    return [datetime.combine(day, hour.at, ZONE) for days, hours in found for day in days for hour in hours]


def _copied(conversation: Conversation, now: datetime) -> Mapping[str, Any]:
    base = written_at(conversation.current, now).astimezone(ZONE).date()
    found = list(days_and_hours(fold(conversation.current.text), base, ZONE))
    days = [day for named, _ in found for day in named if day > now.date()]
    hours = [hour.at for _, named in found for hour in named]
    day = days[0] if days else now.date() + timedelta(days=1)
    start = datetime.combine(day, hours[0] if hours else time(9), ZONE)
    return {
        "title": "Meeting", "attendees": [conversation.current.sender.email],
        "start": start.isoformat(), "end": (start + timedelta(minutes=30)).isoformat(),
    }  # fmt: skip
