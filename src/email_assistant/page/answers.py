"""Answers: as the page sends them, checked against the cards that wait; and in words, once they are given. Nothing here acts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.errors import InputError
from email_assistant.facts.fact import gaps_left
from email_assistant.journal.traces import GivenEntry
from email_assistant.page.answering import ELSEWHERE, AnswerOutcome, shown
from email_assistant.page.texts import card_place, clock_time, count
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, SEEN
from email_assistant.review.card import ALLOWED
from email_assistant.review.kinds import CardKind, kind_or_unknown
from email_assistant.review.waiting import WaitingCard

CHANGED = "This card has changed since you saw it."
MAX_ANSWERS = 50
"""Of one request; a page with more sends them in parts."""
MAX_CHARACTERS = 200_000
"""Of all that is typed in one answer."""
_ALLOWED = {**ALLOWED, SEEN: ALLOWED[IGNORE]}
TOGETHER = timedelta(minutes=1)
"""Answers of one kind that ended so soon after one another were given together."""
TOLD = "told the assistant"
_ID = re.compile(r"[0-9A-Za-z-]{8,64}")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer: for the card that was shown, and no other."""

    id: str
    """The page's own: an answer that is given again is known by it."""
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


_FIELDS = {"thread": "thread_id", "interrupt": "interrupt_id"}


def read_answers(body: Any) -> list[GivenAnswer]:
    """The answers of a request; raises `InputError` that names what is wrong with the first that is."""
    if not isinstance(body, list) or not 1 <= len(body) <= MAX_ANSWERS:
        raise InputError(f"The body must be a list of 1 to {MAX_ANSWERS} answers.")
    return [_read(each, number) for number, each in enumerate(body, 1)]


def _read(item: Any, number: int) -> GivenAnswer:
    if not isinstance(item, dict):
        raise InputError(f"Answer {number} must be an object.")
    texts = {name: item.get(name, "") for name in ("id", "thread", "interrupt", "digest", "type")}
    if wrong := next((name for name, text in texts.items() if not isinstance(text, str) or not text), ""):
        raise InputError(f"Answer {number}: {wrong} must be text.")
    if not _ID.fullmatch(texts["id"]):
        raise InputError(f"Answer {number}: id must be 8 to 64 letters and digits.")
    if texts["type"] not in _ALLOWED:
        raise InputError(f"Answer {number}: type must be {', '.join(_ALLOWED)}.")
    args, text, sure = item.get("args") or {}, item.get("text") or "", item.get("sure", False)
    if not isinstance(args, dict) or not all(isinstance(each, str) for each in args.values()):
        raise InputError(f"Answer {number}: args must be an object of texts.")
    if not isinstance(text, str) or not isinstance(sure, bool):
        raise InputError(f"Answer {number}: text must be text, and sure true or false.")
    if len(text) + sum(map(len, args.values())) > MAX_CHARACTERS:
        raise InputError(f"Answer {number} is longer than {MAX_CHARACTERS} characters: shorten it.")
    return GivenAnswer(
        **{_FIELDS.get(name, name): each for name, each in texts.items()}, args=args, text=text, sure=sure
    )


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
    args = given.text if given.type == RESPONSE else {"action": card.title, "args": approved(given, card)}
    return {"type": given.type, "args": args, "id": given.id}


@dataclass(frozen=True, slots=True)
class NamedAnswer:
    """An answer as a person is told of it."""

    type: str
    kind: str
    """Of its card."""
    title: str
    who: str
    subject: str
    args: Mapping[str, str]
    """The card's fields as they were approved."""

    @property
    def is_approval(self) -> bool:
        """Whether something was to be done."""
        return self.type in {ACCEPT, EDIT}


def of_card(given: GivenAnswer, card: WaitingCard) -> NamedAnswer:
    """An answer to a card that waits."""
    facts, args = card.facts, approved(given, card)
    return NamedAnswer(given.type, facts.kind, card.title, facts.sender or facts.address, facts.subject, args)


def on_record(entry: GivenEntry) -> NamedAnswer:
    """An answer that was given."""
    type_ = SEEN if entry.answer.get("seen") else entry.decision
    named = {name: str(entry.named.get(name) or "") for name in ("kind", "who", "subject")}
    return NamedAnswer(type_, title=entry.title, args=entry.args, **named)


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """One answer, or some that were given together."""

    who: str
    what: str
    state: str
    tone: str
    """"warn" for what was not done."""
    when: str
    number: int


def answered_rows(entries: Sequence[GivenEntry], timezone: str) -> list[AnsweredRow]:
    """The newest first, as they come; what was taken back, or has come back as a card, is not among them."""
    listed = [each for each in entries if each.decision in _ALLOWED and not each.is_undone]
    return [_answered_row(some, timezone) for some in _together(listed)]


def _together(entries: Sequence[GivenEntry]) -> list[list[GivenEntry]]:
    found = [[each] for each in entries[:1]]
    for later, each in pairwise(entries):
        if _bundled(later) == _bundled(each) != "" and later.at - each.at < TOGETHER:
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _bundled(entry: GivenEntry) -> str:
    """The bundle that an answer may have been given in."""
    answer = on_record(entry)
    kind = kind_or_unknown(answer.kind)
    return kind.noun.lower() if kind.together and answer.type != RESPONSE and not entry.failure else ""


def _answered_row(some: Sequence[GivenEntry], timezone: str) -> AnsweredRow:
    newest, answer = some[0], on_record(some[0])
    if len(some) > 1:
        names = list(dict.fromkeys(on_record(each).who for each in some))
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        who, what = count(len(some), _bundled(newest)), ", ".join(names[:2]) + more
    else:
        who, what = answer.who or answer.title, newest.failure or answer.subject or answer.title
    state, tone = ("failed", "warn") if newest.failure else (answered_word(answer), "")
    when = clock_time(newest.at.astimezone(ZoneInfo(timezone)))
    return AnsweredRow(who, what, state, tone, when, len(some))


def answered_word(answer: NamedAnswer, *, is_done: bool = True) -> str:
    """Its outcome in a word or two, when it is done or before."""
    kind = kind_or_unknown(answer.kind)
    words = {IGNORE: "not wanted", SEEN: "seen", RESPONSE: TOLD, **_chosen(kind, answer)}
    if not is_done:
        words = {IGNORE: "counts as not wanted", SEEN: "counts as seen", RESPONSE: "the assistant is told"}
    return words.get(answer.type) or (not is_done and kind.underway) or kind.done


def _chosen(kind: CardKind, answer: NamedAnswer) -> dict[str, str]:
    """What was chosen, where that says more than that it was done: like "declined"."""
    value = answer.args.get(kind.choice) if kind.choices else None
    return dict.fromkeys((ACCEPT, EDIT), str(value)) if value else {}


def sentences(answer: NamedAnswer, *, is_redrawn: bool = False) -> tuple[str, str]:
    """What is said while an answer is held, before "in 8 s", and when it is done: like "Reply to Ana goes out", "Reply to Ana: sent"."""
    soon, word, who = answered_word(answer, is_done=False), answered_word(answer), answer.who or answer.title
    if kind_or_unknown(answer.kind).draws == "letter" and answer.is_approval:
        letter = answer.title.removeprefix("Send ").partition(":")[0]
        letter = letter[:1].upper() + letter[1:]
        return f"{letter} {soon}", f"{letter}: {word}"
    then = "; a new draft comes" if word == TOLD and is_redrawn else ""
    return f"{who}: {soon}", f"{who}: {word}{then}"


def named_json(given: GivenAnswer, card: WaitingCard) -> dict[str, Any]:
    """An answer as the page's script reads it."""
    answer = of_card(given, card)
    soon, past = sentences(answer)
    place = card_place(card.thread_id, card.interrupt_id)
    return {"id": given.id, "at": place, "told": answered_word(answer), "soon": soon, "past": past}


def outcome_json(outcome: AnswerOutcome, answer: NamedAnswer | None = None) -> dict[str, Any]:
    """What became of an answer, as the page's script reads it."""
    values = {"past": sentences(answer, is_redrawn=bool(outcome.following))[1]} if answer else {}
    optional = {"why": outcome.why, "card": outcome.following}
    return {"state": outcome.state, **values, **{name: each for name, each in optional.items() if each}}
