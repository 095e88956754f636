"""What the pane shows while nothing is open: where to begin, what was done unasked, what was learned; and what failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from email_assistant.page.answered import AnsweredRow
from email_assistant.page.list_view import WaitingList, start
from email_assistant.page.words import at, clock_time, count, long_day

KEYS = (
    ("j", "next"), ("a", "do it as shown; a gap: go to it"), ("z", "undo"), ("k", "before"), ("e", "edit all"), ("x", "take part, or not"),
    ("s", "later"), ("d", "seen"), ("i", "ignore: not wanted"), ("/", "filter"), ("r", "tell the assistant"), ("l", "the other question"),
    ("1", "to 9: choose"), ("Tab", "next gap"), ("Enter", "open, start"), ("g", "then m, r, n, l: meetings, replies, notices, labels"),
    ("Esc", "back; text is kept"), ("Ctrl Enter", "send from a field"), ("?", "all keys"),
)  # fmt: skip
"""Keys with what they do; the first of them are shown beside the list."""
MOST_KEYS = 9
MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class OverviewLine:
    """A line, and what can be done about it."""

    text: str
    label: str
    does: str = ""
    """What its button does; "" for one that only tells."""
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OverviewBox:
    """Some lines under a heading."""

    heading: str
    aside: str
    lines: tuple[OverviewLine, ...]


def overview(
    waiting: WaitingList, now: datetime, told: Mapping[str, Any], answered: Sequence[AnsweredRow]
) -> dict[str, Any]:
    """The context of its template; `told` is the digest."""
    boxes = [
        _done(told["done"]),
        _unanswered(told["unanswered"], now),
        _coming(told["coming"], told["calendar"], now),
        _learned(told["learned"]),
    ]
    return {
        "now": f"{long_day(now.date())}, {clock_time(now)}",
        "begin": start(waiting),
        "boxes": [each for each in boxes if each.lines],
        "keys": KEYS[:MOST_KEYS],
        "state": _state(told["minutes_since_look"], told["models"]),
        "quiet": f"{count(sum(each.number for each in answered), 'answer')} today."
        if answered
        else "This page shows new cards by itself.",
    }


def _done(outcomes: Sequence[Mapping[str, Any]]) -> OverviewBox:
    mails = [(each["outcome"], mail) for each in outcomes for mail in each["mails"]]
    lines = [
        OverviewLine(
            " · ".join(filter(None, (mail["who"], mail["subject"], mail["why"]))),
            "bring back" if mail["can_come_back"] else outcome,
            "reopen" if mail["can_come_back"] else "",
            {"key": mail["key"]},
        )
        for outcome, mail in mails[:MOST_LINES]
    ]
    numbers = ", ".join(f"{each['number']} {each['outcome']}" for each in outcomes)
    return OverviewBox("Done without you today", numbers, tuple(lines))


def _learned(lines: Sequence[Mapping[str, str]]) -> OverviewBox:
    made = [
        OverviewLine(
            each["line"].lstrip("-* "), "forget", "forget", {"profile": each["profile"], "line": each["line"]}
        )
        for each in lines[:MOST_LINES]
    ]
    return OverviewBox("Learned from you today", "", tuple(made))


def _unanswered(questions: Sequence[Mapping[str, str]], now: datetime) -> OverviewBox:
    """Who was asked something and has not answered yet."""
    lines = []
    for each in questions[:MOST_LINES]:
        who = each["to"].partition("<")[0].strip(' "') or each["to"].strip("<>")
        days = (now.date() - datetime.fromisoformat(each["at"]).astimezone(now.tzinfo).date()).days
        lines.append(
            OverviewLine(f"{who} · {each['subject']}", count(days, "day") if days else "since today")
        )
    more = len(questions) - MOST_LINES
    return OverviewBox("Waiting for others", f"{more} more" if more > 0 else "", tuple(lines))


def _coming(events: Sequence[Mapping[str, Any]], problem: str, now: datetime) -> OverviewBox:
    """The next appointments."""
    if problem:
        return OverviewBox("Next days", "", (OverviewLine(problem, "not known"),))
    lines = [
        OverviewLine(
            each["title"], "all day" if each["all_day"] else at(datetime.fromisoformat(each["start"]), now)
        )
        for each in events[:MOST_LINES]
    ]
    return OverviewBox("Next days", "", tuple(lines))


def _state(minutes: int | None, models: Sequence[str]) -> str:
    """When mail was last looked for, and what writes."""
    look = "never" if minutes is None else f"{count(minutes, 'minute')} ago" if minutes else "just now"
    writes = "built-in rules, offline" if list(models) == ["offline"] else " and ".join(models)
    return f"Last look for mail: {look}. Written by {writes}."


def failed(told: Mapping[str, Any]) -> dict[str, Any] | None:
    """The context of the banner and of its pane; None when nothing fails."""
    number = told["number"]
    if not number:
        return None
    causes = told["causes"]
    title = f"{count(number, 'mail')} could not be dealt with"
    others = f" And {count(len(causes) - 1, 'other cause')}." if len(causes) > 1 else ""
    cause = f"{str(causes[0]['reason']).rstrip('.')}.{others}" if causes else ""
    retry = f"Try all {number} again" if number > 1 else "Try it again"
    return {"title": title, "cause": f"{cause} Nothing is lost.".strip(), "retry": retry, "causes": causes}
