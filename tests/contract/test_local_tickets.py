"""Our own table of tickets: the contract."""

from pathlib import Path

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.workflows.claims_desk.records.incidents import TicketTable
from tests.contract.tickets_contract import TicketsContract


@pytest.fixture
def tickets(tmp_path: Path, clock: FixedClock) -> TicketTable:
    """None yet."""
    return TicketTable(Database(f"sqlite:///{tmp_path / 'a.db'}"), clock)


class TestLocalTickets(TicketsContract):
    """The contract."""
