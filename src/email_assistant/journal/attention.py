"""What asks for a person's attention beside the cards.

Mail whose runs fail, by cause: what is told before anything else. And for a digest: mail that was dealt with without a person having been
asked, and questions of the user's that nobody has answered yet.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, exists, func, literal, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from email_assistant.journal.database import Database
from email_assistant.journal.records import DEFERRED, MailStatus
from email_assistant.journal.tables import MAIL, REVIEWS

MAX_NAMED = 3
"""Mails of one cause that are named."""
LIMIT = 500
"""Mails, or sent messages, that a digest looks at."""

MENDS = {
    "in the form asked for": "name another model in EMAIL_ASSISTANT_MODEL_FAST or EMAIL_ASSISTANT_MODEL_STRONG, or check "
    "OPENAI_BASE_URL",
    "unreadable response": "check OPENAI_BASE_URL and the model's name",
    "cannot be reached": "check the connection, OPENAI_BASE_URL, and whether the provider is up",
}

_FAILED = MAIL.c.status.in_((MailStatus.needs_review, MailStatus.dead_letter))
_ENDED = and_(MAIL.c.status.in_((MailStatus.done, MailStatus.ignored)), MAIL.c.outcome != "")
_WORKED = or_(MAIL.c.status == MailStatus.waiting_review, _ENDED)
"""What a run has brought to a card or to an end; mail that was merely closed proves nothing."""
_FORM = re.compile(r"(?:\w+: )?(.* did not answer in the form asked for)\b.*")
_VARYING = re.compile(r"\d+|'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Cause:
    """Why mails fail, and which."""

    reason: str
    """One line that says who must act."""
    number: int
    """How many mails; one that several graphs deal with counts once."""
    named: tuple[str, ...]
    """Sender and subject of some of them."""
    given_up: bool = False
    """Whether they are dead letters; else they are tried again."""
    attempts: int = 0
    """How many runs of the first of them have failed."""


@dataclass(frozen=True, slots=True)
class Failing:
    """The mails that fail."""

    causes: tuple[Cause, ...] = ()
    """The one with most mails first."""
    number: int = 0
    given_up: int = 0
    """Those that were tried often enough, and are dead letters."""
    everything: bool = False
    """Whether nothing works: see the function that found it."""


def mail_name(email_input: Any) -> str:
    """A mail by sender and subject, as a person knows it."""
    who, subject = sender_and_subject(email_input)
    return f"{who or '(unknown sender)'}: {subject or '(no subject)'}"


def sender_and_subject(email_input: Any) -> tuple[str, str]:
    """Who wrote a mail, by name where there is one, and its subject; "" for what is missing."""
    mail = email_input if isinstance(email_input, dict) else {}
    sender = " ".join(str(mail.get("from") or mail.get("author") or "").split())
    who = sender.partition("<")[0].strip(' "') or sender.strip("<>")
    return who, " ".join(str(mail.get("subject") or "").split())


def with_mend(reason: str) -> str:
    """The reason and, where it does not say so itself, what to do."""
    mend = mend_for(reason)
    return f"{reason}; {mend}" if mend else reason


def mend_for(reason: str) -> str:
    """What to do about a cause whose own words do not say it; "" for the others."""
    if "ollama:" in reason and "cannot be reached" in reason:
        return "start Ollama (`ollama serve`), or set OLLAMA_HOST to where it runs"
    return next((mend for words, mend in MENDS.items() if words in reason), "")


def cause_of(reason: str) -> str:
    """The reason without what differs from mail to mail: the call, and what was wrong with its answer."""
    return _FORM.sub(r"\1", reason)


async def failing_now(database: Database) -> Failing:
    """The mails that will be tried again, and of those given up the ones since which nothing has worked.

    What was given up before that is the dead letters' to tell. `everything`: the last thing that was tried failed.
    """
    async with database.read() as connection:
        failed = await _failed(connection)
        last: datetime | None = (
            await connection.execute(select(func.max(MAIL.c.updated_at)).where(_WORKED))
        ).scalar()
        since = [row for row in failed if last is None or row.updated_at > last]
        chosen = [row for row in failed if row in since or row.status == MailStatus.needs_review]
        return await _failing(connection, chosen, everything=bool(since))


async def failing_ever(database: Database) -> Failing:
    """All that has failed and was not mended, whatever worked since. `everything` is not judged."""
    async with database.read() as connection:
        return await _failing(connection, await _failed(connection), everything=False)


async def failing_since(database: Database, instant: datetime) -> Failing:
    """The mails that have failed since. `everything`: and none has worked."""
    async with database.read() as connection:
        chosen = [row for row in await _failed(connection) if row.updated_at >= instant]
        worked = select(MAIL.c.id).where(_WORKED, MAIL.c.updated_at >= instant).limit(1)
        nothing = (await connection.execute(worked)).first() is None
        return await _failing(connection, chosen, everything=bool(chosen) and nothing)


async def _failed(connection: AsyncConnection) -> Sequence[Any]:
    c = MAIL.c
    statement = select(c.id, c.mailbox, c.message_id, c.status, c.reason, c.attempts, c.updated_at)
    return (await connection.execute(statement.where(_FAILED).order_by(c.id))).all()


async def _failing(connection: AsyncConnection, rows: Sequence[Any], *, everything: bool) -> Failing:
    groups: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        groups.setdefault((_VARYING.sub("#", cause_of(row.reason)), row.status), []).append(row)
    causes = [await _cause(connection, group) for group in groups.values()]
    return Failing(
        tuple(sorted(causes, key=lambda cause: -cause.number)),
        len(_mails(rows)),
        len(_mails(row for row in rows if row.status == MailStatus.dead_letter)),
        everything,
    )


async def _cause(connection: AsyncConnection, rows: Sequence[Any]) -> Cause:
    some = [row.id for row in rows[:MAX_NAMED]]
    statement = select(MAIL.c.email_input).where(MAIL.c.id.in_(some)).order_by(MAIL.c.id)
    named = [mail_name(row.email_input) for row in await connection.execute(statement)]
    first = rows[0]
    return Cause(
        cause_of(first.reason),
        len(_mails(rows)),
        tuple(dict.fromkeys(named)),
        first.status == MailStatus.dead_letter,
        first.attempts,
    )


def _mails(rows: Iterable[Any]) -> set[tuple[str, str]]:
    return {(row.mailbox, row.message_id) for row in rows}


@dataclass(frozen=True, slots=True)
class UnaskedMail:
    """One mail as one graph has settled it."""

    key: int
    """Its row in the journal."""
    graph: str
    outcome: str
    """What was done, in the graph's word: "ignored", "labeled", "replied" …"""
    reason: str
    email_input: Any
    """What its run was started with; None when the journal has lost it, and it cannot come back."""
    at: datetime
    asks: str = ""
    """What it asks all the same, to stand behind a name: `asks: Is it oak?`; "" unless the text contradicts that it was ignored."""


async def settled_unasked(database: Database, since: datetime) -> list[UnaskedMail]:
    """What was settled since, and no card was shown of; the latest first, 500 at most."""
    c = MAIL.c
    of_it = REVIEWS.c.run_thread_id.in_((c.run_thread_id, literal(DEFERRED) + c.run_thread_id))
    asked = exists().where(of_it, REVIEWS.c.last_shown_at >= c.claimed_at)
    settled = c.status.in_((MailStatus.done, MailStatus.ignored))
    query = select(c.id, c.graph, c.outcome, c.reason, c.email_input, c.updated_at)
    query = query.where(settled, c.outcome != "", c.updated_at >= since, ~asked)
    async with database.read() as connection:
        rows = (await connection.execute(query.order_by(c.updated_at.desc(), c.id).limit(LIMIT))).all()
    return [UnaskedMail(*row) for row in rows]
