"""What `make check` leaves to `make test`: tests that start a program or take seconds, told by path and fixture, not one by one."""

from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SERVED = ("tests/e2e", "tests/servers", "tests/soak")
"""Folders whose tests talk to a running server."""
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
SLOW = (
    "tests/contract/test_google_calendar.py",
    "tests/contract/test_google_calendar_answers.py",
    "tests/unit/adapters/test_gmail_listing.py",
    "tests/unit/cli/test_failing_told.py",
    "tests/unit/cli/test_gmail_auth.py",
    "tests/unit/effects/test_outbox_processes.py",
    "tests/unit/eval_",
    "tests/unit/journal/test_database.py",
    "tests/unit/journal/test_orders_crowd.py",
)
"""Files and folders that start processes of their own or take long."""


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark what `make check` leaves out as `slow`."""
    for item in items:
        if _is_slow(item):
            item.add_marker(pytest.mark.slow)


def _is_slow(item: pytest.Item) -> bool:
    path = item.path.relative_to(ROOT).as_posix()
    if any(path == each or path.startswith(f"{each}/") for each in (*SERVED, *SLOW)):
        return True
    if PROGRAMS & set(getattr(item, "fixturenames", ())):
        return True
    callspec = getattr(item, "callspec", None)
    return callspec is not None and "postgres" in callspec.params.values()
