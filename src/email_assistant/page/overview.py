"""The pane while nothing is open: where to begin, what was done today without the person, what was learned, and what is to come."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.app.assistant import AppDeps
from email_assistant.app.unasked import day_start, unasked_today
from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.journal.attention import UnaskedMail, sender_and_subject
from email_assistant.journal.mailboxes import Looks
from email_assistant.journal.revisions import Revision
from email_assistant.memory.profiles import PROFILES
from email_assistant.memory.said_facts import NAME as FACTS
from email_assistant.models.call import Tier
from email_assistant.page.answers import AnsweredRow
from email_assistant.page.list_view import WaitingList, start
from email_assistant.page.texts import at, clock_time, count, long_day
from email_assistant.review.card import UNKNOWN_HOST

NEXT_DAYS = timedelta(days=3)
CALENDAR_SECONDS = 1.0
TIERS: tuple[Tier, ...] = ("fast", "strong")
BY_HAND = ("default", "sample", "edited by hand", "restored from", "store", "forgotten")
"""How the origins of revisions begin that nobody has to be told about."""
KEYS = (
    ("j", "next"), ("a", "send, invite, accept, label; a gap: go to it"), ("z", "undo"), ("k", "before"), ("e", "edit"),
    ("x", "tick, untick"), ("s", "later"), ("d", "seen: teaches nothing"), ("i", "not wanted: teaches"), ("/", "filter"),
    ("r", "tell the assistant"), ("l", "the other question"),
    ("1", "to 9: choose"), ("Tab", "next gap"), ("Enter", "open, start"), ("g", "then m, r, n, l: meetings, replies, notices, labels"),
    ("Esc", "back; text is kept"), ("Ctrl Enter", "send from a field"), ("?", "all keys"),
)  # fmt: skip
"""Keys with what they do; the first of them are shown beside the list."""
MOST_KEYS = 9
MOST_LINES = 6


async def digest(deps: AppDeps) -> dict[str, Any]:
    """{"since", "done": mails with their "outcome", "learned": [{"profile", "line", "at"}],
    "coming": [{"title", "start", "all_day"}], "calendar": why it cannot be told, "look": {"at", "seconds", "since",
    "failure", "failing_since"}, None for never, "receiving_host", "models"}.

    What was done stands as `unasked_today` has it, what is to come the earliest first.
    """
    since = day_start(deps)
    return {
        "since": since.isoformat(),
        "done": [_mail_json(each) for each in await unasked_today(deps)],
        "learned": await learned(deps, since),
        **await _coming_events(deps),
        "look": await _last_look(deps),
        "receiving_host": deps.settings.receiving_host,
        "models": list(dict.fromkeys(deps.models.model_name(tier) for tier in TIERS)),
    }


async def _last_look(deps: AppDeps) -> dict[str, Any] | None:
    look = await Looks(deps.database, deps.clock).get(deps.mailbox.name)
    if look is None or look.looked_at is None:
        return None
    return {
        "at": look.looked_at.isoformat(),
        "seconds": max(0, int((deps.clock.now() - look.looked_at).total_seconds())),
        "since": look.since.isoformat(),
        "failure": look.failure,
        "failing_since": look.failing_since.isoformat() if look.failing_since else None,
    }


async def _coming_events(deps: AppDeps) -> dict[str, Any]:
    """The events of the next days; the page does not wait long for a calendar."""
    now = deps.agenda_clock.now().astimezone(ZoneInfo(deps.settings.timezone))
    try:
        async with asyncio.timeout(CALENDAR_SECONDS):
            events = await deps.calendar.events(now, now + NEXT_DAYS)
    except (EmailAssistantError, TimeoutError) as error:
        return {"coming": [], "calendar": str(error) or "The calendar does not answer."}
    coming = [
        {"title": each.title, "start": each.start.astimezone(now.tzinfo).isoformat(), "all_day": each.all_day}
        for each in events
        if not each.unread
    ]
    return {"coming": coming, "calendar": ""}


def _mail_json(mail: UnaskedMail) -> dict[str, Any]:
    who, subject = sender_and_subject(mail.email_input)
    return {
        "key": str(mail.key),
        "outcome": mail.outcome,
        "who": who,
        "asks": mail.asks,
        "subject": subject,
        "why": mail.reason,
        "graph": mail.graph,
        "at": mail.at.isoformat(),
        "can_come_back": mail.email_input is not None,
    }


async def learned(deps: AppDeps, since: datetime) -> list[dict[str, str]]:
    """The lines that answers have added since and that still stand, and the facts that were said."""
    found = []
    for name in PROFILES:
        history = await deps.profiles.history(name)
        still = set(_profile_lines(history[-1]))
        for before, after in pairwise(history):
            if after.created_at < since or after.origin.startswith(BY_HAND):
                continue
            new = [
                line for line in _profile_lines(after) if line in still and line not in _profile_lines(before)
            ]
            found += [{"profile": name, "line": line, "at": after.created_at.isoformat()} for line in new]
    zone, now = deps.settings.timezone, deps.clock.now()
    found += [
        {"profile": FACTS, "line": fact.listed(zone, now), "at": fact.said_at}
        for fact in await deps.said_facts.all()
        if datetime.fromisoformat(fact.said_at) >= since
    ]
    return sorted(found, key=lambda each: each["at"], reverse=True)


async def forget(deps: AppDeps, profile: str, line: str) -> None:
    """Take a line out of a profile, whose history keeps it, or a fact; raises `InputError` when it is not there, or the last one."""
    if profile == FACTS:
        zone, now = deps.settings.timezone, deps.clock.now()
        numbers = {fact.listed(zone, now): fact.number for fact in await deps.said_facts.all()}
        if line not in numbers:
            raise InputError("This is not kept any more.")
        await deps.said_facts.forget(numbers[line])
        return
    if profile not in PROFILES:
        raise InputError(f"profile must be one of {', '.join(PROFILES)}.")
    lines = (await deps.profiles.read(profile, None)).content.splitlines()
    if line not in lines:
        raise InputError("This is not in the profile any more.")
    left = "\n".join(each for each in lines if each != line)
    await deps.profiles.write(profile, left, origin="forgotten on the review page")


def _profile_lines(revision: Revision) -> list[str]:
    return [line for line in revision.content.splitlines() if line.strip() and not line.startswith("#")]


@dataclass(frozen=True, slots=True)
class OverviewLine:
    """A line, and what can be done about it."""

    text: str
    label: str
    does: str = ""
    """What its button does; "" for one that only tells."""
    data: Mapping[str, str] = field(default_factory=dict)
    pressing: str = ""
    """What stands before the text, and is to be seen first."""


@dataclass(frozen=True, slots=True)
class OverviewBox:
    """Some lines under a heading."""

    heading: str
    aside: str
    lines: tuple[OverviewLine, ...]
    more: tuple[OverviewLine, ...] = ()
    """Lines that are folded."""


def overview(
    waiting: WaitingList,
    now: datetime,
    real: datetime,
    today: Mapping[str, Any],
    answered: Sequence[AnsweredRow],
) -> dict[str, Any]:
    """The context of its template; `today` is the digest, `now` the time that mail is read by and `real` the machine's."""
    boxes = [
        _done(today["done"]),
        _coming(today["coming"], today["calendar"], now),
        _learned(today["learned"]),
    ]
    return {
        "now": f"{long_day(now.date())}, {clock_time(now)}",
        "begin": start(waiting),
        "boxes": [each for each in boxes if each.lines],
        "keys": KEYS[:MOST_KEYS],
        "state": _state(today["look"], real, today["models"], today["receiving_host"]),
        "quiet": f"{count(sum(each.number for each in answered), 'answer')} today."
        if answered
        else "This page shows new cards by itself.",
    }


def _done(mails: Sequence[Mapping[str, Any]]) -> OverviewBox:
    lines = [
        OverviewLine(
            " · ".join(filter(None, ("" if mail["asks"] else mail["who"], mail["subject"], mail["why"]))),
            "bring back" if mail["can_come_back"] else mail["outcome"],
            "reopen" if mail["can_come_back"] else "",
            {"key": mail["key"]},
            f"{mail['who']} {mail['asks']}" if mail["asks"] else "",
        )
        for mail in mails
    ]
    outcomes = Counter(mail["outcome"] for mail in mails)
    numbers = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items())
    return OverviewBox(
        "Done without you today", numbers, tuple(lines[:MOST_LINES]), tuple(lines[MOST_LINES:])
    )


def _learned(lines: Sequence[Mapping[str, str]]) -> OverviewBox:
    made = [
        OverviewLine(
            each["line"].lstrip("-* "), "forget", "forget", {"profile": each["profile"], "line": each["line"]}
        )
        for each in lines[:MOST_LINES]
    ]
    return OverviewBox("Learned from you today", "", tuple(made))


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


def _state(look: Mapping[str, Any] | None, now: datetime, models: Sequence[str], host: str) -> str:
    """When mail was last looked for, what writes, and whether anybody can tell who senders are."""
    writes = "built-in rules, offline" if list(models) == ["offline"] else " and ".join(models)
    lines = (_look(look, now), f"Written by {writes}.", "" if host else UNKNOWN_HOST)
    return " ".join(filter(None, lines))


def _look(look: Mapping[str, Any] | None, now: datetime) -> str:
    if look is None:
        return "Mail was not looked for yet."
    zone, minutes = now.tzinfo, look["seconds"] // 60
    if look["failure"]:
        failing_since = at(datetime.fromisoformat(look["failing_since"]).astimezone(zone), now)
        return f"The mailbox cannot be read since {failing_since}: {look['failure']}. It is tried again."
    ago = count(minutes, "minute") if minutes else count(look["seconds"], "second")
    since = at(datetime.fromisoformat(look["since"]).astimezone(zone), now)
    return (
        f"Looked for mail {ago} ago, unread since {since}; older mail: `email-assistant ingest --backfill`."
    )
