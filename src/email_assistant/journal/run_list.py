"""The runs as a person looks for them: by the mail that they are about, and what became of it."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, func, select

from email_assistant.journal.database import Database
from email_assistant.journal.failing import mail_name
from email_assistant.journal.records import Run
from email_assistant.journal.tables import MAIL, RUNS
from email_assistant.journal.trace_reads import TraceReads

CHUNK = 400
"""Traces asked about at once; old SQLite takes no more than 999 parameters."""


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run, and the mail that its trace began with; "" where it had none, or none that is on record."""

    run: Run
    sender: str = ""
    subject: str = ""
    status: str = ""
    """Where the mail is on its way by now."""
    outcome: str = ""
    """How the work on it has ended; "" while it goes on."""

    @property
    def name(self) -> str:
        """The mail by sender and subject; "" for none."""
        return mail_name({"from": self.sender, "subject": self.subject}) if self.status else ""


async def listed_runs(reads: TraceReads, *, limit: int, without: str | None = None) -> list[ListedRun]:
    """The newest runs, newest first; `without` leaves out those of one graph."""
    runs = await reads.runs(limit=limit, without=without)
    mails = await _mails(reads.database, list(dict.fromkeys(run.trace_id for run in runs)))
    return [ListedRun(run, **mails.get(run.trace_id, {})) for run in runs]


async def _mails(database: Database, trace_ids: list[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    async with database.read() as connection:
        for start in range(0, len(trace_ids), CHUNK):
            for row in await connection.execute(_statement(trace_ids[start : start + CHUNK])):
                found[row.run_id] = {
                    "sender": row.sender or "",
                    "subject": row.subject or "",
                    "status": str(row.status),
                    "outcome": row.outcome,
                }
    return found


def _statement(trace_ids: list[str]) -> Select[Any]:
    """Only what is shown: an input holds a whole conversation."""
    mail = MAIL.c.email_input
    same = and_(MAIL.c.message_id == RUNS.c.message_id, MAIL.c.run_thread_id == RUNS.c.run_thread_id)
    return (
        select(
            RUNS.c.run_id,
            func.coalesce(mail["from"].as_string(), mail["author"].as_string()).label("sender"),
            mail["subject"].as_string().label("subject"),
            MAIL.c.status,
            MAIL.c.outcome,
        )
        .join(MAIL, and_(same, MAIL.c.graph == RUNS.c.graph))
        .where(RUNS.c.run_id.in_(trace_ids))
    )
