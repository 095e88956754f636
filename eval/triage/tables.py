"""The tables of the triage suite: confusions, tags, and the cases that were wrong."""

from collections import Counter
from collections.abc import Sequence

from eval.intervals import share
from eval.scorecard import table
from eval.triage.running import NO_ANSWER, Answer
from eval.triage.scores import LABELS

AT_LEAST = 3
"""Tags with fewer mails are not told: a share of two cases says nothing."""


def confusion(answers: Sequence[Answer]) -> str:
    """Labels down, verdicts across."""
    said = [*LABELS, *([NO_ANSWER] if any(a.verdict == NO_ANSWER for a in answers) else [])]
    pairs = Counter((a.case["label"], a.verdict) for a in answers)
    rows = [[label, *(str(pairs[label, verdict]) for verdict in said)] for label in LABELS]
    return table(["label \\ verdict", *said], rows)


def by_tag(answers: Sequence[Answer]) -> list[tuple[str, int, int]]:
    """(tag, right, of) of tags with enough mails, and of all languages but English together; the most frequent first."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        tags = set(answer.case["tags"])
        tags |= {"language: other than English"} if any(t.startswith("language:") for t in tags) else set()
        for tag in tags:
            groups.setdefault(tag, []).append(answer)
    found = [(tag, sum(a.right for a in those), len(those)) for tag, those in groups.items()]
    return sorted((row for row in found if row[2] >= AT_LEAST), key=lambda row: (-row[2], row[0]))


def tag_table(answers: Sequence[Answer]) -> str:
    """Accuracy by tag with its interval; a mail has several tags."""
    rows = [(t, str(right), str(of), share(t, right, of).told()) for t, right, of in by_tag(answers)]
    return table(("tag", "right", "of", "accuracy, 95 % interval"), rows)


def wrong_table(answers: Sequence[Answer], title: str) -> str:
    """Mails with a wrong verdict: what was wanted and why, what was said and why."""
    if not answers:
        return f"{title}: none."
    rows = [
        (a.case["id"], f"{a.case['label']}: {a.case['reason']}", f"{a.verdict}: {a.reason}") for a in answers
    ]
    return f"{title}:\n\n{table(('mail', 'wanted, because', 'said, because'), rows)}"
