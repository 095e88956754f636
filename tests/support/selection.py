"""Which test runs when: what `make check` leaves to `make test`, and that to `make test-all`, told by path, fixture and name.

`make check` runs what starts no program and takes no seconds; `make test` besides every contract over each workflow, one walk of each
surface, and one row of kills; `make test-all` everything.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SLOW = (
    "tests/architecture/test_removable_workflows.py",
    "tests/contract/test_google_calendar.py",
    "tests/contract/test_google_calendar_answers.py",
    "tests/e2e",
    "tests/property",
    "tests/servers",
    "tests/soak",
    "tests/unit/adapters/test_gmail_listing.py",
    "tests/unit/adapters/test_gmail_reading.py",
    "tests/unit/calendars/test_many_files.py",
    "tests/unit/cli/test_failing_told.py",
    "tests/unit/cli/test_gmail_auth.py",
    "tests/unit/effects/test_outbox_processes.py",
    "tests/unit/eval_",
    "tests/unit/ingest",
    "tests/unit/journal/test_customers.py",
    "tests/unit/journal/test_database.py",
    "tests/unit/journal/test_orders_crowd.py",
    "tests/unit/journal/test_snapshots.py",
    "tests/unit/shop/test_resolution_properties.py",
    "tests/unit/tools/test_refunding.py",
)
"""Files and folders that talk to running servers, start processes of their own or take long."""
PROGRAMS = {
    "postgres_url",
    "fresh_postgres",
    "google",
    "stand_in",
    "model_server",
    "model",
    "server",
    "browser",
}
"""Fixtures that start a program: PostgreSQL, a stand-in on node, a browser."""
LONG = re.compile(
    r"hostile|linear_time|_long_|large|largest|race|killed|very_many|monstrous|deep_nesting|one_moment"
)
"""Names of tests that bring much of something, or many at once."""
CONTRACT = "tests/contract/test_workflows.py"
SMOKE = "TestEmailAssistant"
"""The one workflow whose contract is fast enough to be gone through each time; the others follow in `make test`."""


WALKS = (
    "tests/contract/test_effects.py",
    "tests/contract/test_surfaces.py",
    "tests/e2e/test_cli.py",
    "tests/e2e/test_ingest.py",
    "tests/e2e/test_page_walk.py",
    "tests/e2e/test_readme.py",
    "tests/e2e/test_released_served.py",
    "tests/e2e/test_two_tabs_served.py",
    "tests/soak/test_kills.py",
    CONTRACT,
)
"""What is slow and in `make test` all the same."""


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark what `make check` leaves out as `slow`, and what `make test` leaves out as `whole`, too."""
    for item in items:
        if _is_slow(item):
            item.add_marker(pytest.mark.slow)
            if item.path.relative_to(ROOT).as_posix() not in WALKS or _is_on_a_program(item):
                item.add_marker(pytest.mark.whole)


def _is_slow(item: pytest.Item) -> bool:
    path = item.path.relative_to(ROOT).as_posix()
    if any(path == each or path.startswith(f"{each}/") for each in SLOW) or LONG.search(item.nodeid):
        return True
    if path == CONTRACT and SMOKE not in item.nodeid:
        return True
    return bool(PROGRAMS & set(getattr(item, "fixturenames", ()))) or _is_on_a_program(item)


def _is_on_a_program(item: pytest.Item) -> bool:
    """Whether it is that of a row of tests which is on PostgreSQL, or on the stand-in for Google."""
    callspec = getattr(item, "callspec", None)
    return callspec is not None and not {"postgres", "google"}.isdisjoint(_words(callspec.params.values()))


def _words(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]
