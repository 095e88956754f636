"""Whether the calls of a run have the steps that a case wants: the tools in order, and what each was called with."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from email.utils import getaddresses
from itertools import permutations

from eval.mails import USER
from eval.response.case import Step
from eval.response.running import Call, Trajectory


@dataclass(frozen=True)
class Steps:
    """How far a run has the steps of the trajectory it comes nearest to."""

    ordered: bool
    """The tools were called in the order wanted, whatever with."""
    complete: bool
    """And each with what was wanted."""
    held: int
    """Steps whose tool was called with what was wanted, at any time."""
    of: int
    problems: tuple[str, ...]
    unasked: tuple[str, ...]
    """Acts beyond those of the trajectory."""


def steps_of(found: Trajectory) -> Steps:
    """The best trajectory of the case for this run; where nobody wrote a letter, a meeting's invitation is it."""
    wanted: Sequence[Sequence[Sequence[Step]]] = found.case.trajectories
    if not any(call.tool == "send_email" for call in found.calls):
        wanted = [_without_letter(stages) for stages in wanted]
    each = [_compared(stages, found) for stages in wanted]
    return max(each, key=lambda s: (s.complete and not s.unasked, s.ordered, _share(s), -len(s.unasked)))


def _without_letter(stages: Sequence[Sequence[Step]]) -> list[list[Step]]:
    """The same without the letters of a trajectory that makes a meeting."""
    makes = any(step.tool == "schedule_meeting" for stage in stages for step in stage)
    return [[step for step in stage if not (makes and step.tool == "send_email")] for stage in stages]


def problem(step: Step, calls: Sequence[Call]) -> str:
    """Why no call is the step, or "". `calls` are those made so far; days may be looked at in several."""
    own = [call for call in calls if call.tool == step.tool and call.done]
    if not own:
        return f"{step.tool} was not called, or came to nothing"
    if step.tool == "check_calendar":
        missing = set(step.days) - days_of(own)
        return f"check_calendar did not look at {', '.join(map(str, sorted(missing)))}" if missing else ""
    told = [_act_problem(step, call) for call in own]
    return "" if "" in told else told[0]


def days_of(calls: Sequence[Call]) -> set[date]:
    """The days that were looked at."""
    texts = [str(day)[:10] for c in calls if c.tool == "check_calendar" and c.done for day in c.args["days"]]
    return {date.fromisoformat(text) for text in texts}


def addresses(*fields: str) -> frozenset[str]:
    """The addresses in fields of a card, lower case."""
    return frozenset(address.lower() for _, address in getaddresses(fields) if address)


def _compared(stages: Sequence[Sequence[Step]], found: Trajectory) -> Steps:
    steps = [step for stage in stages for step in stage]
    problems = tuple(filter(None, (problem(step, found.calls) for step in steps)))
    bare = [[Step(tool=step.tool) for step in stage] for stage in stages]
    ordered, complete = _in_order(bare, found.calls), _in_order(stages, found.calls)
    if not ordered:
        problems = (*problems, f"the tools came as {', '.join(c.tool for c in found.calls) or 'none'}")
    elif not complete and not problems:
        problems = ("the right calls came in another order",)
    held = sum(not problem(step, found.calls) for step in steps)
    unasked = Counter(call.tool for call in found.acts) - Counter(step.tool for step in steps)
    return Steps(ordered, complete, held, len(steps), problems, tuple(unasked.elements()))


def _share(steps: Steps) -> float:
    return steps.held / steps.of if steps.of else 0.0


def _in_order(stages: Sequence[Sequence[Step]], calls: Sequence[Call]) -> bool:
    """Whether the stages come one after another: of each, the order of its steps that ends the earliest."""
    at = 0
    for stage in stages:
        ends = [end for order in permutations(stage) if (end := _end(order, calls, at)) is not None]
        if not ends:
            return False
        at = min(ends)
    return True


def _end(steps: Sequence[Step], calls: Sequence[Call], at: int) -> int | None:
    """Where the steps have come one after another, from `at` on."""
    for step in steps:
        end = next((n for n in range(at + 1, len(calls) + 1) if not problem(step, calls[at:n])), None)
        if end is None:
            return None
        at = end
    return at


def _act_problem(step: Step, call: Call) -> str:
    shown = dict(call.card.args) if call.card else {}
    checks = [
        _people("to", step.to, shown.get("to", ""), shown.get("cc", "")),
        _people("attendees", step.attendees, shown.get("attendees", "")),
        _time(step, shown),
        _words("location", step.location, shown.get("location", "")),
        _words("subject", step.subject, shown.get("subject", "")),
    ]
    wrong = [each for each in checks if each]
    return f"{step.tool}: {'; '.join(wrong)}" if wrong else ""


def _people(field: str, wanted: Sequence[str] | None, *shown: str) -> str:
    if wanted is None:
        return ""
    # The user may stand among the guests of their own meeting.
    found, want = (addresses(*fields) - addresses(USER) for fields in (shown, wanted))
    return "" if found == want else f"{field} is {', '.join(sorted(found)) or 'nobody'}"


def _time(step: Step, shown: dict[str, str]) -> str:
    start, end = shown.get("start", ""), shown.get("end", "")
    if step.whole_days is not None:
        wanted = tuple(map(str, step.whole_days))
        return "" if (start, end) == wanted else f"it takes {start} to {end}"
    if step.minutes is None and step.start is None:
        return ""
    if "T" not in start:
        return f"it takes the whole day {start}"
    begins, ends = datetime.fromisoformat(start), datetime.fromisoformat(end)
    if step.minutes is not None and (ends - begins).total_seconds() != 60 * step.minutes:
        return f"it takes {(ends - begins).total_seconds() / 60:.0f} minutes"
    if step.start is not None and not step.start[0] <= begins <= step.start[1]:
        return f"it starts {start}"
    return ""


def _words(field: str, wanted: Sequence[str], shown: str) -> str:
    if not wanted or any(each.lower() in shown.lower() for each in wanted):
        return ""
    return f"{field} is {shown!r}"
