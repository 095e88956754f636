"""Questions that were sent and that nobody has answered yet, as far as mail came in since."""

import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists, select

from email_assistant.journal.database import Database
from email_assistant.journal.records import OutboxStatus
from email_assistant.journal.tables import MAIL, OUTBOX

LIMIT = 500
_NOT_ASKED = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|\"[^\"\n]*\"|^[ \t]*>.*$|\?\s*[—–]", re.MULTILINE)
"""What others have said, and a question of theirs with its answer behind a dash."""


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
