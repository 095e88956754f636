"""One case through the real organizer: what it decided, what it did by itself, and what it asked.

All cases share one assistant, as the mails of one inbox do. Every card is answered with "ignore", so that all cards of a mail are
seen, nothing is done that was not done by itself, and no case teaches the next one anything.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parseaddr
from typing import Any

from email_assistant.errors import InputError
from email_assistant.mail.address import parse_addresses
from email_assistant.models.failures import ModelOutputError
from email_assistant.models.usage import ModelUsage
from eval.workbench import Workbench

SETTINGS = {
    "EMAIL_ASSISTANT_VIPS": "hartwig-hotels.example, margaret.vale@postkiste.example",
    "EMAIL_ASSISTANT_BACKGROUND": (
        "Robin Vale runs Studio Vale, a small interior design studio in Berlin, with two colleagues, Marek and Ida. The studio designs"
        " rooms for homes, cafés and small hotels, and gives workshops on colour and light. Robin speaks English and German."
    ),
}
"""Of the assistant that is measured; the VIPs are the largest client and the mother."""
IGNORE = [{"type": "ignore", "args": None}]
MAX_CARDS = 12
"""More cards than this on one mail are a loop."""
PRIORITY = "Agent/Priority/"
UNANSWERED: dict[str, Any] = {
    "category": "",
    "confidence": 0.0,
    "decided_by": "nobody",
    "importance": {"level": ""},
    "labels": [],
}
"""What is known of a mail on which the model gave no answer that could be used: all of it is wrong."""

Case = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the organizer made of one case."""

    category: str
    confidence: float
    decided_by: str
    """hint, headers or model; nobody when the model's answers could not be used."""
    level: str
    """critical, high, normal or low; "" when nobody answered."""
    by_itself: bool
    """Whether the category's label was given without a card."""
    in_doubt: bool
    """Whether the sender was in doubt."""
    cards: tuple[str, ...]
    """The titles of the cards, in order."""
    event: Mapping[str, str] | None
    """The arguments of the event's card."""
    lists: tuple[str, ...]
    """The keys of the lists that it proposed to leave."""
    too_early: tuple[str, ...]
    """The same on the earlier mailings of the case."""
    usage: tuple[ModelUsage, ...]
    """The model calls, without those on the earlier mailings."""
    ms: float
    """From the mail's arrival to the end of its work."""

    @property
    def outside_ms(self) -> float:
        """Of it the time that no model worked; a mail's calls follow one another."""
        return max(0.0, self.ms - sum(each.latency_ms for each in self.usage))


async def outcome_of(bench: Workbench, case: Case, used: list[ModelUsage]) -> Outcome:
    """Bring the case, and the earlier mailings of its list before it. `used` is where the models record their calls."""
    await acquaint(bench, case)
    early: list[str] = []
    for number, mailing in enumerate(case.get("mailings", []), 1):
        own = {name: case[name] for name in ("from", "to", "headers", "auth") if name in case}
        cards, _ = await _through(bench, own | mailing | {"id": f"{case['id']}-before-{number}"})
        early += _lists(cards)
    calls, started = len(used), time.perf_counter()
    try:
        cards, state = await _through(bench, case)
    except ModelOutputError:
        # In use the mail would be tried again and then be a dead letter; here it is a mail without an answer.
        cards, state = [], UNANSWERED
    return Outcome(
        category=state["category"],
        confidence=state["confidence"],
        decided_by=state["decided_by"],
        level=state["importance"]["level"],
        by_itself=any(not label.startswith(PRIORITY) for label in state["labels"]),
        in_doubt=bool(state.get("sender_warnings")),
        cards=tuple(card["action_request"]["action"] for card in cards),
        event=next(_events(cards), None),
        lists=_lists(cards),
        too_early=tuple(early),
        usage=tuple(used[calls:]),
        ms=1_000 * (time.perf_counter() - started),
    )


EVENTS = ("Schedule meeting: ", "Invitation: ")
"""How titles of cards begin that would put an event into the calendar."""


def _events(cards: Sequence[dict[str, Any]]) -> Iterator[Mapping[str, str]]:
    """Times and place on each such card, whose fields they need not be."""
    for card in cards:
        if card["action_request"]["action"].startswith(EVENTS):
            yield card["view"]["meeting"]


async def _through(bench: Workbench, case: Case) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """All cards of a mail, and the state before the first answer."""
    message, card = await bench.bring(case)
    state, cards = await bench.values(message), []
    while card is not None:
        cards.append(card)
        if len(cards) > MAX_CARDS:
            raise InputError(f"case {case['id']}: the organizer asks without end")
        card = await bench.answer(message, IGNORE)
    return cards, state


async def acquaint(bench: Workbench, case: Case) -> None:
    """Let the assistant know whom the user has written to: `written_to`, and whoever got a mail of the user's in the thread."""
    user = bench.house.user.own
    mine = [part["to"] for part in case.get("thread", []) if parseaddr(part["from"])[1] in user]
    people = [one for text in [*mine, case.get("written_to", "")] for one in parse_addresses(text)]
    await bench.house.correspondents.note(bench.house.mailbox.name, people)


def _args(cards: Sequence[Mapping[str, Any]], title: str) -> Any:
    requests = (card["action_request"] for card in cards)
    return (request["args"] for request in requests if request["action"].startswith(title))


def _lists(cards: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    shown = (args["lists"] for args in _args(cards, "Unsubscribe from "))
    return tuple(key.strip() for text in shown for key in text.split(","))
