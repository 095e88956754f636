"""JSON over HTTP to a service that a setting names: one answer, or an error that says who must act.

Redirects are not followed: they would take the credentials along.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import structlog

from email_assistant.clock import seconds_asked_for
from email_assistant.errors import AccessError, ConfigError, ProviderError, TransientError

TIMEOUT_SECONDS = 20.0
"""For one attempt, from connecting to the end of the answer."""
ATTEMPTS = 3
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
"""A longer wait than this is not sat out: the caller is told, and comes again later."""
MAX_ANSWER = 1_000_000
"""Bytes of an answer that are read."""
USER_AGENT = "email-assistant"

_SLOW_DOWN = 429
# Nothing of such a request has reached the service.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What the service answered."""

    status: int
    body: Any
    """The JSON, or None when there is none that can be read."""
    in_doubt: bool = False
    """An earlier attempt of the same call may have been carried out, whatever this one was told."""


@dataclass(frozen=True, slots=True)
class _Failed:
    """An attempt that brought no answer that can be used, but may bring one later."""

    reason: str
    refused: bool
    """The service did surely not carry it out."""
    after_seconds: float = 0.0


@dataclass(frozen=True)
class HttpApi:
    """One service. It keeps no connection from one call to the next."""

    name: str
    """As errors call it: "Jira"."""
    url: str
    headers: Mapping[str, str] = field(repr=False)
    """Credentials."""
    mend: str
    """What to check when the credentials are refused."""
    timeout: float = TIMEOUT_SECONDS
    attempts: int = ATTEMPTS
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def ask(
        self,
        method: str,
        path: str = "",
        *,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool,
    ) -> HttpAnswer:
        """Make a call, up to three times. One whose end nobody saw is made again only when it is `repeatable`.

        Raises `ConfigError` for an address that is none, `AccessError` for 401 and 403, `TransientError` for 429, 408, 5xx, a
        time-out and a broken connection, and `ProviderError` for a redirect or an answer above 1 MB; what any other status
        means is the caller's to say. After an attempt whose end nobody saw, what would be another error is a
        `TransientError`, too.
        """
        in_doubt = False
        async with await self._client() as client:
            for attempt in range(1, self.attempts + 1):
                request = self._request(client, method, path, json=body, params=params, headers=headers)
                try:
                    result = await self._attempt(client, request)
                except ProviderError as error:
                    if in_doubt:
                        raise TransientError(
                            f"{error}; an earlier attempt may have been carried out"
                        ) from None
                    raise
                if isinstance(result, HttpAnswer):
                    return replace(result, in_doubt=in_doubt)
                in_doubt = in_doubt or not result.refused
                wait = max(result.after_seconds, FIRST_WAIT_SECONDS * 2 ** (attempt - 1))
                may_repeat = repeatable or result.refused
                if not may_repeat or attempt == self.attempts or wait > LONGEST_WAIT_SECONDS:
                    raise TransientError(f"{self.name} {result.reason}")
                log.warning("waiting_for_service", service=self.name, seconds=wait, reason=result.reason)
                await self.sleep(wait)
        raise AssertionError("unreachable: the last attempt raises")

    def _request(self, client: httpx.AsyncClient, method: str, path: str, **options: Any) -> httpx.Request:
        try:
            return client.build_request(method, self.url + path, **options)
        except httpx.InvalidURL as error:
            raise ConfigError(f"{self.name}'s address {self.url} is none ({error}): {self.mend}") from None

    async def _client(self) -> httpx.AsyncClient:
        # Reading the certificates would hold up everybody else on the event loop.
        trusted = await asyncio.to_thread(httpx.create_ssl_context)
        given = {
            "user-agent": USER_AGENT,
            "accept": "application/json",
            # A few packed bytes could become more than memory holds.
            "accept-encoding": "identity",
            **self.headers,
        }
        return httpx.AsyncClient(verify=trusted, headers=given, timeout=self.timeout, follow_redirects=False)

    async def _attempt(self, client: httpx.AsyncClient, request: httpx.Request) -> HttpAnswer | _Failed:
        try:
            async with asyncio.timeout(self.timeout):
                answer = await client.send(request, stream=True)
                try:
                    content = await self._content(answer)
                finally:
                    await answer.aclose()
        except _NOT_SENT:
            return _Failed("cannot be reached", refused=True)
        except (TimeoutError, httpx.TimeoutException):
            return _Failed("did not answer in time", refused=False)
        except httpx.HTTPError as error:
            return _Failed(f"broke the connection ({type(error).__name__})", refused=False)
        return self._judged(answer, content)

    async def _content(self, answer: httpx.Response) -> bytes:
        content = b""
        async for part in answer.aiter_raw():
            content += part
            if len(content) > MAX_ANSWER:
                raise ProviderError(f"{self.name}'s answer is longer than {MAX_ANSWER} bytes")
        return content

    def _judged(self, answer: httpx.Response, content: bytes) -> HttpAnswer | _Failed:
        status = answer.status_code
        if status in {401, 403}:
            raise AccessError(f"{self.name} refuses the credentials (status {status}): {self.mend}")
        if 300 <= status < 400:
            raise ProviderError(
                f"{self.name} wants to lead to another address (status {status}): {self.mend}"
            )
        wait = seconds_asked_for(answer.headers.get("retry-after", "")) or 0.0
        if status == _SLOW_DOWN:
            return _Failed("asks to slow down (status 429)", refused=True, after_seconds=wait)
        if status == 408 or status >= 500:
            told = f"failed (status {status})"
            return _Failed(told, refused=False, after_seconds=wait)
        return HttpAnswer(status, _json(content))


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
