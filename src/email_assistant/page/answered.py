"""What was answered on the page lately, as lines below the list."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from email_assistant.journal.held_answers import AnswerState, HeldAnswer
from email_assistant.page.words import clock_time, count
from email_assistant.review.action import ACCEPT, EDIT, IGNORE, RESPONSE, SEEN
from email_assistant.review.kinds import CardKind, kind_or_unknown

TOGETHER = timedelta(minutes=1)
"""Answers of one kind that ended so soon after one another were given together."""
TOLD = "told the assistant"
_NOT = {AnswerState.failed: "failed", AnswerState.dropped: "not done"}


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
    listed.sort(key=lambda each: (each.is_open, _when(each)), reverse=True)
    return [_row(some, timezone) for some in _together(listed)]


def _together(answers: Sequence[HeldAnswer]) -> list[list[HeldAnswer]]:
    found = [[each] for each in answers[:1]]
    for later, each in pairwise(answers):
        is_same = later.is_open is each.is_open and _bundled(later) == _bundled(each) != ""
        is_same = is_same and _when(later) - _when(each) < TOGETHER
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


def _row(some: Sequence[HeldAnswer], timezone: str) -> AnsweredRow:
    newest = some[0]
    shown = newest.shown
    when = clock_time(_when(newest).astimezone(ZoneInfo(timezone)))
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
    """What is said of it when it is done, or before."""
    kind, given = _kind(answer), str(answer.shown.get("type"))
    if given == RESPONSE and not is_done:
        return "the assistant is told"
    words = {IGNORE: "not wanted", SEEN: "seen", RESPONSE: TOLD}
    return words.get(given) or (not is_done and kind.underway) or kind.done


def _kind(answer: HeldAnswer) -> CardKind:
    return kind_or_unknown(str(answer.shown.get("kind")))


def sentences(answer: HeldAnswer) -> tuple[str, str]:
    """What is said while an answer is held, before "in 8 s", and when it is done: like "Reply to Ana goes out", "Reply to Ana: sent"."""
    shown, title = answer.shown, str(answer.shown.get("title"))
    soon, word = answered_word(answer, is_done=False), answered_word(answer)
    who = str(shown.get("who") or title)
    if _kind(answer).draws == "letter" and shown.get("type") in {ACCEPT, EDIT}:
        letter = title.removeprefix("Send ")
        letter = letter[:1].upper() + letter[1:]
        return f"{letter} {soon}", f"{letter}: {word}"
    then = "; a new draft comes" if word == TOLD and answer.following else ""
    return f"{who}: {soon}", f"{who}: {word}{then}"


def _when(answer: HeldAnswer) -> datetime:
    return answer.ended_at or answer.due
