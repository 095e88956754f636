"""How the cost of a piece of work grows with its size, without asking how fast the machine is."""

import gc
import time
from collections.abc import Callable

ROUNDS = 8
STEP = 4
"""So many times as much work: four times the cost when it grows with the size, sixteen when it grows with its square."""
MOST = 10


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times as much processor time `work(4 * size)` takes as `work(size)`.

    Of several rounds the least of each counts, since whatever else the machine does only ever adds; it ends with the first round in
    which the growth is seen to be linear. Tables that are made at the first call are not counted.
    """
    work(size)
    least = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        least = [
            min(before, _cost(work, many)) for before, many in zip(least, (size, STEP * size), strict=True)
        ]
        if is_linear(ratio := least[1] / least[0]):
            break
    return ratio


def is_linear(ratio: float) -> bool:
    """True when a growth of that much is nearer to the size than to its square."""
    return ratio < MOST


def _cost(work: Callable[[int], object], size: int) -> float:
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        work(size)
        return max(time.process_time() - began, 1e-9)
    finally:
        gc.enable()
