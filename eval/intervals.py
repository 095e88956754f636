"""How sure a figure is: confidence intervals, repeated runs.

The statistics are SciPy's: Wilson's interval for shares, the bias-corrected bootstrap for means.
"""

from collections.abc import Sequence
from math import comb
from typing import Any

from scipy import stats

from eval.figures import Better, Figure, Kind

LEVEL = 0.95
RESAMPLES = 2_000
_SEED = 20_261_121


def share(name: str, right: int, of: int, **more: Any) -> Figure:
    """`right` of `of` cases as a figure with Wilson's interval; of no case, a share of 0 with the interval 0 to 1."""
    low, high = wilson(right, of)
    return Figure(name, right / of if of else 0.0, low=low, high=high, of=of, **more)


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson, 1927); of no case, from 0 to 1."""
    if not of:
        return 0.0, 1.0
    interval = stats.binomtest(right, of).proportion_ci(LEVEL, method="wilson")
    return float(interval.low), float(interval.high)


def mean(name: str, values: Sequence[float], kind: Kind, *, better: Better = "lower", **more: Any) -> Figure:
    """The mean with its bootstrap interval, without one when all values are the same."""
    if not values:
        raise ValueError(f"{name}: there are no values")
    low = high = None
    if len(set(values)) > 1:
        found = stats.bootstrap(
            (values,), _mean, n_resamples=RESAMPLES, confidence_level=LEVEL, rng=_SEED, vectorized=False
        ).confidence_interval
        low, high = float(found.low), float(found.high)
    return Figure(name, _mean(values), kind, better, low=low, high=high, of=len(values), **more)


def pass_hat_k(right: Sequence[int], runs: int, k: int) -> float:
    """pass^k: how likely k runs of a case are all right, averaged over the cases (Yao et al., τ-bench, 2024).

    `right` is how many of `runs` runs each case got right; raises `ValueError` for a k above `runs`.
    """
    if not 1 <= k <= runs or not right:
        raise ValueError("k is from 1 to the number of runs, and there must be cases")
    return sum(comb(c, k) / comb(runs, k) for c in right) / len(right)


def coverage_and_risk(cases: Sequence[tuple[float, bool]]) -> list[tuple[float, float, float]]:
    """(threshold, coverage, risk) for each confidence that occurs, the highest first.

    Coverage is the share of cases at or above the threshold, risk the share of those that are wrong
    (El-Yaniv and Wiener, 2010).
    """
    points = []
    for threshold in sorted({confidence for confidence, _ in cases}, reverse=True):
        kept = [right for confidence, right in cases if confidence >= threshold]
        points.append((threshold, len(kept) / len(cases), 1 - sum(kept) / len(kept)))
    return points


def _mean(values: Sequence[float]) -> float:
    return float(sum(values) / len(values))
