"""What was settled today without a card, as page, `review` and `ingest` list it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from textwrap import shorten
from zoneinfo import ZoneInfo

from email_assistant.app.journal import JournalDeps
from email_assistant.journal.attention import UnaskedMail, settled_unasked
from email_assistant.journal.records import MailStatus
from email_assistant.mail.email_input import parse_email_input
from email_assistant.models.offline.guardrails import contradicts
from email_assistant.models.offline.wanted import wanted_by
from email_assistant.tools.tool import User

MAX_ASKS = 90
"""Characters of what an ignored mail asks."""


def day_start(deps: JournalDeps) -> datetime:
    """When today began for the user."""
    now = deps.clock.now().astimezone(ZoneInfo(deps.settings.timezone))
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


async def unasked_today(deps: JournalDeps) -> list[UnaskedMail]:
    """What was ignored although it asks, with what it asks, then what else was ignored, then the rest; of each the latest first."""
    mails = await settled_unasked(deps.database, day_start(deps))
    (learned,) = await deps.profiles.recent(("triage_preferences",), None)
    return await asyncio.to_thread(_ordered, mails, User.of(deps.settings), learned.content)


def _ordered(mails: Sequence[UnaskedMail], user: User, preferences: str) -> list[UnaskedMail]:
    marked = [_marked(each, user, preferences) for each in mails]
    return sorted(marked, key=lambda each: (not each.asks, each.outcome != MailStatus.ignored))


def _marked(mail: UnaskedMail, user: User, preferences: str) -> UnaskedMail:
    if mail.outcome != MailStatus.ignored or mail.email_input is None:
        return mail
    message = parse_email_input(mail.email_input).current
    if not contradicts(message, user.reader, preferences):
        return mail
    asks = wanted_by(message, user.timezone, user.own).headline
    return replace(mail, asks=shorten(asks, MAX_ASKS, placeholder=" …"))
