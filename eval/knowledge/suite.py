"""The scorecard's suite on similar past mail; see `eval.knowledge`."""

from email_assistant.knowledge.similarity import CURVES
from eval.figures import SuiteReport
from eval.finding import Measure, report_of
from eval.knowledge.measure import answered, figures, rows
from eval.setup import Setup

MEASURE = Measure(answered, figures, rows, CURVES, nothing_false=True)


async def report(setup: Setup) -> SuiteReport:
    """What is found, what is used, and what is used falsely."""
    return await report_of(MEASURE)
