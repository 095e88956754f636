"""Two cards for one hour on the served system: never two events without the second having been asked about."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.e2e.conftest import Served, Thread
from tests.servers.model_server import tool_calls

pytestmark = pytest.mark.xdist_group("served")

TAKEN = "Your calendar has "


def waiting(served: Served, title: str, day: str, hour: int) -> Thread:
    """A card for a meeting."""
    args = {
        "title": title, "attendees": [], "start": f"2026-12-{day}T{hour}:00:00+01:00", "end": f"2026-12-{day}T{hour}:30:00+01:00",
        "timezone": "Europe/Berlin", "location": "",
    }  # fmt: skip
    thread = served.begin(tool_calls(("schedule_meeting", args), ("Done", {})))
    assert f"{hour}:00–{hour}:30 (Europe/Berlin)." in thread.card["description"].splitlines()[0]
    return thread


def accept(thread: Thread) -> Any:
    """Accept as Agent Inbox does for a card that can be edited."""
    return thread.answer([{"type": "accept", "args": thread.echo()}])


def created(served: Served, *titles: str) -> list[bool]:
    """Which of them are in the calendar."""
    return [served.event(title) is not None for title in titles]


def test_at_the_same_moment(served: Served) -> None:
    """Of two accepts in two runs at once one creates its event, the other is asked."""
    threads = [waiting(served, "Race one", "02", 10), waiting(served, "Race two", "02", 10)]
    with ThreadPoolExecutor(2) as both:
        list(both.map(accept, threads))
    done = created(served, "Race one", "Race two")
    assert sorted(done) == [False, True]
    assert threads[done.index(False)].card["description"].startswith(TAKEN)
