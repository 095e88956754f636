"""What a digest tells: mail that was dealt with without a person having been asked, and questions that nobody has answered yet."""

import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists, select

from email_assistant.journal.database import Database
from email_assistant.journal.failing import sender_and_subject
from email_assistant.journal.records import MailStatus, OutboxStatus
from email_assistant.journal.tables import MAIL, OUTBOX, REVIEWS

LIMIT = 500
_NOT_ASKED = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|\"[^\"\n]*\"|^[ \t]*>.*$|\?\s*[—–]", re.MULTILINE)
"""What others have said, and a question of theirs with its answer behind a dash."""


@dataclass(frozen=True, slots=True)
class UnaskedMail:
    """One mail as one graph has settled it."""

    key: int
    """Its row in the journal."""
    graph: str
    outcome: str
    """What was done, in the graph's word: "ignored", "labeled", "replied" …"""
    reason: str
    sender: str
    subject: str
    at: datetime
    can_come_back: bool
    """Whether the journal has the mail, so that it can be asked about."""


async def settled_unasked(database: Database, since: datetime) -> list[UnaskedMail]:
    """What was settled since, and no card was shown of; the latest first, 500 at most."""
    c = MAIL.c
    asked = exists().where(
        REVIEWS.c.run_thread_id == c.run_thread_id, REVIEWS.c.last_shown_at >= c.claimed_at
    )
    settled = c.status.in_((MailStatus.done, MailStatus.ignored))
    query = select(c.id, c.graph, c.outcome, c.reason, c.email_input, c.updated_at)
    query = query.where(settled, c.outcome != "", c.updated_at >= since, ~asked)
    async with database.read() as connection:
        rows = (await connection.execute(query.order_by(c.updated_at.desc(), c.id).limit(LIMIT))).all()
    return [
        UnaskedMail(
            row.id,
            row.graph,
            row.outcome,
            row.reason,
            *sender_and_subject(row.email_input),
            row.updated_at,
            row.email_input is not None,
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class UnansweredQuestion:
    """A message that asked something."""

    to: str
    """Its recipients, as they stand in it."""
    subject: str
    sent_at: datetime


async def unanswered_questions(database: Database, kind: str, since: datetime) -> list[UnansweredQuestion]:
    """Messages with a question of their own that effects of this kind have sent since, and on whose conversations no mail came in after.

    The oldest first; of the first 500 messages.
    """
    of_run, later = MAIL.alias(), MAIL.alias()
    answered = exists().where(
        of_run.c.run_thread_id == OUTBOX.c.run_thread_id,
        later.c.mail_thread_id == of_run.c.mail_thread_id,
        later.c.claimed_at > OUTBOX.c.updated_at,
    )
    query = select(OUTBOX.c.payload, OUTBOX.c.updated_at)
    query = query.where(
        OUTBOX.c.kind == kind, OUTBOX.c.status == OutboxStatus.done, OUTBOX.c.updated_at >= since, ~answered
    )
    async with database.read() as connection:
        rows = (await connection.execute(query.order_by(OUTBOX.c.updated_at, OUTBOX.c.id).limit(LIMIT))).all()
    found = [(row.payload.get("args") or {}, row.updated_at) for row in rows]
    return [
        UnansweredQuestion(str(args.get("to", "")), str(args.get("subject", "")), at)
        for args, at in found
        if "?" in _NOT_ASKED.sub("", str(args.get("body", "")))
    ]
