"""Who decided where mail belongs, and what that cost: read off the record of the runs."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Row, Subquery, exists, func, or_, select

from email_assistant.journal.database import Database
from email_assistant.journal.records import OFFLINE
from email_assistant.journal.rows import dollars
from email_assistant.journal.tables import CATEGORY_CORRECTIONS, MODEL_CALLS, REVIEWS, RUNS, STEPS
from email_assistant.workflows.inbox_organizer.records.organizer_mail import GRAPH


@dataclass(frozen=True, slots=True)
class Sorted:
    """How many mails were sorted, and by whom; a mail that was sorted anew counts again.

    `without_model`, `fast`, `escalated` and `strong` add up to `mails`; `human` and `rules` are counted besides.
    """

    mails: int = 0
    without_model: int = 0
    """By a hint or by headers."""
    fast: int = 0
    """By the fast tier alone."""
    escalated: int = 0
    """The fast tier was not sure, and the strong one decided."""
    strong: int = 0
    """By the strong tier alone, because both tiers are one model."""
    human: int = 0
    """A card asked a person where it belongs."""
    rules: int = 0
    """Those of a tier for which the offline rules spoke, not a language model."""
    corrections: int = 0
    """Mails whose category a person corrected, and from which something was learned that is not forgotten."""
    cost_usd: Decimal = Decimal(0)
    """Of all calls that sorted, failed ones too; those of unknown price count 0."""

    def share(self, count: int) -> float:
        """The part that so many mails are of all that were sorted, 0 to 1."""
        return count / self.mails if self.mails else 0.0

    @property
    def shares(self) -> dict[str, float]:
        """The share of each way, 0 to 1, to four places."""
        ways = ("without_model", "fast", "escalated", "strong", "human")
        return {way: round(self.share(getattr(self, way)), 4) for way in ways}


@dataclass(frozen=True)
class Sorting:
    """Reads the record of one graph."""

    database: Database
    graph: str = GRAPH
    step: str = "categorize"
    """The node that decides; the model call has the same name."""
    card: str = "Label as "
    """How the title of a card begins that asks where a mail belongs."""

    async def counts(self) -> Sorted:
        """All that was ever sorted."""
        runs = self._runs().subquery()
        kinds = (runs.c.fast, runs.c.strong, runs.c.model, runs.c.human)
        statement = select(*kinds, func.count().label("number")).group_by(*kinds)
        counts: Counter[str] = Counter()
        async with self.database.read() as connection:
            for row in await connection.execute(statement):
                counts.update(dict.fromkeys(_ways(row), row.number))
            nano = (await connection.execute(self._cost())).scalar() or 0
            corrections = (await connection.execute(_corrections())).scalar() or 0
        return Sorted(**counts, corrections=corrections, cost_usd=dollars(nano))

    def _runs(self) -> Any:
        """For each run that has sorted a mail: whether each tier, any model, and a person was asked."""
        sorted_, c = self._sortings(), MODEL_CALLS.c
        tiers = {"fast": c.tier == "fast", "strong": c.tier == "strong", "model": c.model != OFFLINE}
        calls = (c.run_id == sorted_.c.run_id, c.call == self.step, c.error.is_(None))
        # Each through the index: SQLite would compare a joined table of sums row by row.
        made = [exists().where(*calls, which).label(name) for name, which in tiers.items()]
        return select(sorted_.c.run_id, *made, self._asked(sorted_).label("human"))

    def _sortings(self) -> Subquery:
        """Each run that has sorted, when it did, and when its thread's next mail was sorted."""
        at = func.min(STEPS.c.recorded_at).label("at")
        first = (
            select(STEPS.c.run_id, RUNS.c.run_thread_id, at)
            .join(RUNS, RUNS.c.run_id == STEPS.c.run_id)
            .where(RUNS.c.graph == self.graph, STEPS.c.name == self.step, STEPS.c.error.is_(None))
            .group_by(STEPS.c.run_id, RUNS.c.run_thread_id)
            .subquery()
        )
        following = func.lead(first.c.at).over(partition_by=first.c.run_thread_id, order_by=first.c.at)
        return select(first, following.label("until")).subquery()

    def _asked(self, sorted_: Subquery) -> ColumnElement[bool]:
        """Whether a card asked: of this run, or of one that took up after it had failed."""
        r = REVIEWS.c
        return exists().where(
            r.run_thread_id == sorted_.c.run_thread_id,
            r.title.startswith(self.card, autoescape=True),
            r.first_shown_at >= sorted_.c.at,
            or_(sorted_.c.until.is_(None), r.first_shown_at < sorted_.c.until),
        )

    def _cost(self) -> Any:
        ours = select(RUNS.c.run_id).where(RUNS.c.graph == self.graph)
        return select(func.sum(MODEL_CALLS.c.cost_nano_usd)).where(
            MODEL_CALLS.c.call == self.step, MODEL_CALLS.c.run_id.in_(ours)
        )


def _corrections() -> Any:
    c = CATEGORY_CORRECTIONS.c
    mails = select(c.mailbox, c.message_id).where(c.forgotten_at.is_(None)).distinct().subquery()
    return select(func.count()).select_from(mails)


def _ways(row: Row[Any]) -> list[str]:
    """What a sorting counts as."""
    ways = {
        (True, True): "escalated",
        (True, False): "fast",
        (False, True): "strong",
        (False, False): "without_model",
    }
    way = ways[bool(row.fast), bool(row.strong)]
    by_rules = way != "without_model" and not row.model
    return ["mails", way, *(["rules"] if by_rules else []), *(["human"] if row.human else [])]
