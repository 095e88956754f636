"""What the development server holds in memory is written down, whatever happened the time before."""

import errno

import pytest
from langgraph.checkpoint.memory import PersistentDict

from email_assistant.server import engine


class Table(PersistentDict):
    """One that cannot be written for a while."""

    failures: list[Exception]

    def sync(self) -> None:
        """Fail, or write."""
        if self.failures:
            raise self.failures.pop(0)
        super().sync()


@pytest.fixture
def table(tmp_path) -> Table:  # type: ignore[no-untyped-def]
    """An empty one."""
    made = Table(dict, filename=str(tmp_path / "table.pckl"))
    made.failures = []
    return made


def read(table: Table) -> dict[str, str]:
    """What is on the disk."""
    loaded = PersistentDict(dict, filename=table.filename)
    loaded.load()
    return dict(loaded)


def test_a_table_that_was_empty_is_saved_when_it_is_filled(table: Table) -> None:
    """The server would never look at it again."""
    engine.save([table])
    table["card"] = "waits"
    engine.save([table])
    assert read(table) == {"card": "waits"}


@pytest.mark.parametrize(
    "failure",
    [OSError(errno.ENOSPC, "No space left on device"), RuntimeError("changed size"), ValueError("?")],
)
def test_a_table_that_cannot_be_saved_is_saved_the_next_time(table: Table, failure: Exception) -> None:
    """A full disk ends nothing, and the tables after it are saved."""
    table.failures = [failure] * engine.TRIES
    table["card"] = "waits"
    other = PersistentDict(dict, filename=f"{table.filename}.other")
    engine.save([table, other])
    table.failures = []
    engine.save([table])
    assert read(table) == {"card": "waits"}
