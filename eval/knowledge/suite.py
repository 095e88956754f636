"""The scorecard's suite on similar past mail; see `eval.knowledge`."""

from eval.figures import SuiteReport
from eval.knowledge.__main__ import told
from eval.knowledge.finding import report_of
from eval.knowledge.measure import answered, figures, half
from eval.setup import Setup


async def report(setup: Setup) -> SuiteReport:
    """What is found, what is used, and what is used falsely: offline nothing may be."""
    return await report_of(
        answered, told, lambda found, split: figures(half(found, split)), nothing_false=True
    )
