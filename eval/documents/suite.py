"""The scorecard's suite on documents; see `eval.documents`."""

from email_assistant.knowledge.similarity import DOCUMENT_CURVES
from eval.documents.measure import answered, figures, rows
from eval.figures import SuiteReport
from eval.finding import Measure, report_of
from eval.setup import Setup

MEASURE = Measure(answered, figures, rows, DOCUMENT_CURVES, nothing_false=False)


async def report(setup: Setup) -> SuiteReport:
    """What is found, what is used, and what is used falsely."""
    return await report_of(MEASURE)
