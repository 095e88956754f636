"""Whether a confidence means what it says."""

from collections.abc import Sequence
from math import fsum

Judged = Sequence[tuple[float, bool]]
"""(confidence, whether the answer was right), a pair a case."""
BINS = 10


def bins(judged: Judged) -> list[tuple[float, float, int]]:
    """(mean confidence, share that is right, cases) of each of ten equally wide bins that holds a case, the lowest first."""
    held: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in judged:
        held.setdefault(min(int(confidence * BINS), BINS - 1), []).append((confidence, right))
    return [
        (fsum(c for c, _ in each) / len(each), sum(r for _, r in each) / len(each), len(each))
        for _, each in sorted(held.items())
    ]


def expected_error(judged: Judged) -> float:
    """The expected calibration error: how far confidence and share of right answers lie apart, averaged over the cases
    (Naeini, Cooper and Hauskrecht, 2015); raises `ValueError` without cases."""
    if not judged:
        raise ValueError("there are no cases")
    return fsum(of * abs(confidence - right) for confidence, right, of in bins(judged)) / len(judged)


def overconfidence(judged: Judged) -> float:
    """By how much the mean confidence is above the share of right answers; 0 when it is not."""
    if not judged:
        raise ValueError("there are no cases")
    return max(0.0, (fsum(c for c, _ in judged) - sum(r for _, r in judged)) / len(judged))


def at(judged: Judged, threshold: float) -> tuple[int, int]:
    """(cases at or above a threshold, those of them that are right)."""
    kept = [right for confidence, right in judged if confidence >= threshold]
    return len(kept), sum(kept)
