"""Cards that wait for a person while no run waits for them: rows of the reviews, under threads of their own."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, select

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.records import DEFERRED, Review
from email_assistant.journal.sql import Rows
from email_assistant.journal.tables import REVIEWS

REVIEW_ROWS = Rows(REVIEWS, Review, answers=tuple)
UNANSWERED = REVIEWS.c.decision.is_(None) | (REVIEWS.c.last_shown_at > REVIEWS.c.decided_at)
"""Of cards that wait: what was accepted may have been asked about once more."""
MOST_DEFERRED = 200
"""Cards that are shown at once."""
_IS_DEFERRED = and_(REVIEWS.c.run_thread_id.startswith(DEFERRED), UNANSWERED)


@dataclass(frozen=True)
class DeferredReviews:
    """Those that wait now."""

    database: Database
    clock: Clock

    async def deferred(self) -> list[Review]:
        """The cards that wait without a run, the oldest first."""
        oldest = REVIEW_ROWS.select(_IS_DEFERRED).order_by(REVIEWS.c.first_shown_at, REVIEWS.c.review_id)
        return await REVIEW_ROWS.read(self.database, oldest.limit(MOST_DEFERRED))

    async def last_deferred(self) -> tuple[int, datetime | None]:
        """How many of them wait, and when the newest was put there."""
        newest = select(func.count(), func.max(REVIEWS.c.first_shown_at)).where(_IS_DEFERRED)
        async with self.database.read() as connection:
            number, put_at = (await connection.execute(newest)).one()
        return number, put_at
