"""The organizer's scorers on paper: calibration, and events by the clock."""

from dataclasses import replace

import pytest

from eval.organizer import calibration, scores
from eval.organizer.running import Outcome

SURE = Outcome("", 0.9, "model", "low", True, False, (), None, (), (), (), 1.0)


def test_calibration_on_paper() -> None:
    """Four answers of 0.9 with three right, two of 0.3 with none right: (4 × 0.15 + 2 × 0.3) / 6."""
    judged = [(0.9, True)] * 3 + [(0.9, False)] + [(0.3, False)] * 2
    assert calibration.expected_error(judged) == pytest.approx(0.2)
    assert calibration.overconfidence(judged) == pytest.approx((3.6 + 0.6 - 3) / 6)
    assert calibration.overconfidence([(0.5, True)]) == 0.0
    with pytest.raises(ValueError, match="no cases"):
        calibration.expected_error([])


def test_events_are_compared_by_the_clock_that_was_meant() -> None:
    """The same instant by another clock is right; the same figures on another clock, an hour off or no card are wrong."""
    case = {"event": {"start": "2026-12-03T16:00", "end": "2026-12-03T16:45", "place": "Room 4"}}
    right = {
        "start": "2026-12-03T10:00:00-05:00",
        "end": "2026-12-03T16:45:00+01:00",
        "location": "big room 4",
    }
    assert scores.event_fields(case, replace(SURE, event=right)) == {
        "start": True,
        "end": True,
        "place": True,
    }
    for start in ("2026-12-03T16:00:00-05:00", "2026-12-03T17:00:00+01:00", "2026-12-03"):
        assert not scores.event_fields(case, replace(SURE, event=right | {"start": start}))["start"]
    assert not any(scores.event_fields(case, SURE).values())
