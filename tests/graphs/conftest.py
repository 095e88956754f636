"""What the tests of graphs share."""

from collections.abc import AsyncIterator

import pytest

from tests.support.desk import keeping_connections


@pytest.fixture(autouse=True)
async def kept_connections() -> AsyncIterator[None]:
    """As in a server, with each test as one life of it."""
    async with keeping_connections():
        yield
