"""How far a backfill has come, of all its workers together, and what it has cost."""

from dataclasses import dataclass, field
from decimal import Decimal

from email_assistant.journal.backfills import Backfill, Backfills, Standing
from email_assistant.journal.spending import Spending, Spent


@dataclass(frozen=True, slots=True)
class Progress:
    """One look at it."""

    standing: Standing
    planned: bool
    """Whether all of the mail is listed."""
    begun: Spent = field(default_factory=Spent)
    """What the chunks that are not done have cost."""

    @property
    def cost_usd(self) -> Decimal:
        """In all; calls of unknown price count 0."""
        return self.standing.cost_usd + self.begun.cost_usd


@dataclass(frozen=True)
class ProgressReader:
    """Adds up what the tables say."""

    backfills: Backfills
    spending: Spending

    async def of(self, backfill: Backfill) -> Progress:
        """How far it has come now."""
        standing = await self.backfills.standing(backfill)
        begun = Spent()
        for ids in standing.begun:
            begun += await self.spending.on(ids, backfill.started_at)
        return Progress(standing, backfill.planned, begun)
