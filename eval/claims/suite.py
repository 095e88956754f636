"""The scorecard's suite on claims; see `eval.claims`."""

from eval.claims.__main__ import scores
from eval.claims.measure import FIELDS
from eval.figures import SuiteReport
from eval.scored import report_of
from eval.setup import Setup


async def report(setup: Setup) -> SuiteReport:
    """Every field of every case."""
    return await report_of(setup, scores, FIELDS)
