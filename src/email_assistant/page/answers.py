"""Answers: as the page sends them, checked against the cards that wait; and in words, once they are given. Nothing here acts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.errors import InputError
from email_assistant.facts.gaps import gaps_left
from email_assistant.journal.held_answers import AnswerState, HeldAnswer
from email_assistant.page.texts import card_place, clock_time, count
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, SEEN
from email_assistant.review.card_shapes import ALLOWED
from email_assistant.review.kinds import CardKind, kind_or_unknown
from email_assistant.review.waiting import WaitingCard

ELSEWHERE = "This card was answered elsewhere."
CHANGED = "This card has changed since you saw it."
MAX_ANSWERS = 1_000
MAX_CHARACTERS = 200_000
"""Of all that is typed in one answer."""
_ALLOWED = {**ALLOWED, SEEN: ALLOWED[IGNORE]}
TOGETHER = timedelta(minutes=1)
"""Answers of one kind that ended so soon after one another were given together."""
TOLD = "told the assistant"
_NOT = {AnswerState.failed: "failed", AnswerState.dropped: "not done"}


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
    why = _why_not(given, card)
    if why:
        return {"state": "not_taken", "why": why}
    gaps = [each["text"] for each in card.facts.gaps]
    if given.type in {ACCEPT, EDIT} and any(gaps_left(text, gaps) for text in approved(given, card).values()):
        return {"state": "gap", "why": "There is a gap in it: fill it, or take it out."}
    return None


def _why_not(given: GivenAnswer, card: WaitingCard) -> str:
    if not card.config.get(_ALLOWED[given.type]):
        return f"This card cannot be answered with {given.type}."
    if given.type == RESPONSE and not given.text.strip():
        return "The response was empty: write what the assistant should know or change."
    if given.type == EDIT and (unknown := sorted(given.args.keys() - card.args.keys())):
        return f"The card has no field {unknown[0][:40]}."
    if given.type == EDIT and (fixed := [name for name in given.args if not card.kind.may_change(name)]):
        return f"{fixed[0][:40]} cannot be changed on this card."
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


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """One answer, or some that were given together."""

    id: str
    who: str
    what: str
    state: str
    tone: str
    """"warn" for what was not done."""
    when: str
    number: int
    due: str
    """ISO 8601; "" of what has ended."""


def answered_rows(answers: Iterable[HeldAnswer], timezone: str) -> list[AnsweredRow]:
    """The newest first, on top those on their way; what was taken back, or has come back as a card, is not among them."""
    listed = [
        each for each in answers if each.is_open or each.state is AnswerState.done or each.state in _NOT
    ]
    listed.sort(key=lambda each: (each.is_open, _at(each)), reverse=True)
    return [_answered_row(some, timezone) for some in _together(listed)]


def _together(answers: Sequence[HeldAnswer]) -> list[list[HeldAnswer]]:
    found = [[each] for each in answers[:1]]
    for later, each in pairwise(answers):
        is_same = later.is_open is each.is_open and _bundled(later) == _bundled(each) != ""
        is_same = is_same and _at(later) - _at(each) < TOGETHER
        if is_same:
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _bundled(answer: HeldAnswer) -> str:
    """The bundle that an answer may have been given in."""
    if answer.state in _NOT:
        return ""
    kind = _kind(answer)
    return kind.noun.lower() if kind.together and answer.shown.get("type") != RESPONSE else ""


def _answered_row(some: Sequence[HeldAnswer], timezone: str) -> AnsweredRow:
    newest = some[0]
    shown = newest.shown
    when = clock_time(_at(newest).astimezone(ZoneInfo(timezone)))
    state = _NOT.get(newest.state) or answered_word(newest, is_done=not newest.is_open)
    if len(some) > 1:
        names = list(dict.fromkeys(str(each.shown.get("who")) for each in some))
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        who, what = count(len(some), _bundled(newest)), ", ".join(names[:2]) + more
    else:
        who = str(shown.get("who") or shown.get("title"))
        what = newest.why if newest.state in _NOT else str(shown.get("subject") or shown.get("title"))
    due = newest.due.isoformat() if newest.is_open else ""
    tone = "warn" if newest.state in _NOT else ""
    return AnsweredRow(newest.id, who, what, state, tone, when, len(some), due)


def answered_word(answer: HeldAnswer, *, is_done: bool = True) -> str:
    """Its outcome in a word or two, when it is done or before."""
    kind, given = _kind(answer), str(answer.shown.get("type"))
    words = {IGNORE: "not wanted", SEEN: "seen", RESPONSE: TOLD, **_chosen(kind, answer)}
    if not is_done:
        words = {IGNORE: "counts as not wanted", SEEN: "counts as seen", RESPONSE: "the assistant is told"}
    return words.get(given) or (not is_done and kind.underway) or kind.done


def _chosen(kind: CardKind, answer: HeldAnswer) -> dict[str, str]:
    """What was chosen, where that says more than that it was done: like "declined"."""
    args = answer.answer.get("args")
    value = args.get("args", {}).get(kind.choice) if kind.choices and isinstance(args, dict) else None
    return dict.fromkeys((ACCEPT, EDIT), str(value)) if value else {}


def _kind(answer: HeldAnswer) -> CardKind:
    return kind_or_unknown(str(answer.shown.get("kind")))


def sentences(answer: HeldAnswer) -> tuple[str, str]:
    """What is said while an answer is held, before "in 8 s", and when it is done: like "Reply to Ana goes out", "Reply to Ana: sent"."""
    shown, title = answer.shown, str(answer.shown.get("title"))
    soon, word = answered_word(answer, is_done=False), answered_word(answer)
    who = str(shown.get("who") or title)
    if _kind(answer).draws == "letter" and shown.get("type") in {ACCEPT, EDIT}:
        letter = title.removeprefix("Send ").partition(":")[0]
        letter = letter[:1].upper() + letter[1:]
        return f"{letter} {soon}", f"{letter}: {word}"
    then = "; a new draft comes" if word == TOLD and answer.following else ""
    return f"{who}: {soon}", f"{who}: {word}{then}"


def _at(answer: HeldAnswer) -> datetime:
    return answer.ended_at or answer.due


def answer_json(answer: HeldAnswer) -> dict[str, Any]:
    """An answer as the page's script reads it."""
    optional = {
        "why": answer.why,
        "card": dict(answer.following),
        "done_at": answer.ended_at.isoformat() if answer.ended_at else "",
    }
    soon, past = sentences(answer)
    return {
        "id": answer.id,
        "thread": answer.run_thread_id,
        "interrupt": answer.interrupt_id,
        "at": card_place(answer.run_thread_id, answer.interrupt_id),
        **{name: each for name, each in answer.shown.items() if name != "uptime"},
        "state": answer.state,
        "due": answer.due.isoformat(),
        "told": answered_word(answer),
        "soon": soon,
        "past": past,
        **{name: each for name, each in optional.items() if each},
    }
