"""Gmail's documented answers that the emulator does not give, written out and served on the loopback.

Their forms are those of Gmail's reference and of its guides on errors and on synchronising.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from email_assistant.adapters.google.access import GoogleTokens, Places
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.mailbox import GmailMailbox
from email_assistant.clock import SystemClock
from email_assistant.errors import AccessError, CursorExpiredError, TransientError

ME = "/gmail/v1/users/me"
LONG_ID = "184467440737095516159"
"""More than 64 bits."""


class Answers:
    """A mailbox whose Gmail says what is written here."""

    def __init__(self, server: HTTPServer, folder: Path) -> None:
        self.waits: list[float] = []
        self.server = server
        tokens = GoogleTokens(Places(server.url_for("").rstrip("/")), folder)
        client = {"client_id": "client", "client_secret": "secret"}
        tokens.token_path.write_text(json.dumps({"token": "first", "refresh_token": "again"} | client))
        api = GoogleApi(tokens.places, tokens, clock=SystemClock(), sleep=self._wait)
        self.mailbox = GmailMailbox(api, "robin@example.com")

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    def once(self, path: str, body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """The next answer to a GET of the path; the last one written stays."""
        request = self.server.expect_ordered_request(path)
        request.respond_with_json(body, status=status, headers=headers)


def refusal(code: int, reason: str, message: str, status: str = "") -> dict[str, Any]:
    """An error in Google's form."""
    errors = [{"message": message, "domain": "global", "reason": reason}]
    return {"error": {"code": code, "message": message, "errors": errors, "status": status}}


@pytest.fixture
def gmail(httpserver: HTTPServer, tmp_path: Path) -> Answers:
    """A mailbox and its server."""
    return Answers(httpserver, tmp_path)


async def test_an_expired_history_id(gmail: Answers) -> None:
    """Gmail says 404; the id of now may be longer than 64 bits and stays text."""
    gone = refusal(404, "notFound", "Requested entity was not found.", "NOT_FOUND")
    gmail.once(f"{ME}/history", gone, 404)
    with pytest.raises(CursorExpiredError):
        await gmail.mailbox.changes("12")
    gmail.once(f"{ME}/profile", {"emailAddress": "robin@example.com", "historyId": LONG_ID})
    assert await gmail.mailbox.cursor() == LONG_ID
    gmail.once(f"{ME}/history", {"historyId": LONG_ID})
    assert (await gmail.mailbox.changes(LONG_ID)).cursor == LONG_ID
    assert gmail.server.log[-1][0].args["startHistoryId"] == LONG_ID


async def test_a_rate_limit_a_failure_and_then_an_answer(gmail: Answers) -> None:
    """Retry-After is kept to; a failure without one is waited for longer each time."""
    slower = refusal(
        429, "rateLimitExceeded", "Quota exceeded for quota metric 'Queries'.", "RESOURCE_EXHAUSTED"
    )
    gmail.once(f"{ME}/profile", slower, 429, {"Retry-After": "9"})
    gmail.once(f"{ME}/profile", refusal(500, "backendError", "Backend Error"), 500)
    gmail.once(f"{ME}/profile", "<html>502</html>", 502)
    gmail.once(f"{ME}/profile", {"historyId": "7"})
    assert await gmail.mailbox.cursor() == "7"
    assert gmail.waits == [9, 2, 4]


async def test_a_daily_quota(gmail: Answers) -> None:
    """It is not waited for, and not taken for a loss of access."""
    used = refusal(403, "dailyLimitExceeded", "Daily Limit Exceeded")
    gmail.once(f"{ME}/profile", used, 403)
    with pytest.raises(TransientError, match="quota"):
        await gmail.mailbox.cursor()
    assert gmail.waits == []


async def test_a_revoked_token(gmail: Answers) -> None:
    """The refusal of the token, and then of its refresh, end with the command that mends it."""
    gmail.once(f"{ME}/profile", refusal(401, "authError", "Invalid Credentials", "UNAUTHENTICATED"), 401)
    revoked = {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
    gmail.once("/oauth2/token", revoked, 400)
    with pytest.raises(AccessError, match="email-assistant gmail auth"):
        await gmail.mailbox.cursor()
    gmail.server.check_assertions()
