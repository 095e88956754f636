"""Answers as the page sends them: read, and checked against the cards that wait. Nothing here acts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from email_assistant.errors import InputError
from email_assistant.facts.folding import gaps_in
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, SEEN
from email_assistant.review.waiting import ALLOWED, WaitingCard

ELSEWHERE = "This card was answered elsewhere."
CHANGED = "This card has changed since you saw it."
MAX_ANSWERS = 1_000
MAX_CHARACTERS = 200_000
"""Of all that is typed in one answer."""
_ALLOWED = {**ALLOWED, SEEN: ALLOWED[IGNORE]}


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer: for the card that was shown, and no other."""

    thread_id: str
    interrupt_id: str
    digest: str
    """`WaitingCard.digest` of what was shown."""
    type: str
    """accept, edit, response, ignore or seen."""
    args: Mapping[str, str] = field(default_factory=dict)
    """Of an edit: the fields that were changed."""
    text: str = ""
    """Of a response: what the person wrote."""
    sure: bool = False
    """Whether the person has said so twice."""


def read_answers(body: Any) -> list[GivenAnswer]:
    """The answers of a request; raises `InputError` that names what is wrong with the first that is."""
    if not isinstance(body, list) or not 1 <= len(body) <= MAX_ANSWERS:
        raise InputError(f"The body must be a list of 1 to {MAX_ANSWERS} answers.")
    return [_read(each, number) for number, each in enumerate(body, 1)]


def _read(item: Any, number: int) -> GivenAnswer:
    if not isinstance(item, dict):
        raise InputError(f"Answer {number} must be an object.")
    texts = {name: item.get(name, "") for name in ("thread", "interrupt", "digest", "type")}
    if wrong := next((name for name, text in texts.items() if not isinstance(text, str) or not text), ""):
        raise InputError(f"Answer {number}: {wrong} must be text.")
    if texts["type"] not in _ALLOWED:
        raise InputError(f"Answer {number}: type must be {', '.join(_ALLOWED)}.")
    args, text, sure = item.get("args") or {}, item.get("text") or "", item.get("sure", False)
    if not isinstance(args, dict) or not all(isinstance(each, str) for each in args.values()):
        raise InputError(f"Answer {number}: args must be an object of texts.")
    if not isinstance(text, str) or not isinstance(sure, bool):
        raise InputError(f"Answer {number}: text must be text, and sure true or false.")
    if len(text) + sum(map(len, args.values())) > MAX_CHARACTERS:
        raise InputError(f"Answer {number} is longer than {MAX_CHARACTERS} characters: shorten it.")
    return GivenAnswer(texts["thread"], texts["interrupt"], texts["digest"], texts["type"], args, text, sure)


def refusal(given: GivenAnswer, card: WaitingCard | None) -> dict[str, Any] | None:
    """Why the answer does not count for the card that waits on its thread now; None when it does."""
    if card is None:
        return {"state": "elsewhere", "why": ELSEWHERE}
    if (given.interrupt_id, given.digest) != (card.interrupt_id, card.digest):
        return {"state": "changed", "card": shown(card), "why": CHANGED}
    why = _not_taken(given, card)
    if why:
        return {"state": "not_taken", "why": why}
    if given.type in {ACCEPT, EDIT} and any(gaps_in(text) for text in approved(given, card).values()):
        return {"state": "gap", "why": "There is a gap in it: fill it, or take it out."}
    return None


def _not_taken(given: GivenAnswer, card: WaitingCard) -> str:
    if not card.config.get(_ALLOWED[given.type]):
        return f"This card cannot be answered with {given.type}."
    if given.type == RESPONSE and not given.text.strip():
        return "The response was empty: write what the assistant should know or change."
    if given.type == EDIT and (unknown := sorted(given.args.keys() - card.args.keys())):
        return f"The card has no field {unknown[0][:40]}."
    if given.type in {ACCEPT, EDIT} and card.kind.confirm != "once" and not given.sure:
        return f"{'A payment' if card.kind.draws == 'money' else 'This'} is approved twice."
    return ""


def approved(given: GivenAnswer, card: WaitingCard) -> dict[str, str]:
    """The card's fields as this answer would have them done."""
    return card.args | dict(given.args) if given.type == EDIT else dict(card.args)


def as_agent_inbox(given: GivenAnswer, card: WaitingCard) -> dict[str, Any]:
    """What the graph is told: always with the card that it is for, words apart."""
    if given.type == RESPONSE:
        return {"type": RESPONSE, "args": given.text}
    return {"type": given.type, "args": {"action": card.title, "args": approved(given, card)}}


def shown(card: WaitingCard) -> dict[str, str]:
    """How a page names a card."""
    return {
        "thread": card.thread_id,
        "interrupt": card.interrupt_id,
        "digest": card.digest,
        "title": card.title,
    }
