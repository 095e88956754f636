"""A database of the test's own, on both engines."""

from collections.abc import AsyncIterator

import pytest

from email_assistant.journal.database import Database


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Opened on first use, closed after the test."""
    opened = Database(database_url)
    yield opened
    await opened.close()
