"""The scorecard's suite on facts in drafts; see `eval.fact_check`."""

from eval.fact_check import Findings, findings, section
from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.scored import slug
from eval.setup import Setup

CAUGHT, ALARMS = 0.95, 0.05


async def report(setup: Setup) -> SuiteReport:
    """Wrong facts caught, false alarms, commitments that go to a person; no model has a part in it."""
    found = findings()
    return SuiteReport(setup.answers, [*_drafts(found), *_promises(found), *_replies(found)], section(found))


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


def _replies(all_: Findings) -> list[Figure]:
    made = []
    for part, found in all_.replies.items():
        name, seen = slug(part), found.committing - len(found.passed)
        if found.committing:
            made.append(share(f"{name}.commitments-to-a-person", seen, found.committing, target=CAUGHT))
        if found.harmless:
            made.append(
                share(f"{name}.harmless-to-a-person", len(found.stopped), found.harmless, better="lower")
            )
    return made
