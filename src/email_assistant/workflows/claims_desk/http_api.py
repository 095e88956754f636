"""JSON over HTTP to a service that a setting names: one answer, or an error that says who must act.

Redirects are not followed: they would take the credentials along.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from email_assistant.errors import AccessError, ConfigError, ProviderError, TransientError

TIMEOUT_SECONDS = 20.0
"""For one attempt, from connecting to the end of the answer."""
ATTEMPTS = 3
MAX_ANSWER = 1_000_000
"""Bytes of an answer that are read."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What the service answered."""

    status: int
    body: Any
    """The JSON, or None when there is none that can be read."""
    in_doubt: bool = False
    """An earlier attempt of the same call may have been carried out, whatever this one was told."""


class _AttemptError(TransientError):
    """An attempt that brought no answer that can be used; the next one may."""


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
        """Make a call; one that is `repeatable`, whoever saw its end, up to three times within some seconds.

        Raises `ConfigError` for an address that is none, `AccessError` for 401 and 403, `TransientError` for 429, 408, 5xx, a
        time-out and a broken connection, and `ProviderError` for a redirect or an answer above 1 MB; what any other status
        means is the caller's to say. After an attempt that failed, what would be another error is a `TransientError`, too.
        """
        # Reading the certificates would hold up everybody else on the event loop.
        trusted = await asyncio.to_thread(httpx.create_ssl_context)
        sent = {
            "user-agent": "email-assistant",
            "accept": "application/json",
            # A few packed bytes could become more than memory holds.
            "accept-encoding": "identity",
            **self.headers,
            **(headers or {}),
        }
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(_AttemptError),
            stop=stop_after_attempt(ATTEMPTS if repeatable else 1),
            wait=wait_exponential(),
            sleep=self.sleep,
            reraise=True,
        )

        async def attempt() -> HttpAnswer:
            in_doubt = retrying.statistics["attempt_number"] > 1
            try:
                async with httpx.AsyncClient(verify=trusted, headers=sent, timeout=self.timeout) as client:
                    status, content = await self._attempt(client, method, path, json=body, params=params)
            except ProviderError as error:
                if not in_doubt or isinstance(error, _AttemptError):
                    raise
                raise TransientError(f"{error}; an earlier attempt may have been carried out") from None
            return HttpAnswer(status, _json(content), in_doubt)

        return await retrying(attempt)

    async def _attempt(
        self, client: httpx.AsyncClient, method: str, path: str, **request: Any
    ) -> tuple[int, bytes]:
        """Status and content of an answer that says something about the request; raises all else."""
        try:
            async with (
                asyncio.timeout(self.timeout),
                client.stream(method, self.url + path, **request) as answer,
            ):
                content = await self._content(answer)
        except httpx.InvalidURL as error:
            raise ConfigError(f"{self.name}'s address {self.url} is none ({error}): {self.mend}") from None
        except (TimeoutError, httpx.TimeoutException):
            raise _AttemptError(f"{self.name} did not answer in time") from None
        except httpx.ConnectError:
            raise _AttemptError(f"{self.name} cannot be reached") from None
        except httpx.HTTPError as error:
            raise _AttemptError(f"{self.name} broke the connection ({type(error).__name__})") from None
        self._check_status(answer.status_code)
        return answer.status_code, content

    async def _content(self, answer: httpx.Response) -> bytes:
        content = b""
        async for part in answer.aiter_raw():
            content += part
            if len(content) > MAX_ANSWER:
                raise ProviderError(f"{self.name}'s answer is longer than {MAX_ANSWER} bytes")
        return content

    def _check_status(self, status: int) -> None:
        if status in {401, 403}:
            raise AccessError(f"{self.name} refuses the credentials (status {status}): {self.mend}")
        if 300 <= status < 400:
            raise ProviderError(
                f"{self.name} wants to lead to another address (status {status}): {self.mend}"
            )
        if status == 429:
            raise TransientError(f"{self.name} asks to slow down (status 429)")
        if status == 408 or status >= 500:
            raise _AttemptError(f"{self.name} failed (status {status})")


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
