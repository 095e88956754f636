"""A past of any length: what a few mails left in the journal, copied as often as is wanted, and as many messages in the mailbox."""

import mailbox
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Table, func, select

from email_assistant.app import Container
from email_assistant.journal import tables

COPIED: Sequence[tuple[Table, frozenset[str]]] = (
    (tables.MAIL, frozenset({"message_id", "mail_thread_id", "run_thread_id"})),
    (tables.RUNS, frozenset({"run_id", "trace_id", "message_id", "run_thread_id"})),
    (tables.STEPS, frozenset({"run_id", "step_id"})),
    (tables.TOOL_EXECUTIONS, frozenset({"run_id", "step_id", "tool_call_id"})),
    (tables.MODEL_CALLS, frozenset({"run_id", "step_id"})),
    (tables.REVIEWS, frozenset({"review_id", "run_id", "run_thread_id"})),
    (tables.OUTBOX, frozenset({"action_id", "subject_key"})),
    (tables.CORRESPONDENTS, frozenset({"address", "name_skeleton", "domain_skeleton", "domain"})),
)
"""Tables that grow with mail, each with the columns in which a copy has to differ."""
_ROWS = 5_000
_START = datetime(2020, 1, 1, tzinfo=UTC)


async def lengthen(house: Container, mails: int) -> int:
    """Copy what is in the journal until it has about so many mails; returns how many it has then."""
    async with house.database.read() as connection:
        there = int((await connection.execute(select(func.count()).select_from(tables.MAIL))).scalar_one())
    for table, differing in COPIED:
        async with house.database.read() as connection:
            rows = [dict(row) for row in (await connection.execute(select(table))).mappings()]
        await _copy(house, table, differing, rows, mails // there - 1)
    async with house.database.read() as connection:
        return int((await connection.execute(select(func.count()).select_from(tables.MAIL))).scalar_one())


async def _copy(
    house: Container, table: Table, differing: frozenset[str], rows: Sequence[Mapping[str, Any]], times: int
) -> None:
    made = []
    for number in range(times):
        made += [
            {
                name: f"{value}~{number}" if name in differing and value is not None else value
                for name, value in row.items()
                if name != "id"
            }
            for row in rows
        ]
        if len(made) >= _ROWS or number == times - 1:
            async with house.database.begin() as connection:
                if made:
                    await connection.execute(table.insert(), made)
            made = []


def fill(folder: Path, messages: int) -> None:
    """So many short messages, read and each in a conversation of its own, into the Maildir."""
    current = folder / "cur"
    mailbox.Maildir(folder, create=True).close()
    for number in range(messages):
        message = EmailMessage()
        message["From"], message["To"] = (
            f"Sender {number % 997} <s{number % 997}@past.example>",
            "robin@vale.example",
        )
        message["Subject"], message["Message-ID"] = f"Matter {number}", f"<past.{number}@past.example>"
        message["Date"] = format_datetime(_START + timedelta(minutes=number))
        message.set_content(f"About matter {number}.\n")
        (current / f"{1_577_836_800 + 60 * number}.P{number}.past:2,S").write_bytes(bytes(message))
