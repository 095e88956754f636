"""The scorecard's suite on which product is meant; see `eval.resolution`."""

from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.resolution.measure import HALVES, MOST_WRONG, Answered, answered, table
from eval.setup import Setup


async def report(setup: Setup) -> SuiteReport:
    """Recall, and products taken for certain that are not meant; rules and an index, no model."""
    found = {half: answered(half) for half in HALVES}
    made = [figure for half in HALVES for figure in _figures(half, found[half])]
    return SuiteReport("no model; exact, fuzzy and by index", made, table(found["test"]))


def _figures(half: str, found: list[Answered]) -> list[Figure]:
    certain = [one for one in found if one.case.is_certain]
    wrong = sum(one.is_wrong for one in found)
    return [
        share(f"{half}.resolved-rightly", sum(one.is_right for one in certain), len(certain)),
        share(f"{half}.wrong-product", wrong, len(found), better="lower", target=MOST_WRONG),
    ]
