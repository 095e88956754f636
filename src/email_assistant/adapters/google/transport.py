"""HTTP for Google's client libraries over httpx.

Their own transport sends a POST again when the connection breaks before the answer; a mail might go out twice.
"""

from collections.abc import Mapping
from typing import Any

import google.auth.exceptions
import google.auth.transport
import httplib2
import httpx

TIMEOUT_SECONDS = 60.0


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
        told = {name.lower(): value for name, value in answer.headers.items()}
        # The body is given decoded, so what was said about its coding no longer holds.
        told.pop("content-encoding", None)
        return httplib2.Response(told | {"status": str(answer.status_code)}), answer.content


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
    ) -> "AuthResponse":
        """One request; raises google-auth's `TransportError` when no answer came."""
        try:
            answer = self._client.request(
                method, url, content=body, headers=dict(headers or {}), timeout=timeout or TIMEOUT_SECONDS
            )
        except httpx.HTTPError as error:
            raise google.auth.exceptions.TransportError(error) from error
        return AuthResponse(answer)


class AuthResponse(google.auth.transport.Response):
    """An answer in google-auth's form."""

    def __init__(self, answer: httpx.Response) -> None:
        """Wraps httpx's."""
        self._answer = answer

    @property
    def status(self) -> int:
        """The status code."""
        return self._answer.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """The answer's headers."""
        return self._answer.headers

    @property
    def data(self) -> bytes:
        """The answer's body."""
        return self._answer.content
