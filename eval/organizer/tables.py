"""The suite's tables as Markdown: what was taken for what, by category, by kind of mail, by threshold."""

from collections import Counter
from collections.abc import Sequence

from email_assistant.workflows.inbox_organizer.categorize_call import ASK_BELOW, ESCALATE_BELOW
from email_assistant.workflows.inbox_organizer.offline.category import CATEGORIES
from eval.intervals import coverage_and_risk, share
from eval.organizer import scores
from eval.organizer.calibration import Judged
from eval.organizer.running import Case, Outcome
from eval.scorecard import table

Pairs = Sequence[tuple[Case, Outcome]]
SHOWN_MISTAKES = 60
MIN_OF_KIND = 5
_SHORT = {name: name.rpartition("/")[2] for name in CATEGORIES}


def confusion(pairs: Pairs) -> str:
    """Rows: what a mail is; columns: what it was taken for."""
    counts = Counter((case["category"], outcome.category) for case, outcome in pairs if case["category"])
    rows = [
        [_SHORT[truth], *(str(counts[truth, taken] or "") for taken in CATEGORIES), _total(counts, truth)]
        for truth in CATEGORIES
    ]
    return table(["is \\ taken for", *_SHORT.values(), "mails"], rows)


def by_category(halves: dict[str, Pairs]) -> str:
    """Precision and recall of each category."""
    head = ["category", *(f"{half} {what}" for half in halves for what in ("precision", "recall"))]
    return table(
        head,
        [
            [name, *(cell for pairs in halves.values() for cell in _precision_and_recall(pairs, name))]
            for name in CATEGORIES
        ],
    )


def macro_f1(pairs: Pairs) -> float:
    """The mean over the categories that occur of the harmonic mean of precision and recall; 0 for one never right."""
    found = []
    for name in CATEGORIES:
        hit, taken, truth = _counts(pairs, name)
        if truth:
            found.append(2 * hit / (taken + truth))
    return sum(found) / len(found) if found else 0.0


def by_tag(pairs: Pairs) -> str:
    """Accuracy of the category by kind of mail; a mail counts in each of its kinds, and small kinds are left out."""
    tags = Counter(tag for case, _ in pairs if case["category"] for tag in case["tags"])
    rows = []
    for tag, of in sorted(tags.items(), key=lambda each: (-each[1], each[0])):
        if of < MIN_OF_KIND:
            break
        right = sum(bool(scores.category(*pair)) for pair in pairs if tag in pair[0]["tags"])
        rows.append([tag, *share(tag, right, of).told().rstrip(")").split(" (", 1), str(of)])
    return table(["kind of mail", "right", "95 % interval", "mails"], rows)


def thresholds(halves: dict[str, Judged]) -> str:
    """Coverage and risk at each confidence that occurs; a model's many confidences are told at the tenths."""
    rows = [[half, *row] for half, judged in halves.items() for row in _threshold_rows(judged)]
    return table(["half", "confidence at least", "coverage", "risk", ""], rows)


def levels(pairs: Pairs) -> str:
    """Rows: how important a mail is; columns: how important it was taken for."""
    counts = Counter((case["importance"], outcome.level) for case, outcome in pairs)
    rows = [
        [truth, *(str(counts[truth, taken] or "") for taken in scores.LEVELS), _total(counts, truth)]
        for truth in reversed(scores.LEVELS)
    ]
    return table(["is \\ taken for", *scores.LEVELS, "mails"], rows)


def mistakes(pairs: Pairs) -> str:
    """The wrong categories of the dev half by id; those of the test half are not told, so that nothing is fitted to them."""
    wrong = [
        f"- {case['id']} ({_SHORT[case['category']]}) as {_SHORT.get(outcome.category, 'nothing')}, {outcome.confidence:.2f}"
        for case, outcome in pairs
        if case["split"] == "dev" and scores.category(case, outcome) is False
    ]
    more = [f"- and {len(wrong) - SHOWN_MISTAKES} more"] if len(wrong) > SHOWN_MISTAKES else []
    return "\n".join([*wrong[:SHOWN_MISTAKES], *more]) or "None."


def _threshold_rows(judged: Judged) -> list[list[str]]:
    points = coverage_and_risk(judged)
    if len(points) > 12:
        points = coverage_and_risk([(int(confidence * 10) / 10, right) for confidence, right in judged])
    marks = {ASK_BELOW: "below, a person is asked", ESCALATE_BELOW: "below, the strong tier is asked"}
    return [
        [
            f"{threshold:.2f}",
            f"{coverage:.1%}",
            f"{risk:.1%}",
            "; ".join(mark for limit, mark in marks.items() if _is_last(points, threshold, limit)),
        ]
        for threshold, coverage, risk in points
    ]


def _is_last(points: Sequence[tuple[float, float, float]], threshold: float, limit: float) -> bool:
    return threshold == min((t for t, _, _ in points if t >= limit), default=None)


def _precision_and_recall(pairs: Pairs, name: str) -> tuple[str, str]:
    hit, taken, truth = _counts(pairs, name)
    return _of(hit, taken), _of(hit, truth)


def _counts(pairs: Pairs, name: str) -> tuple[int, int, int]:
    labelled = [(case["category"], outcome.category) for case, outcome in pairs if case["category"]]
    hit = labelled.count((name, name))
    return hit, sum(t == name for _, t in labelled), sum(c == name for c, _ in labelled)


def _of(right: int, of: int) -> str:
    return f"{right / of:.0%} ({right} of {of})" if of else "–"


def _total(counts: Counter[tuple[str, str]], truth: str) -> str:
    return str(sum(count for (is_, _), count in counts.items() if is_ == truth))
