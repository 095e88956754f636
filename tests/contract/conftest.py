"""What the contract tests share."""

from collections.abc import Iterator

import pytest

from tests.servers.google_server import GoogleServer, running_google_server


@pytest.fixture(scope="session")
def google() -> Iterator[GoogleServer]:
    """The stand-in for Google; every test makes an account of its own there."""
    with running_google_server() as server:
        yield server
