"""What the tests of graphs share."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from eval.mails import HOST
from tests.servers.google_server import GoogleServer, running_google_server
from tests.support.calendar_mail import MINE
from tests.support.desk import Desk, desk, keeping_connections


@pytest.fixture(autouse=True)
async def kept_connections() -> AsyncIterator[None]:
    """As in a server, with each test as one life of it."""
    async with keeping_connections():
        yield


@pytest.fixture(scope="session")
def google() -> Iterator[GoogleServer]:
    """The stand-in for Google; each test begins with an empty one."""
    with running_google_server() as server:
        yield server


@pytest.fixture(params=["ics", "google"])
def on_either_calendar(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """An assistant without a model and with the local mailbox: once with a calendar file, once with Google Calendar."""
    if request.param == "ics":
        return desk(tmp_path, EMAIL_ASSISTANT_AUTHSERV_ID=HOST)
    google: GoogleServer = request.getfixturevalue("google")
    google.reset()
    token = google.account(MINE, timezone="Europe/Berlin")
    return desk(
        tmp_path,
        EMAIL_ASSISTANT_AUTHSERV_ID=HOST,
        EMAIL_ASSISTANT_CALENDAR="google",
        EMAIL_ASSISTANT_GOOGLE_ENDPOINT=google.url,
        GMAIL_TOKEN=json.dumps({"token": token}),
    )
