"""The labelled mentions of products: the thresholds keep what docs/workflows/order_desk.md says of them."""

import pytest

from eval.resolution.catalogue import Half
from eval.resolution.measure import MOST_WRONG, Answered, answered


@pytest.fixture(scope="module", params=["dev", "test"])
def found(request: pytest.FixtureRequest) -> list[Answered]:
    """A small catalogue of one half, a few mentions of each kind."""
    half: Half = request.param
    return answered(half, sizes=(300,), each=15)


def test_certainty_is_hardly_ever_wrong(found: list[Answered]) -> None:
    """A wrong product in an order is the worst that can come of it."""
    assert sum(one.is_wrong for one in found) <= MOST_WRONG * len(found)


def test_most_of_what_can_be_known_is_resolved(found: list[Answered]) -> None:
    """A careful index that only asks would be of no use."""
    certain = [one for one in found if one.case.is_certain]
    assert sum(one.is_right for one in certain) >= 0.8 * len(certain)


def test_what_is_not_sold_is_never_resolved(found: list[Answered]) -> None:
    """Nor is what is said vaguely."""
    assert all(one.got.status != "resolved" for one in found if one.case.kind in {"not sold", "vague"})
