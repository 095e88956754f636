"""Long matrices: a fixed sample of their rows in `make test` or `make test-all`, every row in `make soak`."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(rows: Iterable[Any], every: int) -> list[Any]:
    """The rows for `pytest.mark.parametrize`; all but the first, each `every`-th after it and the last are marked `soak`.

    A row is a value, a tuple of several, or a `pytest.param`, whose id and marks it keeps.
    """
    all_ = list(rows)
    return [_row(row, n % every == 0 or n == len(all_) - 1) for n, row in enumerate(all_)]


def _row(row: Any, is_in_sample: bool) -> Any:
    if is_in_sample:
        return row
    if isinstance(row, type(pytest.param())):
        return pytest.param(*row.values, id=row.id, marks=[*row.marks, pytest.mark.soak])
    return pytest.param(*(row if type(row) is tuple else (row,)), marks=pytest.mark.soak)
