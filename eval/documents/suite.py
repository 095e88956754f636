"""The scorecard's suite on documents; see `eval.documents`."""

from eval.documents.__main__ import told
from eval.documents.measure import answered, figures, half
from eval.figures import SuiteReport
from eval.knowledge.finding import report_of
from eval.setup import Setup


async def report(setup: Setup) -> SuiteReport:
    """What is found, what is used, and what is used falsely."""
    return await report_of(
        answered, told, lambda found, split: figures(half(found, split)), nothing_false=False
    )
