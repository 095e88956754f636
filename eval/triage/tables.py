"""The tables of the triage suite: confusions, tags, and the cases that were wrong."""

from collections.abc import Sequence

from eval.intervals import share
from eval.triage.running import NO_ANSWER, Answer
from eval.triage.scores import LABELS

AT_LEAST = 3
"""Tags with fewer mails are not told: a share of two cases says nothing."""


def confusion(answers: Sequence[Answer]) -> str:
    """Labels down, verdicts across."""
    said = [*LABELS, *([NO_ANSWER] if any(a.verdict == NO_ANSWER for a in answers) else [])]
    lines = [f"| label \\ verdict | {' | '.join(said)} |", "|---|" + "---|" * len(said)]
    for label in LABELS:
        counts = [sum(a.case["label"] == label and a.verdict == v for a in answers) for v in said]
        lines.append(f"| {label} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


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
    lines = ["| tag | right | of | accuracy, 95 % interval |", "|---|---|---|---|"]
    return "\n".join(
        [
            *lines,
            *(f"| {t} | {right} | {of} | {share(t, right, of).told()} |" for t, right, of in by_tag(answers)),
        ]
    )


def wrong_table(answers: Sequence[Answer], title: str) -> str:
    """Mails with a wrong verdict: what was wanted and why, what was said and why."""
    if not answers:
        return f"{title}: none."
    lines = [f"{title}:", "", "| mail | wanted, because | said, because |", "|---|---|---|"]
    for a in answers:
        lines.append(
            f"| {a.case['id']} | {a.case['label']}: {_cell(a.case['reason'])} | {a.verdict}: {_cell(a.reason)} |"
        )
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:200]
