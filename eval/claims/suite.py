"""The scorecard's suite on claims; see `eval.claims`."""

from eval.claims.__main__ import scores
from eval.claims.measure import FIELDS
from eval.figures import SuiteReport
from eval.score_table import wrong
from eval.scored import bars, by_field
from eval.setup import Setup

NOTE = (
    "scripted: a model that says what is written down, all else is the real thing. offline: the rules alone."
)


async def report(setup: Setup) -> SuiteReport:
    """Every field of every case: by the rules and by a perfect reading, or by a model."""
    if setup.model == "offline":
        found = {mode: await scores(mode) for mode in ("scripted", "offline")}
    else:
        found = {"model": await scores("model", setup.models())}
    lines = "\n".join(f"- {line}" for line in wrong(found))
    text = f"{NOTE}\n\nNot wholly right:\n\n{lines}"
    charts = [bars(mode, scored, FIELDS) for mode, scored in found.items()]
    answers = f"{setup.answers}, and a script" if setup.model == "offline" else setup.answers
    return SuiteReport(answers, by_field(found, FIELDS), text, charts)
