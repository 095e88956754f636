"""The scorecard's suite on facts in drafts; see `eval.fact_check`."""

from eval.fact_check import Findings, findings, section
from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.setup import Setup

CAUGHT, ALARMS = 0.95, 0.05


async def report(setup: Setup) -> SuiteReport:
    """Wrong facts caught, false alarms, promises found; no model has a part in it."""
    found = findings()
    return SuiteReport(setup.answers, [*_drafts(found), *_promises(found)], section(found))


def _drafts(all_: Findings) -> list[Figure]:
    made = []
    for half, found in all_.drafts.items():
        answers = [answer for each in found.caught.values() for answer in each]
        made.append(share(f"{half}.wrong-facts-caught", sum(answers), len(answers), target=CAUGHT))
        alarms = len(found.alarms)
        made.append(share(f"{half}.false-alarms", alarms, found.claims, better="lower", target=ALARMS))
    return made


def _promises(all_: Findings) -> list[Figure]:
    made = []
    for part, found in all_.promises.items():
        seen = found.commitments - len(found.missed)
        made.append(share(f"{part}.promises-found", seen, found.commitments))
    return made
