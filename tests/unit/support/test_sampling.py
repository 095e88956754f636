"""What of a long matrix runs each time, and that the rest is left to `make soak`."""

import pytest

from tests.support.sampling import sampled


def test_the_first_each_nth_and_the_last_run_and_the_rest_is_marked() -> None:
    """No row is dropped, and the order stays."""
    rows = sampled(range(8), every=3)
    assert [row for row in rows if isinstance(row, int)] == [0, 3, 6, 7]
    left = [row for row in rows if not isinstance(row, int)]
    assert [row.values for row in left] == [(1,), (2,), (4,), (5,)]
    assert {mark.name for row in left for mark in row.marks} == {"soak"}


def test_a_row_keeps_its_id_and_marks() -> None:
    """Whoever names a test finds it under the same name in either."""
    skipped = pytest.param(2, 3, id="b", marks=pytest.mark.slow)
    _, found, _ = sampled([pytest.param(1, 2, id="a"), skipped, pytest.param(3, 4, id="c")], every=5)
    assert (found.values, found.id, [mark.name for mark in found.marks]) == ((2, 3), "b", ["slow", "soak"])
