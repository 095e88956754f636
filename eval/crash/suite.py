"""Every graph is killed at every boundary that makes a difference, and what came of it is counted."""

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from eval.crash.killing import Bench, Outcome, thinned
from eval.crash.scenarios import SCENARIOS
from eval.figures import Figure, SuiteReport
from eval.setup import Setup

MAX_TOLD = 20
"""Lines of what went wrong."""
AT_ONCE = min(2, os.cpu_count() or 1)
"""Scenarios gone through side by side; each has processes and a folder of its own."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one scenario's kills came to."""

    scenario: str
    boundaries: int
    """That the undisturbed run came to, nodes and the journal's record of steps included."""
    planned: int
    """Kills that make a difference."""
    outcomes: Sequence[Outcome]
    undisturbed: Mapping[str, int] = field(default_factory=dict)
    """Kind → effects without an approval that there are with no kill at all."""

    @property
    def kills(self) -> int:
        """That really happened."""
        return sum(outcome.happened for outcome in self.outcomes)

    def total(self, what: str) -> int:
        """Of `twice`, `lost`, `unapproved` or `left`, over all kills."""
        found: int = sum(getattr(outcome, what).total() for outcome in self.outcomes)
        return found + (sum(self.undisturbed.values()) if what == "unapproved" else 0)


def ran(folder: Path, scenario: str, count: int | None = None, bug: str = "") -> Ran:
    """Go through a scenario; with `count` only so many of its kills, spread over all of them."""
    bench = Bench(folder / scenario, scenario, bug)
    bench.prepare()
    planned = bench.kills()
    chosen = planned if count is None else thinned(planned, count)
    boundaries = sum(len(points) for points in bench.stages)
    undisturbed = bench.expected.unapproved(SCENARIOS[scenario].unasked) if bench.expected else {}
    return Ran(scenario, boundaries, len(planned), [bench.attempt(kill) for kill in chosen], undisturbed)


async def report(setup: Setup) -> SuiteReport:
    """All scenarios; with `--count` so many kills of each."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        loop = asyncio.get_running_loop()
        found = [loop.run_in_executor(pool, ran, Path(folder), each, setup.count) for each in SCENARIOS]
        return scored(await asyncio.gather(*found))


def scored(all_ran: Sequence[Ran]) -> SuiteReport:
    """The figures, a table by scenario, and what must not have happened."""
    outcomes = [outcome for each in all_ran for outcome in each.outcomes]
    kills = sum(each.kills for each in all_ran)
    counts = {
        "effects-twice": sum(each.total("twice") for each in all_ran),
        "effects-lost": sum(each.total("lost") for each in all_ran),
        "effects-unapproved": sum(each.total("unapproved") for each in all_ran),
        "left-behind": sum(each.total("left") for each in all_ran),
        "mails-lost": sum(outcome.lost_mail for outcome in outcomes),
    }
    again = sum(outcome.asked_again for outcome in outcomes)
    figures = [
        # How many boundaries there are changes with the graphs; only that there are any must hold.
        Figure("kills", kills, "count", exact=False),
        *(Figure(name, value, "count", "lower", target=0, of=kills) for name, value in counts.items()),
        Figure("cards-asked-again", again, "count", "lower", of=kills, exact=False),
    ]
    return SuiteReport(
        answers="offline rules; a script on claims",
        figures=figures,
        text=_table(all_ran),
        broken=_broken(all_ran),
    )


def _broken(all_ran: Sequence[Ran]) -> list[str]:
    told = [f"{each.scenario}: no kill happened" for each in all_ran if not each.kills]
    for each in all_ran:
        for outcome in each.outcomes:
            if outcome.complaints:
                told.append(f"{each.scenario}, {outcome.kill}: {'; '.join(outcome.complaints)}")
    more = len(told) - MAX_TOLD
    return [*told[:MAX_TOLD], f"and {more} more"] if more > 0 else told


def _table(all_ran: Sequence[Ran]) -> str:
    head = ["scenario", "what happens", "boundaries", "kills", "state kept", "run forgotten", "all forgotten"]
    head += ["asked again", "twice", "lost", "unapproved", "left behind", "mails lost"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for each in all_ran:
        by = Counter(outcome.kill.losing for outcome in each.outcomes if outcome.happened)
        kills = f"{each.kills}" if each.kills == each.planned else f"{each.kills} of {each.planned}"
        counts = [by["kept"], by["forgotten"], by["gone"], sum(o.asked_again for o in each.outcomes)]
        counts += [each.total(what) for what in ("twice", "lost", "unapproved", "left")]
        counts.append(sum(o.lost_mail for o in each.outcomes))
        told = SCENARIOS[each.scenario].told
        lines.append(
            f"| {each.scenario} | {told} | {each.boundaries} | {kills} | {' | '.join(map(str, counts))} |"
        )
    return "\n".join(lines) + "\n"
