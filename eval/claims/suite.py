"""The scorecard's suite on claims; see `eval.claims`."""

from email_assistant.models.runner import Models
from eval.claims.measure import FIELDS, score
from eval.claims.running import claims, desk
from eval.figures import SuiteReport
from eval.scored import Scored, report_of
from eval.setup import Setup


async def report(setup: Setup) -> SuiteReport:
    """The sample claims, field by field."""
    return await report_of(setup, scores, FIELDS)


async def scores(mode: str, models: Models | None) -> list[Scored]:
    """The claims with their fields."""
    async with desk(mode, models) as made:
        return [Scored(c["claim_id"], c["split"], score(c, await made.bring(c))) for c in claims()]
