"""Calls to Google: tokens kept fresh, what is repeated and what is not, and errors that say who must act."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httplib2
import pytest
from googleapiclient.errors import HttpError
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from email_assistant.adapters.google.access import GoogleTokens, Places
from email_assistant.adapters.google.api import GoogleApi
from email_assistant.adapters.google.transport import failure_of
from email_assistant.clock import FixedClock
from email_assistant.errors import (
    AccessError,
    ConflictError,
    NotFoundError,
    ProviderError,
    TransientError,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PROFILE = {"emailAddress": "robin@example.com", "historyId": "7"}
PATH = "/gmail/v1/users/me/profile"

Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]


def problem(status: int, reason: str = "", message: str = "Something is wrong") -> Answer:
    """An error in Google's form."""
    return status, {"error": {"code": status, "message": message, "errors": [{"reason": reason}]}}


@dataclass
class Google:
    """A server that gives the answers it was told to, in order, the last one for ever."""

    server: HTTPServer
    folder: Path
    answers: list[Answer] = field(default_factory=list)
    token_answers: list[Answer] = field(default_factory=list)
    tokens_seen: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    """Methods and paths."""
    waits: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.server.expect_request("/oauth2/token").respond_with_handler(self._token)
        self.server.expect_request(PATH).respond_with_handler(self._call)

    def api(self, attempts: int = 6, **token: Any) -> GoogleApi:
        """Calls with this token (by default one that does not run out)."""
        places = Places(self.server.url_for("").rstrip("/"))
        client = {"client_id": "client.example", "client_secret": "not so secret"}

        async def note(seconds: float) -> None:
            self.waits.append(seconds)

        tokens = GoogleTokens(places, self.folder)
        tokens.token_path.write_text(json.dumps(({"token": "first"} | client) | token))
        return GoogleApi(places, tokens, clock=FixedClock(NOW), sleep=note, attempts=attempts)

    def _call(self, request: Request) -> Response:
        self.calls.append(f"{request.method} {request.path}")
        self.tokens_seen.append(request.headers.get("authorization", ""))
        return _response(self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])

    def _token(self, request: Request) -> Response:
        assert parse_qs(request.get_data(as_text=True))["grant_type"] == ["refresh_token"]
        self.calls.append("refresh")
        return _response(self.token_answers.pop(0))


def _response(answer: Answer) -> Response:
    status, body, *headers = answer
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    return Response(
        text, status=status, headers=headers[0] if headers else None, content_type="application/json"
    )


@pytest.fixture
def google(httpserver: HTTPServer, tmp_path: Path) -> Iterator[Google]:
    """The server."""
    yield Google(httpserver, tmp_path)
    httpserver.check_assertions()


def profile(gmail: Any) -> Any:
    """A small call."""
    return gmail.users().getProfile(userId="me")


class TestTokens:
    """The token goes with every call and is refreshed when it has run out."""

    async def test_a_token_that_has_run_out(self, google: Google) -> None:
        """It is refreshed before the call, once, and kept in its file for nobody else to read."""
        google.answers = [(200, PROFILE)]
        google.token_answers = [(200, {"access_token": "second", "expires_in": 3600})]
        api = google.api(refresh_token="again", expiry="2020-01-01T00:00:00Z")
        await api.call("gmail", profile)
        await api.call("gmail", profile)
        assert google.tokens_seen == ["Bearer second", "Bearer second"]
        assert google.calls.count("refresh") == 1
        file = google.folder / "gmail_token.json"
        assert json.loads(file.read_text())["token"] == "second"
        assert file.stat().st_mode & 0o777 == 0o600

    async def test_a_token_that_google_refuses_early(self, google: Google) -> None:
        """A 401 is answered by refreshing once; the call is made again, even one that must not be repeated."""
        google.answers = [problem(401, "authError"), (200, PROFILE)]
        google.token_answers = [(200, {"access_token": "second", "expires_in": 3600})]
        api = google.api(refresh_token="again")
        assert await api.call("gmail", profile, repeatable=False) == PROFILE
        assert google.tokens_seen == ["Bearer first", "Bearer second"]

    async def test_a_fresh_token_that_is_refused_too(self, google: Google) -> None:
        """There is no end of refreshing: the person must sign in again."""
        google.answers = [problem(401, "authError")]
        google.token_answers = [(200, {"access_token": "second", "expires_in": 3600})]
        with pytest.raises(AccessError, match="gmail auth"):
            await google.api(refresh_token="again").call("gmail", profile)
        assert google.calls.count("refresh") == 1

    @pytest.mark.parametrize("told", ["invalid_grant", "invalid_client"])
    async def test_a_refresh_that_is_refused(self, google: Google, told: str) -> None:
        """Consent was withdrawn, or the client is wrong: one line, with what to do, and no secret."""
        google.token_answers = [(400, {"error": told, "error_description": "No."})]
        api = google.api(refresh_token="again", expiry="2020-01-01T00:00:00Z")
        with pytest.raises(AccessError, match="gmail auth") as caught:
            await api.call("gmail", profile)
        assert "\n" not in str(caught.value)
        assert "not so secret" not in str(caught.value)
        assert google.waits == []

    async def test_nobody_has_signed_in(self, google: Google) -> None:
        """Without a token nothing is asked of Google."""
        api = google.api()
        (google.folder / "gmail_token.json").unlink()
        with pytest.raises(AccessError, match="gmail auth"):
            await api.call("gmail", profile)
        assert google.calls == []


class TestRepeating:
    """What is tried again, and how long it waits."""

    @pytest.mark.parametrize(
        ("answer", "wait"),
        [
            ((*problem(429, "rateLimitExceeded"), {"retry-after": "5"}), 5),
            ((*problem(429), {"retry-after": format_datetime(NOW + timedelta(seconds=9), usegmt=True)}), 9),
            (problem(429, "x", "User-rate limit exceeded.  Retry after 2026-11-20T12:00:30.500Z"), 30.5),
            ((*problem(429), {"retry-after": "soon"}), 1),
            (problem(403, "rateLimitExceeded"), 1),
        ],
    )  # fmt: skip
    async def test_a_rate_limit(self, google: Google, answer: Answer, wait: float) -> None:
        """It waits as long as Google asks for, at least a second; an effect is repeated too, as nothing was done."""
        google.answers = [answer, (200, PROFILE)]
        assert await google.api().call("gmail", profile, repeatable=False) == PROFILE
        assert google.waits == [wait]

    async def test_a_server_that_cannot_be_reached(self, tmp_path: Path) -> None:
        """Nothing was done, so everything is tried again, and the text says what to look at."""
        waits: list[float] = []

        async def note(seconds: float) -> None:
            waits.append(seconds)

        places = Places("http://127.0.0.1:9")
        api = GoogleApi(
            places, GoogleTokens(places, tmp_path, token='{"token": "t"}'), sleep=note, attempts=3
        )
        with pytest.raises(TransientError, match="connection"):
            await api.call("gmail", profile, repeatable=False)
        assert waits == [1, 2]

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            (problem(404, "notFound"), NotFoundError),
            (problem(409, "duplicate"), ConflictError),
            (problem(400, "invalidArgument"), ProviderError),
            (problem(403, "insufficientPermissions"), AccessError),
            (problem(403, "quotaExceeded"), TransientError),
            ((302, "", {"location": "http://example.net/"}), ProviderError),
            ((403, "<html>Proxy says no</html>"), ProviderError),
        ],
    )
    async def test_what_is_final(self, google: Google, answer: Answer, kind: type[Exception]) -> None:
        """Waiting would not help: the error is told at once, in one line."""
        google.answers = [answer]
        with pytest.raises(kind) as caught:
            await google.api().call("gmail", profile)
        assert type(caught.value) is kind
        assert "\n" not in str(caught.value)
        assert google.waits == []


class TestUnreadable:
    """Answers that are not in Google's form."""

    async def test_a_page_of_a_proxy(self, google: Google) -> None:
        """What is not JSON is given as it is, for the caller to refuse; bytes that are no text are an error."""
        google.answers = [(200, "<html>Sign in to the guest network</html>")]
        assert await google.api().call("gmail", profile) == "<html>Sign in to the guest network</html>"
        google.answers = [(200, b"\xff\xfe\xfa")]
        with pytest.raises(TransientError, match="cannot be read"):
            await google.api(attempts=1).call("gmail", profile)

    @given(
        status=st.sampled_from([400, 401, 403, 404, 409, 429, 500, 503]),
        body=st.one_of(
            st.binary(max_size=80),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.text(max_size=9),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(
                        st.sampled_from(["error", "errors", "details", "reason", "message", "code"]),
                        inner,
                        max_size=3,
                    )
                ),
                max_leaves=8,
            ).map(lambda value: json.dumps({"error": value}).encode()),
        ),
        retry=st.text(max_size=12),
    )
    def test_no_error_body_breaks_us(self, status: int, body: bytes, retry: str) -> None:
        """Whatever stands in an error's body or its Retry-After, one line comes out."""
        response = httplib2.Response({"status": str(status), "retry-after": retry})
        try:
            error = HttpError(response, body)
        except AttributeError:
            return  # Google's own library gave up; see the test of the call.
        failure = failure_of(error, now=NOW)
        assert failure.error.args[0]
        assert "\n" not in str(failure.error)
        assert failure.after_seconds is None or failure.after_seconds >= 0
