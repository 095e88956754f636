"""The scorecard's suite on claims with a model that says anything; see `eval.claims.attack`."""

from eval.claims.attack import attack
from eval.figures import Figure, SuiteReport
from eval.setup import Setup

DECISIONS = 300


async def report(setup: Setup) -> SuiteReport:
    """Generated decisions, and the rules that were broken. None may be; some must come to a card, or nothing was tried."""
    found = await attack(setup.count or DECISIONS)
    figures = [
        Figure("decisions", found.decisions, "count"),
        Figure("refund-cards", found.cards, "count", target=1),
        Figure("refunds-after-approval", found.refunds, "count", target=1),
        Figure("broken-rules", len(found.broken), "count", "lower", target=0),
    ]
    routes = "\n".join(f"| {name} | {count} |" for name, count in found.routes.most_common())
    return SuiteReport(
        "a script that says anything at all",
        figures,
        f"| route | decisions |\n|---|---|\n{routes}",
        broken=found.broken[:20],
    )
