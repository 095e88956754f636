"""Figures over many runs, added up by the database: what their models were asked, and what that cost."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import func, select

from email_assistant.journal.database import Database
from email_assistant.journal.sql import dollars
from email_assistant.journal.tables import MODEL_CALLS


@dataclass(frozen=True, slots=True)
class Usage:
    """Of all model calls on record."""

    calls: int
    tokens: int
    """Those asked with and those answered with."""


async def usage_of_models(database: Database) -> Usage:
    """What was asked of models."""
    c = MODEL_CALLS.c
    statement = select(
        func.count(),
        func.coalesce(func.sum(c.prompt_tokens), 0),
        func.coalesce(func.sum(c.completion_tokens), 0),
    ).select_from(MODEL_CALLS)
    async with database.read() as connection:
        calls, asked, answered = (await connection.execute(statement)).one()
    return Usage(int(calls), int(asked) + int(answered))


async def cost_since(database: Database, instant: datetime) -> Decimal:
    """US dollars of the model calls recorded since the instant; those of unknown price count 0."""
    statement = select(func.sum(MODEL_CALLS.c.cost_nano_usd)).where(MODEL_CALLS.c.recorded_at >= instant)
    async with database.read() as connection:
        return dollars((await connection.execute(statement)).scalar() or 0)
