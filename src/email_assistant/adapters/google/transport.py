"""HTTP for Google's client libraries over httpx, and what its errors mean for us: who must act, and whether a call may be made again.

The libraries' own transport sends a POST again when the connection breaks before the answer; a mail might go out twice.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import google.auth.exceptions
import google.auth.transport
import httplib2
import httpx
from googleapiclient.errors import HttpError

from email_assistant.clock import seconds_asked_for
from email_assistant.errors import (
    AccessError,
    ConflictError,
    EmailAssistantError,
    NotFoundError,
    ProviderError,
    TransientError,
)

TIMEOUT_SECONDS = 60.0

SIGN_IN = "run `email-assistant gmail auth` to sign in again"
_RATE_REASONS = frozenset(
    {"rateLimitExceeded", "userRateLimitExceeded", "backendError", "concurrentLimitExceeded"}
)
_QUOTA_REASONS = frozenset({"quotaExceeded", "dailyLimitExceeded", "dailyLimitExceededUnreg"})
_SCOPE_REASONS = frozenset({"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"})
_DISABLED_REASONS = frozenset({"accessNotConfigured", "SERVICE_DISABLED"})
_RETRY_AT = re.compile(r"[Rr]etry after (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)")


class Transport:
    """What `HttpRequest.execute(http=…)` needs; safe to use from several threads, never repeats a request."""

    def __init__(self, token: str, client: httpx.Client) -> None:
        """`token` is the access token that goes with each request."""
        self._token = token
        self._client = client

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        **_: Any,
    ) -> tuple[httplib2.Response, bytes]:
        """One request; raises `httpx.HTTPError` when no answer came."""
        sent = dict(headers or {}) | {"authorization": f"Bearer {self._token}"}
        sent.pop("content-length", None)
        answer = self._client.request(method, uri, content=body, headers=sent)
        values = {name.lower(): value for name, value in answer.headers.items()}
        # The body is given decoded, so what was said about its coding no longer holds.
        values.pop("content-encoding", None)
        return httplib2.Response(values | {"status": str(answer.status_code)}), answer.content


class AuthResponse(NamedTuple):
    """An answer in google-auth's form."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class AuthRequest(google.auth.transport.Request):
    """What refreshing a token needs of a transport."""

    def __init__(self, client: httpx.Client) -> None:
        """Uses the client that the calls use."""
        self._client = client

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **_: Any,
    ) -> AuthResponse:
        """One request; raises google-auth's `TransportError` when no answer came."""
        try:
            answer = self._client.request(
                method, url, content=body, headers=dict(headers or {}), timeout=timeout or TIMEOUT_SECONDS
            )
        except httpx.HTTPError as error:
            raise google.auth.exceptions.TransportError(error) from error
        return AuthResponse(answer.status_code, answer.headers, answer.content)


@dataclass(frozen=True, slots=True)
class CallFailure:
    """A failed call."""

    error: EmailAssistantError
    again: bool = False
    """It may be made again, because it passes by itself."""
    refused: bool = False
    """Google did not carry it out, so that even a call with an effect may be made again."""
    after_seconds: float | None = None
    """How long Google asks us to wait."""


def failure_of(error: Exception, *, now: datetime) -> CallFailure:
    """What an exception of Google's libraries or of httpx means."""
    match error:
        case HttpError():
            return _http(error, now)
        case google.auth.exceptions.RefreshError():
            return _refresh(error)
        case google.auth.exceptions.TransportError() | httpx.ConnectError() | httpx.ConnectTimeout():
            return CallFailure(TransientError("Google cannot be reached: check the connection"), True, True)
        case httpx.HTTPError():
            kind = type(error).__name__
            return CallFailure(TransientError(f"the connection to Google broke ({kind})"), again=True)
        case _:
            return CallFailure(
                ProviderError(f"Google's client library failed: {' '.join(str(error).split())[:300]}")
            )


def _http(error: HttpError, now: datetime) -> CallFailure:
    status = int(error.resp.status)
    reasons, message = _details(error)
    if status == 401 or (status == 403 and reasons & (_DISABLED_REASONS | _SCOPE_REASONS)):
        return CallFailure(_no_access(reasons, message))
    if reasons & _QUOTA_REASONS:
        return CallFailure(
            TransientError("Google's quota for this project is used up for now; mail is not lost"),
            refused=True,
        )
    if status == 429 or (status == 403 and reasons & _RATE_REASONS):
        wait = _retry_after(error, message, now)
        return CallFailure(TransientError("Google asks us to slow down (rate limit)"), True, True, wait)
    if status >= 500:
        wait = _retry_after(error, message, now)
        return CallFailure(
            TransientError(f"Google's service failed ({status})"), again=True, after_seconds=wait
        )
    return CallFailure(_final(status, message))


def _no_access(reasons: frozenset[str], message: str) -> AccessError:
    if reasons & _DISABLED_REASONS:
        return AccessError(
            f"the API is not enabled in your Google Cloud project: enable it there ({message})"
        )
    if reasons & _SCOPE_REASONS:
        return AccessError(f"the Google token lacks a permission that is needed: {SIGN_IN}")
    return AccessError(f"Google does not accept the token (expired or revoked): {SIGN_IN}")


def _final(status: int, message: str) -> EmailAssistantError:
    if status == 404 or (status == 400 and "Invalid id value" in message):
        return NotFoundError("Google has no such item")
    if status == 410:
        return NotFoundError("Google says the item is gone")
    if status == 409:
        return ConflictError("Google has an item of that id already")
    return ProviderError(f"Google refused the request ({status}): {message}")


def _refresh(error: google.auth.exceptions.RefreshError) -> CallFailure:
    if getattr(error, "retryable", False):
        return CallFailure(TransientError("Google's sign-in service failed"), again=True, refused=True)
    text = str(error)
    if "invalid_client" in text or "unauthorized_client" in text:
        return CallFailure(
            AccessError(
                "Google does not know the OAuth client: check the client file (GMAIL_SECRET), then "
                + SIGN_IN.removesuffix(" to sign in again")
            )
        )
    if "invalid_scope" in text:
        return CallFailure(AccessError(f"the Google token lacks a permission that is needed: {SIGN_IN}"))
    return CallFailure(AccessError(f"Google does not accept the token (expired or revoked): {SIGN_IN}"))


def _details(error: HttpError) -> tuple[frozenset[str], str]:
    """The reasons Google names, and its message on one line."""
    try:
        body: Any = json.loads(error.content.decode("utf-8"))
        values = body["error"] if isinstance(body["error"], dict) else {"message": str(body["error"])}
    except (ValueError, KeyError, TypeError, AttributeError):
        values = {}
    lists = [value for value in (values.get("errors"), values.get("details")) if isinstance(value, list)]
    items = [item for value in lists for item in value]
    reasons = {str(i["reason"]) for i in items if isinstance(i, dict) and i.get("reason")}
    message = " ".join(str(values.get("message") or error.reason or "no reason given").split())
    return frozenset(reasons), message[:300]


def _retry_after(error: HttpError, message: str, now: datetime) -> float | None:
    """From the Retry-After header, or from Gmail's message text."""
    if match := _RETRY_AT.search(message):
        return max(0.0, (datetime.fromisoformat(match[1]) - now).total_seconds())
    return seconds_asked_for(str(error.resp.get("retry-after", "")).strip(), now)
