"""The response agent on mails that need it: what it calls, what its drafts say, and what it leaves alone.

Triage says `respond` to each mail without being asked (`ForcedTriage`): how well it sorts is another suite's. A simulated human
accepts every card that can be accepted, but for what a case says, so nothing that is proposed is hidden by a person's care.
"""

from collections.abc import Sequence
from dataclasses import replace

from email_assistant.errors import ProviderError
from email_assistant.models.settings import OFFLINE
from email_assistant.models.usage import ModelUsage
from eval import judge, used
from eval.answers import Answers, Given, write
from eval.figures import SuiteReport
from eval.response import figures
from eval.response.case import BACKGROUND, Case, cases
from eval.response.running import Trajectory, feedback_of, run
from eval.response.score import Score, score
from eval.setup import Setup

NOTE = (
    "Triage is forced to `respond`, and the simulated human accepts every card but for what a case says. A mail is right when the tools"
    " come in order and with what is wanted, the drafts say what is required in the mail's language and leave no gap open, and nothing is"
    " done that must not be. The fact check and the comparison of values are the product's own rules (docs/fact_check.md)."
)


async def report(setup: Setup) -> SuiteReport:
    """Run it, write the first run's answers for `eval.compare`, and report. Raises `ConfigError` for a judge that is no model."""
    judging = await judge.judge_of(setup) if setup.judge else None
    runs = await ran(setup, [case for case in cases() if setup.split in ("all", case.split)])
    scores = [[score(found) for found in each] for each in runs]
    given = {one.case.id: Given(one.right, _told(one), "right") for one in scores[0]}
    # A half has a file of its own, so that it does not take the place of the whole.
    write(Answers("response", setup.answers, given), f"{setup.model} {setup.split}".removesuffix(" all"))
    made = scored(setup, runs, scores)
    if judging is None:
        return made
    try:
        told, text = judge.report(await judge.judged(judging, drafts(runs[0])), str(setup.judge))
    except ProviderError as error:  # What was measured before is kept.
        return replace(made, broken=[*made.broken, f"the judge could not be asked: {error}"])
    finally:
        await judging.close()
    return replace(made, figures=[*made.figures, *told], text=f"{made.text}\n\n{text}")


async def ran(setup: Setup, wanted: Sequence[Case]) -> list[list[Trajectory]]:
    """Every case as often as asked for, one after another, so that times are not of several at once."""
    usage: list[ModelUsage] = []
    models = setup.models(usage.append)
    return [[await run(case, models, usage) for case in wanted] for _ in range(max(1, setup.repeats))]


def scored(
    setup: Setup, runs: Sequence[Sequence[Trajectory]], scores: Sequence[Sequence[Score]]
) -> SuiteReport:
    """The report on runs; all but pass^k and what the code answers for is of the first run."""
    rules, first = setup.model == OFFLINE, scores[0]
    everything = [one for each in scores for one in each]
    told = [*figures.quality(first), *figures.repeated(scores), figures.cards(runs[0])]
    tables = [each(first) for each in (figures.kind_table, figures.misdeed_table, figures.wrong_list)]
    return SuiteReport(
        answers=setup.answers,
        figures=[
            *(replace(each, exact=rules) for each in told),
            *figures.guarded(everything),
            *used.figures(runs[0], rules=rules, alone=True),
        ],
        text="\n\n".join([NOTE, *tables, *used.notes(runs[0])]),
        charts=[figures.kind_bars(first)],
        broken=[line for each in everything for line in each.broken],
    )


def drafts(runs: Sequence[Trajectory]) -> list[judge.Draft]:
    """What was sent, for a judge; mails to which nothing was sent are left out."""
    return [
        judge.Draft(
            case=found.case.id,
            conversation="\n\n".join(
                f"From: {part['from']}\n\n{part.get('text') or part.get('html', '')}"
                for part in (*found.case.mail.get("thread", []), found.case.mail)
            ),
            known="\n".join([BACKGROUND, *found.case.preferences.values(), *_looked_up(found), *feedback_of(found.cards)]),
            text="\n\n".join(found.texts),
        )
        for found in runs
        if found.texts
    ]  # fmt: skip


def _told(one: Score) -> str:
    """What a file of answers says; of the test half no more than whether it was right."""
    if one.right:
        return "right"
    return "; ".join(one.problems) if one.case.split == "dev" else "not right"


def _looked_up(found: Trajectory) -> list[str]:
    return [call.result or "" for call in found.calls if call.tool == "check_calendar"]
