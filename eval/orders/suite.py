"""The scorecard's suite on orders; see `eval.orders`."""

from eval.figures import SuiteReport
from eval.orders.__main__ import scores
from eval.orders.measure import FIELDS
from eval.scored import report_of
from eval.setup import Setup


async def report(setup: Setup) -> SuiteReport:
    """Every field of every case."""
    return await report_of(setup, scores, FIELDS)
