"""A case on an assistant of its own, with a human who accepts what can be accepted: the calls, the cards, and what is there in the end."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, ToolMessage

from email_assistant.calendars.event import Event, start_of_day
from email_assistant.mail.message import Message, OutgoingMessage
from email_assistant.mail.wire import from_bytes
from email_assistant.models.runner import Models
from email_assistant.models.usage import ModelUsage
from email_assistant.workflows.email_assistant.calls import TRIAGE, TriageVerdict
from eval.accepting import accepting, filled
from eval.mails import raw_messages
from eval.response.case import BACKGROUND, Case, Entry, HumanRule
from eval.workbench import Workbench, config_for, workbench

ZONE = ZoneInfo("Europe/Berlin")
MAX_CARDS = 12
"""After so many cards the human gives up."""
NO_ANSWER = "I do not know yet. Say that I will get back to them."
"""The answer to a question for which the case has none."""
ACTS = ("send_email", "compose_email", "schedule_meeting")
"""Tools whose work changes something outside."""
_YEAR = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))


@dataclass(frozen=True)
class Card:
    """A card, and what the human did."""

    tool: str
    call_id: str
    args: Mapping[str, str]
    description: str
    answer: str
    said: str = ""
    left: Mapping[str, str] | None = None
    """Its fields as they were accepted, where that filled a gap."""


@dataclass(frozen=True)
class Call:
    """A call that the model made, what came of it, and its last card."""

    tool: str
    args: Mapping[str, Any]
    call_id: str
    result: str | None = None
    """None when nothing answered it."""
    wrong: bool = False
    """Whether it was answered with what is wrong with it."""
    card: Card | None = None

    @property
    def done(self) -> bool:
        """Whether it did what it is for: a look-up that worked, a question that was answered, an act that was accepted."""
        if self.wrong:
            return False
        if self.tool == "Question":
            return self.card is not None and self.card.answer == "response"
        if self.tool in ACTS:
            return self.card is not None and self.card.answer == "accept"
        return self.result is not None and not self.result.startswith("Not performed")


@dataclass(frozen=True)
class Trajectory:
    """What became of a case."""

    case: Case
    message: Message
    calls: tuple[Call, ...]
    cards: tuple[Card, ...]
    sent: tuple[OutgoingMessage, ...]
    """Without what lay in Sent before."""
    drafts: int
    events: tuple[Event, ...]
    """Without those that stood there before."""
    before: tuple[Event, ...]
    usage: tuple[ModelUsage, ...]
    outside_ms: float
    """Time from delivery to the end that no model worked."""
    finished: bool
    """Whether it came to its end within `MAX_CARDS`."""

    @property
    def acts(self) -> list[Call]:
        """What was done, in order."""
        return [call for call in self.calls if call.tool in ACTS and call.done]

    @property
    def texts(self) -> list[str]:
        """What was sent, as the cards showed it."""
        return [c.card.args["body"] for c in self.acts if c.card and "body" in c.card.args]

    @property
    def told(self) -> list[str]:
        """The same; where nobody wrote a letter, the invitations, which answer a mail as one does."""
        return self.texts or [f"{mail.subject}\n{mail.body}" for mail in self.sent if mail.calendar]


class ForcedTriage:
    """Models whose triage says `respond` to everything, without being asked: this suite is about what comes after."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def __getattr__(self, name: str) -> Any:
        return getattr(self._models, name)

    async def run(self, call: Any, inputs: Any, **more: Any) -> Any:
        """The forced verdict, else what the models say."""
        if call is TRIAGE:
            return TriageVerdict(reasoning="Every mail of this suite is answered.", classification="respond")
        return await self._models.run(call, inputs, **more)


@dataclass
class Human:
    """Follows the case's rules, each once; accepts every other card as shown; answers questions with `NO_ANSWER`; lets notifications be."""

    rules: list[HumanRule] = field(default_factory=list)

    def answer(self, tool: str, card: Mapping[str, Any]) -> dict[str, Any]:
        """The answer in Agent Inbox's form; an accept says nothing of the card."""
        rule = next((r for r in self.rules if r.tool == tool), None)
        if rule is not None:
            self.rules.remove(rule)
            return {"type": rule.answer, "args": rule.say or None}
        if card["config"]["allow_accept"]:
            return {"type": "accept", "args": None}
        if not card["action_request"]["args"]:
            return {"type": "ignore", "args": None}  # A notification; words would ask for another try.
        return {"type": "response", "args": NO_ANSWER}


async def run(case: Case, models: Any, usage: list[ModelUsage]) -> Trajectory:
    """Run the case from the mail to the end. `usage` is what `models` adds its calls to."""
    used = len(usage)
    settings = {"EMAIL_ASSISTANT_BACKGROUND": BACKGROUND}
    async with workbench("email_assistant", ForcedTriage(models), **settings) as bench:  # type: ignore[arg-type]
        before = await _prepare(bench, case)
        earlier = {from_bytes(raw).message_id for raw in raw_messages(case.message)}
        started = time.perf_counter()
        message, card = await bench.bring(case.message)
        cards = await _answered(bench, message, card, Human(list(case.human)))
        elapsed = time.perf_counter() - started
        own = usage[used:]
        sent = [from_bytes(bytes(mail)) for mail in await bench.sent()]
        known = {event.id for event in before}
        return Trajectory(
            case=case,
            message=message,
            calls=calls_of(await bench.messages(message), cards),
            cards=tuple(cards),
            sent=tuple(mail for mail in sent if mail.message_id not in earlier),
            drafts=len(await bench.drafts()),
            events=tuple(e for e in await bench.house.calendar.events(*_YEAR) if e.id not in known),
            before=tuple(before),
            usage=tuple(own),
            outside_ms=1000 * elapsed - sum(u.latency_ms for u in own),
            finished=await bench.card(message) is None,
        )


def calls_of(messages: list[Any], cards: list[Card]) -> tuple[Call, ...]:
    """The calls but for `Done`, in order, each with its answer and its last card."""
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    by_call = {card.call_id: card for card in cards}
    made = []
    for message in messages:
        for call in message.tool_calls if isinstance(message, AIMessage) else []:
            answer, card = answers.get(call["id"]), by_call.get(call["id"])
            if call["name"] != "Done":
                made.append(
                    Call(
                        call["name"],
                        call["args"],
                        str(call["id"]),
                        str(answer.text) if answer else None,
                        bool(answer and answer.status == "error"),
                        card,
                    )
                )
    return tuple(made)


def feedback_of(cards: tuple[Card, ...]) -> list[str]:
    """What the human said."""
    return [card.said for card in cards if card.said]


async def _prepare(bench: Workbench, case: Case) -> list[Event]:
    for name, text in case.preferences.items():
        await bench.house.profiles.write(name, text, origin="case")
    made = [_event(f"before-{number}", entry) for number, entry in enumerate(case.calendar)]
    for event in made:
        await bench.house.calendar.create(event)
    return made


async def _answered(
    bench: Workbench, message: Message, card: Mapping[str, Any] | None, human: Human
) -> list[Card]:
    cards: list[Card] = []
    while card is not None and len(cards) < MAX_CARDS:
        pending = await _pending(bench, message)
        answer = human.answer(pending["kind"], card)
        cards.append(
            Card(
                pending["kind"],
                pending["tool_call_id"],
                dict(card["action_request"]["args"]),
                card["description"],
                answer["type"],
                answer["args"] or "",
                filled(card)["args"],
            )
        )
        card = await bench.answer(message, [accepting(card) if answer["type"] == "accept" else answer])
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
