"""Listing large inboxes, against a server that lists as Gmail does: newest first, by pages, no times told."""

import asyncio
import json
import logging
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from email_assistant.adapters.google.access import GoogleTokens, Places
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.gmail_listing import GmailListing
from email_assistant.mail.mailbox import MailQuery

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOW_SECONDS = int(NOW.timestamp())
YEAR = 365 * 86_400


@dataclass
class Inbox:
    """Messages by the times they were received, in milliseconds, ascending; the id is the message's number."""

    times: list[int] = field(default_factory=list)
    inclusive: bool = True
    """Whether `after:` finds the very second, and `before:` too: Gmail does not document it."""
    lists: int = 0

    def answer(self, request: Request) -> Response:
        """messages.list."""
        self.lists += 1
        query, size = request.args["q"], int(request.args["maxResults"])
        first, last = self._range(query)
        offset = int(request.args.get("pageToken", 0))
        numbers = range(last - 1 - offset, max(first, last - offset - size) - 1, -1)
        page = {"messages": [{"id": f"m{n}", "threadId": f"t{n // 2}"} for n in numbers]}
        if last - offset - size > first:
            page["nextPageToken"] = str(offset + size)  # type: ignore[assignment]
        return Response(
            json.dumps(page if numbers else {"resultSizeEstimate": 0}), content_type="application/json"
        )

    def _range(self, query: str) -> tuple[int, int]:
        after, before = (re.search(rf"{name}:(\d+)", query) for name in ("after", "before"))
        first, last = 0, len(self.times)
        if after:
            bound = int(after[1]) * 1000
            first = (bisect_left if self.inclusive else bisect_right)(self.times, bound)
        if before:
            bound = int(before[1]) * 1000
            last = (bisect_right if self.inclusive else bisect_left)(self.times, bound)
        return first, max(first, last)


@pytest.fixture
def inbox(httpserver: HTTPServer, caplog: pytest.LogCaptureFixture) -> Inbox:
    """The inbox that the server lists."""
    # A line for each of many requests would only fill the memory.
    caplog.set_level(logging.ERROR, logger="werkzeug")
    caplog.set_level(logging.ERROR, logger="httpx")
    found = Inbox()
    httpserver.expect_request(re.compile(r"/gmail/v1/users/me/messages$")).respond_with_handler(found.answer)
    return found


@pytest.fixture
def api(httpserver: HTTPServer, tmp_path: Path) -> GoogleApi:
    """Calls to that server."""
    places = Places(httpserver.url_for("").rstrip("/"))
    return GoogleApi(places, GoogleTokens(places, tmp_path, token='{"token": "t"}'))


async def scanned(listing: GmailListing, query: MailQuery = MailQuery()) -> list[str]:  # noqa: B008 - it is frozen
    """What a scan gives."""
    return [listed.id async for listed in listing.scan(query)]


async def test_a_hundred_thousand(inbox: Inbox, api: GoogleApi) -> None:
    """Each is found once, oldest first, with as few calls as there are pages; a limit gives the oldest."""
    inbox.times = [(NOW_SECONDS - YEAR + n * 300) * 1000 for n in range(100_000)]
    assert await scanned(GmailListing(api)) == [f"m{n}" for n in range(100_000)]
    assert inbox.lists == 200
    assert await scanned(GmailListing(api), MailQuery(limit=3)) == ["m0", "m1", "m2"]
    assert await scanned(GmailListing(api), MailQuery(limit=0)) == []


@given(
    clusters=st.lists(
        st.tuples(st.integers(0, NOW_SECONDS * 1000), st.lists(st.integers(0, 4000), max_size=12)), max_size=6
    ),
    inclusive=st.booleans(),
    page=st.integers(1, 5),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_message_once_in_order(
    inbox: Inbox, api: GoogleApi, clusters: list[tuple[int, list[int]]], inclusive: bool, page: int
) -> None:
    """However mail is spread, and wherever pages end, a scan gives each message once, oldest first."""
    inbox.times = sorted(time + step for time, steps in clusters for step in steps)
    inbox.inclusive = inclusive
    listing = GmailListing(api, page=page)
    assert asyncio.run(scanned(listing)) == [f"m{n}" for n in range(len(inbox.times))]
