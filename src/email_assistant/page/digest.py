"""What was done today without the person, each mail with its way back; what was learned, to be forgotten again; and what is to come."""

import asyncio
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.app.container import Container
from email_assistant.errors import EmailAssistantError, InputError
from email_assistant.journal.digest import UnaskedMail, settled_unasked, unanswered_questions
from email_assistant.journal.revisions import Revision
from email_assistant.memory.profiles import PROFILES
from email_assistant.models.call import Tier
from email_assistant.tools.drafts import SENT_KIND

ASKED_WITHIN = timedelta(days=14)
"""A question that was sent before is not waited for any more."""
NEXT_DAYS = timedelta(days=3)
CALENDAR_SECONDS = 1.0
TIERS: tuple[Tier, ...] = ("fast", "strong")
BY_HAND = ("default", "sample", "edited by hand", "restored from", "store", "forgotten")
"""How the origins of revisions begin that nobody has to be told about."""


async def digest(built: Container) -> dict[str, Any]:
    """{"since", "done": [{"outcome", "number", "mails"}], "learned": [{"profile", "line", "at"}], "unanswered": [{"to", "subject", "at"}],
    "coming": [{"title", "start", "all_day"}], "calendar": why it cannot be told, "minutes_since_look": None for never, "models"}.

    What was done stands the latest first, what is waited for or to come the earliest first.
    """
    since, look = day_start(built), await built.trace.last_run("ingest")
    by_outcome: dict[str, list[UnaskedMail]] = defaultdict(list)
    for mail in await settled_unasked(built.database, since):
        by_outcome[mail.outcome].append(mail)
    return {
        "since": since.isoformat(),
        "done": [
            {"outcome": outcome, "number": len(mails), "mails": [_told(each) for each in mails]}
            for outcome, mails in by_outcome.items()
        ],
        "learned": await learned(built, since),
        "unanswered": [
            {"to": each.to, "subject": each.subject, "at": each.sent_at.isoformat()}
            for each in await unanswered_questions(built.database, SENT_KIND, since - ASKED_WITHIN)
        ],
        **await _coming(built),
        "minutes_since_look": int((built.clock.now() - look.started_at).total_seconds() // 60)
        if look
        else None,
        "models": list(dict.fromkeys(built.models.model_name(tier) for tier in TIERS)),
    }


async def _coming(built: Container) -> dict[str, Any]:
    """The events of the next days; the page does not wait long for a calendar."""
    now = built.agenda_clock.now().astimezone(ZoneInfo(built.settings.timezone))
    try:
        async with asyncio.timeout(CALENDAR_SECONDS):
            events = await built.calendar.events(now, now + NEXT_DAYS)
    except (EmailAssistantError, TimeoutError) as error:
        return {"coming": [], "calendar": str(error) or "The calendar does not answer."}
    told = [
        {"title": each.title, "start": each.start.astimezone(now.tzinfo).isoformat(), "all_day": each.all_day}
        for each in events
        if not each.unread
    ]
    return {"coming": told, "calendar": ""}


def day_start(built: Container) -> datetime:
    """When today began for the user."""
    now = built.clock.now().astimezone(ZoneInfo(built.settings.timezone))
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _told(mail: UnaskedMail) -> dict[str, Any]:
    return {
        "key": str(mail.key),
        "who": mail.sender,
        "subject": mail.subject,
        "why": mail.reason,
        "graph": mail.graph,
        "at": mail.at.isoformat(),
        "can_come_back": mail.can_come_back,
    }


async def learned(built: Container, since: datetime) -> list[dict[str, str]]:
    """The lines that answers have added since and that still stand."""
    found = []
    for name in PROFILES:
        history = await built.profiles.history(name)
        still = set(_lines(history[-1]))
        for before, after in pairwise(history):
            if after.created_at < since or after.origin.startswith(BY_HAND):
                continue
            new = [line for line in _lines(after) if line in still and line not in _lines(before)]
            found += [{"profile": name, "line": line, "at": after.created_at.isoformat()} for line in new]
    return sorted(found, key=lambda each: each["at"], reverse=True)


async def forget(built: Container, profile: str, line: str) -> None:
    """Take a line out of a profile, whose history keeps it; raises `InputError` when it is not there, or the last one."""
    if profile not in PROFILES:
        raise InputError(f"profile must be one of {', '.join(PROFILES)}.")
    lines = (await built.profiles.read(profile, None)).content.splitlines()
    if line not in lines:
        raise InputError("This is not in the profile any more.")
    left = "\n".join(each for each in lines if each != line)
    await built.profiles.write(profile, left, origin="forgotten on the review page")


def _lines(revision: Revision) -> list[str]:
    return [line for line in revision.content.splitlines() if line.strip() and not line.startswith("#")]
