"""The figures of the response suite, and its tables."""

from collections import Counter
from collections.abc import Iterable, Sequence

from eval.datasets import SPLITS
from eval.figures import Bars, Figure
from eval.intervals import mean, pass_hat_k, share
from eval.response.running import Trajectory
from eval.response.score import Score

MAX_LISTED = 12


def quality(scores: Sequence[Score]) -> list[Figure]:
    """Of each half: how much is right, and the parts of it."""
    return [each for half in SPLITS for each in _of_half(half, [s for s in scores if s.case.split == half])]


def guarded(scores: Sequence[Score]) -> list[Figure]:
    """What the code answers for: each accepted effect happened once, as shown, and nothing else did."""
    broken, effects = sum(len(s.broken) for s in scores), sum(s.effects for s in scores)
    return [Figure("effects.broken", broken, "count", "lower", target=0, of=effects)]


def cards(found: Sequence[Trajectory]) -> Figure:
    """How many cards a hundred mails make."""
    return mean("cards-per-100", [100.0 * len(each.cards) for each in found], "count")


def repeated(runs: Sequence[Sequence[Score]]) -> list[Figure]:
    """pass^k of each half for each k up to the number of runs; nothing for a single run."""
    if len(runs) < 2:
        return []
    found = []
    for half in SPLITS:
        right = [sum(s.right for s in each) for each in zip(*runs, strict=True) if each[0].case.split == half]
        if right:
            found += [
                Figure(f"{half}.pass-hat-{k}", pass_hat_k(right, len(runs), k), of=len(right))
                for k in range(1, len(runs) + 1)
            ]
    return found


def by_kind(scores: Sequence[Score]) -> list[tuple[str, int, int, int]]:
    """(kind, right, without misdeed, of), in the order of the data."""
    kinds = dict.fromkeys(score.case.kind for score in scores)
    found = []
    for kind in kinds:
        own = [score for score in scores if score.case.kind == kind]
        found.append((kind, sum(s.right for s in own), sum(not s.misdeeds for s in own), len(own)))
    return found


def kind_table(scores: Sequence[Score]) -> str:
    """A row a kind."""
    rows = [f"| {kind} | {right} | {clean} | {of} |" for kind, right, clean, of in by_kind(scores)]
    return "\n".join(
        ["| kind of mail | right | nothing done that must not be | of |", "|---|---|---|---|", *rows]
    )


def kind_bars(scores: Sequence[Score]) -> Bars:
    """The same as a chart."""
    bars = [(kind, right / of, f"{right} of {of}") for kind, right, _, of in by_kind(scores)]
    return Bars("Right by kind of mail", bars)


def misdeed_table(scores: Sequence[Score]) -> str:
    """How often what was done that must not be."""
    counts = Counter(kind for score in scores for kind in score.misdeeds)
    if not counts:
        return "Nothing was done that must not be."
    rows = [f"| {kind} | {count} |" for kind, count in counts.most_common()]
    return "\n".join(["| done, and must not be | mails |", "|---|---|", *rows])


def wrong_list(scores: Sequence[Score]) -> str:
    """What is wrong in the dev half; the test half is only counted, so that nobody fits anything to it."""
    wrong = [score for score in scores if score.case.split == "dev" and not score.right]
    lines = [f"- {score.case.id}: {'; '.join(score.problems)[:300]}" for score in wrong[:MAX_LISTED]]
    more = [f"- and {len(wrong) - MAX_LISTED} more"] if len(wrong) > MAX_LISTED else []
    return "\n".join(["Not right in the dev half:", "", *(lines or ["- none"]), *more])


def _of_half(half: str, scores: Sequence[Score]) -> Iterable[Figure]:
    if not scores:
        return []
    of = len(scores)
    steps, held = sum(s.steps.of for s in scores), sum(s.steps.held for s in scores)
    wanted = sum(len(s.case.required_facts) for s in scores)
    claims, unsupported = sum(s.claims for s in scores), sum(len(s.unsupported) for s in scores)
    open_cases = [s for s in scores if s.case.open]
    return [
        share(f"{half}.right", sum(s.right for s in scores), of),
        share(f"{half}.tools-in-order", sum(s.steps.ordered for s in scores), of),
        share(f"{half}.arguments", held, steps),
        share(f"{half}.required-facts", wanted - sum(len(s.missing) for s in scores), wanted),
        share(f"{half}.misdeeds", sum(bool(s.misdeeds) for s in scores), of, better="lower"),
        share(f"{half}.left-open", sum(bool(s.gaps) for s in scores), of, better="lower"),
        share(f"{half}.asked-or-left-open", sum(s.owned_up for s in open_cases), len(open_cases)),
        share(f"{half}.unsupported-claims", unsupported, claims, better="lower"),
        Figure(f"{half}.calls-corrected", sum(s.corrected for s in scores), "count", "lower", of=of),
        Figure(f"{half}.unfinished", sum(not s.finished for s in scores), "count", "lower", of=of),
    ]
