"""Learning from corrections: a simulated user with fixed tastes answers the cards of two hundred mails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from email_assistant.models.settings import OFFLINE
from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.learning import at_once, conflicts, guards
from eval.learning.agreement import by_taste, chart, corrected, of_tastes, table
from eval.learning.running import Seen, benches, run
from eval.learning.stream import COUNT, Mail, mails, strangers
from eval.learning.tastes import TASTES
from eval.learning.user import User
from eval.setup import Setup

AFTER_TARGET = 0.42
"""A little below what the offline rules come to (43.3 %): of the tastes that have to be corrected, most are beyond them.

It was 46.3 % while three dismissals hid a sender for good, and eight wanted mails with it; now the person is asked first.
"""
RULES = Setup()
HELD_TARGET = 11 / len(TASTES)
"""So many tastes the offline rules hold; what they hold they always do, so these targets are theirs, not a model's."""


async def report(setup: Setup) -> SuiteReport:
    """The stream with and without lessons, then changes of mind, then cards answered at once."""
    stream = await over_stream(setup, Plan(mails(setup.count or COUNT)))
    changes = await conflicts.measure(RULES.models)
    tasks, processes = await at_once.in_tasks(), await at_once.in_two_processes()
    figures = [
        *stream.figures,
        share("conflicts.latest-wins", sum(c.latest for c in changes), len(changes), target=1.0),
        share("conflicts.history-kept", sum(c.kept for c in changes), len(changes), target=1.0),
        _none("at-once.tasks.lost", tasks.lost, at_once.CARDS),
        _none("at-once.tasks.extra-revisions", tasks.extra, at_once.CARDS),
        _none("at-once.processes.lost", processes.lost, 2 * at_once.CARDS_EACH),
        _none("at-once.processes.extra-revisions", processes.extra, 2 * at_once.CARDS_EACH),
    ]
    note = "Changes of mind, and cards answered at once, are always learned by the offline rules."
    wrong = [f"change of mind {c.name}: the latest word does not hold" for c in changes if not c.latest]
    return SuiteReport(
        _answers(setup), figures, f"{stream.text}\n\n{note}", stream.charts, (*stream.broken, *wrong)
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: the stream, whose mail shows at the end what holds, and how many unrelated lessons there are."""

    stream: Sequence[Mail]
    probed: Sequence[str] = guards.PROBED
    each: int = 3
    unrelated: int = guards.UNRELATED


async def over_stream(setup: Setup, plan: Plan) -> SuiteReport:
    """The figures of the stream alone."""
    user, graphs = User(), sorted({mail.graph for mail in plan.stream})
    async with benches(setup.models, graphs) as fresh:
        alone = await run(fresh, None, plan.stream)
    async with benches(setup.models, graphs) as found:
        seen = await run(found, user, plan.stream)
        before = await guards.held(found, 700, plan.probed, plan.each)
        unrelated = strangers(plan.unrelated)
        await run(found, user, unrelated)
        after = await guards.held(found, 900, plan.probed, plan.each)
        told, lines = await guards.statements(found["email_assistant"])
        leaks = await guards.leaked(found, [*plan.stream, *unrelated])
    untaught = {each.mail.canary: each for each in alone}
    spills = guards.spilled(seen, untaught)
    gone = [name for name, holds in before.items() if holds and not after.get(name)]
    figures = [
        *_agreement(seen, alone, before),
        _none("forgotten.tastes", len(gone), sum(before.values())),
        _none("forgotten.statements", len(lines), len(told)),
        _none("spill-over.mails", len(spills), sum(each.mail.role == "innocent" for each in seen)),
        _none("leaked.words", len(leaks), len(plan.stream) + plan.unrelated),
        *_unwanted(seen, untaught),
    ]
    broken = [
        *(f"forgotten: {each}" for each in [*gone, *lines]),
        *(f"spill-over: {each}" for each in spills),
        *(f"a word of a mail is in a profile: {each}" for each in leaks),
    ]
    quiet = guards.silenced(seen, untaught)
    silent = ", ".join(f"{sender} {count}" for sender, count in sorted(quiet.items())) or "none"
    text = f"{table(by_taste(seen), before)}\n\nWanted mail that lessons made the assistant ignore, by sender: {silent}."
    if setup.model != OFFLINE:
        # Its figures differ from run to run, and what it holds is for it to show.
        figures = [replace(f, exact=False, target=f.target if f.target == 0 else None) for f in figures]
    return SuiteReport(_answers(setup), figures, text, [chart(seen, alone)], broken)


def _agreement(seen: Sequence[Seen], alone: Sequence[Seen], holds: Mapping[str, bool]) -> list[Figure]:
    checks = by_taste(seen)
    taught = corrected(checks)
    settled = [
        right
        for name, each in checks.items()
        if each.corrections and holds.get(name)
        for right in each.settled
    ]
    return [
        _share("agreement.without-lessons", of_tastes(alone)),
        _share("agreement.with-lessons", of_tastes(seen)),
        _share("agreement.before", [right for each in taught for right in each.before]),
        _share("agreement.after", [right for each in taught for right in each.after], target=AFTER_TARGET),
        _share("agreement.once-learned", settled, target=1.0),
        share("tastes.held", sum(holds.values()), len(TASTES), target=HELD_TARGET),
        *(_count(f"corrections.{name}", each.corrections) for name, each in checks.items()),
    ]


def _unwanted(seen: Sequence[Seen], untaught: Mapping[str, Seen]) -> list[Figure]:
    doubt = [each for each in seen if each.mail.role == "doubt"]
    obeyed = guards.obeyed_in_doubt(seen, untaught)
    return [
        _none("in-doubt.lessons", sum(each.learned for each in doubt), len(doubt)),
        _count("in-doubt.decided-by-lessons", obeyed, len(doubt)),
        _none("silenced.mails", guards.silenced(seen, untaught).total(), len(seen)),
    ]


def _answers(setup: Setup) -> str:
    return f"{setup.answers}; the user is simulated by rules"


def _share(name: str, right: Sequence[bool], target: float | None = None) -> Figure:
    return share(name, sum(right), len(right), target=target)


def _count(name: str, value: int, of: int | None = None) -> Figure:
    return Figure(name, value, "count", "lower", of=of)


def _none(name: str, value: int, of: int) -> Figure:
    return Figure(name, value, "count", "lower", target=0, of=of)
