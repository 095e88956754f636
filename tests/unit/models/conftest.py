"""A real model server, and models that talk to it."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.servers.model_server import ModelServer, running_model_server
from tests.unit.models.sorting import Bench


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    """One server for the session; each test writes its own script."""
    with running_model_server() as server:
        yield server


@pytest.fixture
async def bench(model_server: ModelServer) -> AsyncIterator[Bench]:
    """Models on the server, and what they recorded."""
    model_server.script()
    bench = Bench(model_server)
    yield bench
    await bench.models().close()
