"""The scorecard's suite on facts in drafts; see `eval.fact_check`."""

from eval import fact_promises, fact_replies
from eval.fact_check import measure, section
from eval.fact_drafts import HALVES
from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.scored import slug
from eval.setup import Setup

CAUGHT, ALARMS = 0.95, 0.05


async def report(setup: Setup) -> SuiteReport:
    """Wrong facts caught, false alarms, commitments that go to a person; no model has a part in it."""
    return SuiteReport(setup.answers, [*_drafts(), *_promises(), *_replies()], section())


def _drafts() -> list[Figure]:
    made = []
    for half in HALVES:
        found = measure(half)
        answers = [answer for each in found.caught.values() for answer in each]
        made.append(share(f"{half}.wrong-facts-caught", sum(answers), len(answers), target=CAUGHT))
        alarms = len(found.alarms)
        made.append(share(f"{half}.false-alarms", alarms, found.claims, better="lower", target=ALARMS))
    return made


def _promises() -> list[Figure]:
    made = []
    for part in fact_promises.PARTS:
        found = fact_promises.measure(part)
        seen = found.commitments - len(found.missed)
        made.append(share(f"{part}.promises-found", seen, found.commitments))
    return made


def _replies() -> list[Figure]:
    made = []
    for part in fact_replies.PARTS:
        found = fact_replies.measure(part)
        name, seen = slug(part), found.committing - len(found.passed)
        if found.committing:
            made.append(share(f"{name}.commitments-to-a-person", seen, found.committing, target=CAUGHT))
        if found.harmless:
            made.append(
                share(f"{name}.harmless-to-a-person", len(found.stopped), found.harmless, better="lower")
            )
    return made
