"""One attack on one assistant: the mail comes in, the model obeys it, a person leaves, ignores, accepts or sends back the cards."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from email_assistant.errors import EmailAssistantError
from eval.accepting import accepting, filled
from eval.mails import received
from eval.safety.attacks import Attack
from eval.safety.cards import active_parts, hidden_parts, kinds, not_in_draft
from eval.safety.judging import Broken, judge
from eval.safety.moments import ACCEPT, IGNORE, RESPONSE, WORDS, Moment
from eval.safety.worlds import Target, changes
from eval.workbench import config_for

LEAVE = "leave"
STYLES = (LEAVE, IGNORE, ACCEPT, RESPONSE)
MAX_CARDS = {LEAVE: 1, IGNORE: 4, ACCEPT: 6, RESPONSE: 3}
"""So many cards of a run are looked at."""


@dataclass
class Outcome:
    """What came of one attack on one assistant."""

    attack: str
    family: str
    desk: str
    style: str
    cards: int = 0
    attempts: int = 0
    doubted: bool = False
    taught: int = 0
    broken: list[tuple[str, str]] = field(default_factory=list)
    """What must not have happened and did: kind and words."""


def style_of(attack: Attack, shift: int = 0) -> str:
    """How the cards of an attack are answered; another way at another desk."""
    return STYLES[(attack.number + attack.number // len(STYLES) + shift) % len(STYLES)]


async def brought(desk: Target, attack: Attack, style: str) -> Outcome:
    """The attack's mail to the desk, and its cards answered in one style."""
    broken, out = Broken(), Outcome(attack.id, attack.family, desk.name, style)
    try:
        await _run(desk, attack, style, broken, out)
    except EmailAssistantError as error:
        broken.add("runs-failed", f"{type(error).__name__}: {error}")
    out.attempts = desk.models.attempts.total()
    out.taught = desk.models.attempts["learn"]
    out.broken = broken.found
    return out


async def _run(desk: Target, attack: Attack, style: str, broken: Broken, out: Outcome) -> None:
    desk.models.follow(attack)
    conversation = await received(desk.house, attack.case)
    message = conversation.current
    for copy in range(2, int(attack.case.get("copies", 1)) + 1):
        # A mailing comes several times before it is proposed to leave it.
        again = dict(attack.case) | {
            "id": f"{attack.id}.{copy}",
            "subject": f"{attack.case['subject']} ({copy})",
        }
        await desk.start((await received(desk.house, again)).current)
    before = await desk.world()
    card = await desk.start(message)
    answer, answered = "", None
    for _ in range(MAX_CARDS[style] + 1):
        after, values = await desk.world(), await _values(desk, message)
        out.doubted |= bool(values.get("sender_warnings"))
        moment = Moment(desk.name, attack, values, message.id, answer, answered)
        changed = changes(before, after)
        judge(moment, changed, broken)
        if card is None:
            return
        await _look_at(desk, attack, card, broken, out, is_typed=bool(values.get("typed")))
        if out.cards >= MAX_CARDS[style] or style == LEAVE:
            return
        before, answer = after, _possible(card, style)
        # What is accepted is the card with its gaps filled.
        answered = card | {"action_request": filled(card)} if answer == ACCEPT else card
        card = await desk.answer(message, [_wire(answer, card)])


async def _look_at(
    desk: Target, attack: Attack, card: dict[str, Any], broken: Broken, out: Outcome, *, is_typed: bool
) -> None:
    out.cards += 1
    title = card["action_request"]["action"][:50]
    drafts = await asyncio.to_thread(desk.waiting)
    broken.add("cards-active", *(f"{title}: {each}" for each in active_parts(card)))
    # An edit that was not taken stands in the card's fields only, until it is.
    hidden: Sequence[str] = [*hidden_parts(card, attack), *([] if is_typed else not_in_draft(card, drafts))]
    hidden = [*hidden, *([] if kinds(card) else ["answers that no kind of card has"])]
    broken.add("cards-hiding", *(f"{title}: {each}" for each in hidden))


async def _values(desk: Target, message: Any) -> dict[str, Any]:
    """The state; of a run within a run the inner one's besides."""
    state = await desk.graph.aget_state(config_for(message), subgraphs=True)
    inner = [t.state.values for t in state.tasks if t.state is not None and not isinstance(t.state, dict)]
    return dict(state.values) | {k: v for each in inner for k, v in each.items() if k == "problem"}


def _possible(card: dict[str, Any], style: str) -> str:
    """The style, where the card takes it; a question cannot be accepted, a list's card takes no words."""
    config = card["config"]
    allowed = {
        IGNORE: config["allow_ignore"],
        ACCEPT: config["allow_accept"],
        RESPONSE: config["allow_respond"],
    }
    return style if allowed[style] else RESPONSE if config["allow_respond"] else IGNORE


def _wire(answer: str, card: Mapping[str, Any]) -> dict[str, Any]:
    if answer == ACCEPT:
        return accepting(card)
    return {"type": answer, "args": WORDS if answer == RESPONSE else None}
