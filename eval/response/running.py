"""A case on an assistant of its own, with a human who accepts what can be accepted: the cards, and what is there in the end."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from langchain_core.messages import ToolMessage

from email_assistant.calendars.event import Event, start_of_day
from email_assistant.mail.message import Message, OutgoingMessage
from email_assistant.mail.wire import from_bytes
from email_assistant.models.runner import Models
from email_assistant.models.usage import ModelUsage
from email_assistant.workflows.email_assistant.triage import TRIAGE, TriageVerdict
from eval.accepting import accepting, filled
from eval.mails import raw_messages
from eval.response.case import BACKGROUND, Case, Entry
from eval.workbench import Workbench, config_for, workbench

ZONE = ZoneInfo("Europe/Berlin")
MAX_CARDS = 12
"""After so many cards the human gives up."""
NO_ANSWER = "I do not know yet. Say that I will get back to them."
"""The answer to a question for which the case has none."""
LOOK_UPS = ("check_calendar", "schedule_meeting")
"""Tools whose answers a draft may go by."""
_YEAR = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))


@dataclass(frozen=True)
class Card:
    """A card, and what the human did."""

    tool: str
    call_id: str
    args: Mapping[str, str]
    left: Mapping[str, str]
    """Its fields with its gaps filled."""
    description: str
    answer: str
    said: str


@dataclass(frozen=True)
class Trajectory:
    """What became of a case."""

    case: Case
    message: Message
    cards: tuple[Card, ...]
    looked_up: tuple[str, ...]
    """What calendar and meetings said."""
    sent: tuple[OutgoingMessage, ...]
    """Without what lay in Sent before."""
    events: tuple[Event, ...]
    """Without those that stood there before."""
    before: tuple[Event, ...]
    usage: tuple[ModelUsage, ...]
    outside_ms: float
    """Time from delivery to the end that no model worked."""
    finished: bool
    """Whether it came to its end within `MAX_CARDS`."""

    @property
    def accepted(self) -> list[Card]:
        """The last accepted card of each call: one that was asked again counts once."""
        return list({card.call_id: card for card in self.cards if card.answer == "accept"}.values())

    @property
    def texts(self) -> list[str]:
        """What was sent, as the cards showed it."""
        return [card.args["body"] for card in self.accepted if "body" in card.args]


class ForcedTriage:
    """Models whose triage says `verdict` to everything, without being asked: this suite is about what comes after."""

    verdict: Literal["ignore", "respond"] = "respond"

    def __init__(self, models: Models) -> None:
        self._models = models

    def __getattr__(self, name: str) -> Any:
        return getattr(self._models, name)

    def is_offline(self, tier: Any) -> bool:
        """Its verdict counts as a model's: rules are more careful with strangers."""
        return tier != "fast" and self._models.is_offline(tier)

    async def run(self, call: Any, inputs: Any, **more: Any) -> Any:
        """The forced verdict, else what the models say."""
        if call is TRIAGE:
            return TriageVerdict(reasoning="So it is with every mail.", classification=self.verdict)
        return await self._models.run(call, inputs, **more)


async def run(case: Case, models: Any, usage: list[ModelUsage]) -> Trajectory:
    """Run the case from the mail to the end. `usage` is what `models` adds its calls to."""
    used = len(usage)
    settings = {"EMAIL_ASSISTANT_BACKGROUND": BACKGROUND}
    async with workbench("email_assistant", ForcedTriage(models), **settings) as bench:  # type: ignore[arg-type]
        before = [_event(f"before-{number}", entry) for number, entry in enumerate(case.calendar)]
        for event in before:
            await bench.house.calendar.create(event)
        earlier = {from_bytes(raw).message_id for raw in raw_messages(case.message)}
        started = time.perf_counter()
        message, card = await bench.bring(case.message)
        cards = await _answered(bench, message, card, [case.answer] if case.answer else [])
        elapsed = time.perf_counter() - started
        own = usage[used:]
        sent = [from_bytes(bytes(mail)) for mail in await bench.sent()]
        known = {event.id for event in before}
        return Trajectory(
            case=case,
            message=message,
            cards=tuple(cards),
            looked_up=tuple(
                str(m.text)
                for m in await bench.messages(message)
                if isinstance(m, ToolMessage) and m.name in LOOK_UPS
            ),
            sent=tuple(mail for mail in sent if mail.message_id not in earlier),
            events=tuple(e for e in await bench.house.calendar.events(*_YEAR) if e.id not in known),
            before=tuple(before),
            usage=tuple(own),
            outside_ms=1000 * elapsed - sum(u.latency_ms for u in own),
            finished=await bench.card(message) is None,
        )


async def _answered(
    bench: Workbench, message: Message, card: Mapping[str, Any] | None, answers: Sequence[str]
) -> list[Card]:
    """Accepts every card that can be; answers the first question as the case has it, lets notifications be."""
    cards: list[Card] = []
    to_say = list(answers)
    while card is not None and len(cards) < MAX_CARDS:
        pending = await _pending(bench, message)
        if card["config"]["allow_accept"]:
            kind, said = "accept", ""
        elif not card["action_request"]["args"]:
            kind, said = "ignore", ""  # A notification; words would ask for another try.
        else:
            kind, said = "response", to_say.pop() if to_say else NO_ANSWER
        shown = dict(card["action_request"]["args"])
        call = pending["kind"], pending["tool_call_id"]
        cards.append(Card(*call, shown, filled(card)["args"], card["description"], kind, said))
        answer = accepting(card) if kind == "accept" else {"type": kind, "args": said or None}
        card = await bench.answer(message, [answer])
    return cards


async def _pending(bench: Workbench, message: Message) -> Mapping[str, Any]:
    """The action behind the card that waits."""
    state = await bench.graph.aget_state(config_for(message), subgraphs=True)
    inner = [t.state.values for t in state.tasks if t.state is not None and not isinstance(t.state, dict)]
    pending: Mapping[str, Any] = (inner[0] if inner else state.values)["pending"]
    return pending


def _event(event_id: str, entry: Entry) -> Event:
    if isinstance(entry.start, datetime) and isinstance(entry.end, datetime):
        start, end, all_day = entry.start, entry.end, False
    else:
        start, end = (start_of_day(day, ZONE) for day in (entry.start, entry.end + timedelta(days=1)))
        all_day = True
    return Event(event_id, entry.title, start, end, all_day, entry.busy, ZONE.key)
