"""Calls to Google: off the event loop, with a token that is kept fresh, repeated when that may help."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import httpx
import structlog
from google.auth.exceptions import GoogleAuthError
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import HttpRequest

from email_assistant.adapters.google.failures import CallFailure, failure_of
from email_assistant.adapters.google.places import Places, Service
from email_assistant.adapters.google.tokens import GoogleTokens
from email_assistant.adapters.google.transport import TIMEOUT_SECONDS, AuthRequest, Transport
from email_assistant.clock import Clock, SystemClock
from email_assistant.errors import AccessError, NotFoundError, TransientError

MAX_ATTEMPTS = 6
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
"""A longer wait than this is not sat out: the caller is told, and comes again later."""
BATCH = 50
"""Calls in one HTTP request; Google allows 100 and advises no more than 50 for Gmail."""

Build = Callable[[Any], HttpRequest]
Lookup = Callable[[], Awaitable[Any]]
"""Makes a request from the service's resource: `lambda gmail: gmail.users().getProfile(userId="me")`."""

# What the libraries raise; anything else is a bug, or a domain error of reading the token.
_FAILURES = (HttpError, GoogleAuthError, httpx.HTTPError)
# What they raise over an answer that is not in Google's form: a proxy's page, a batch with a part missing.
_UNREADABLE = (ValueError, LookupError, AttributeError, TypeError)

log = structlog.get_logger(__name__)


class GoogleApi:
    """One account at Google. Errors are those of `email_assistant.errors`, never Google's own."""

    def __init__(
        self,
        places: Places,
        tokens: GoogleTokens,
        *,
        clock: Clock | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        attempts: int = MAX_ATTEMPTS,
    ) -> None:
        """Opens nothing; the token is read at the first call. A call is made `attempts` times at most."""
        self._places = places
        self._tokens = tokens
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._attempts = attempts
        self._guard = threading.Lock()
        self._resources: dict[Service, Any] = {}
        self._credentials: Credentials | None = None
        self._client: httpx.Client | None = None
        self.requests = 0
        """HTTP requests made so far, repeats included; a batch is one."""

    async def call(
        self, service: Service, build: Build, *, repeatable: bool = True, already: Lookup | None = None
    ) -> Any:
        """Make a call and return its JSON (None for an empty answer).

        A call that Google refused for its rate limits is made again, waiting as long as Google asks; after a
        failure in the middle only when it is `repeatable`, that is, when doing it twice does no harm, or when
        `already` can tell whether it happened: what that finds is returned in place of an answer.

        Raises `AccessError`, `NotFoundError`, `ConflictError`, `TransientError` or `ProviderError`.
        """
        for attempt in range(1, self._attempts + 1):
            result = await asyncio.to_thread(self._attempt, service, build)
            if isinstance(result, CallFailure) and self._may_refresh(result):
                result = await asyncio.to_thread(self._attempt, service, build)
            if not isinstance(result, CallFailure):
                return result
            await self._wait_or_raise(result, attempt, repeatable=repeatable or already is not None)
            if already and not result.refused and (found := await already()) is not None:
                return found
        raise AssertionError("unreachable: the last attempt raises")

    async def batch(self, service: Service, builds: Sequence[Build]) -> list[Any]:
        """Make many reading calls, up to 50 in one HTTP request; results in order.

        An item that does not exist is its `NotFoundError` in the list, not raised; any other error is raised.
        Single calls that Google refused for its rate limits are repeated by themselves.
        """
        results: list[Any] = [None] * len(builds)
        for start in range(0, len(builds), BATCH):
            chunk = range(start, min(start + BATCH, len(builds)))
            await self._chunk(service, builds, list(chunk), results)
        return results

    async def _chunk(
        self, service: Service, builds: Sequence[Build], todo: list[int], results: list[Any]
    ) -> None:
        for attempt in range(1, self._attempts + 1):
            failed = await self._read(service, builds, todo, results)
            if failed and self._may_refresh(_worst(failed)):
                failed = await self._read(service, builds, list(failed), results)
            if not failed:
                return
            todo = list(failed)
            await self._wait_or_raise(_worst(failed), attempt, repeatable=True)

    async def _read(
        self, service: Service, builds: Sequence[Build], todo: list[int], results: list[Any]
    ) -> dict[int, CallFailure]:
        """One batch: puts the answers into `results`, returns what failed."""
        answers = await asyncio.to_thread(self._attempt_batch, service, [builds[i] for i in todo])
        if isinstance(answers, CallFailure):
            return dict.fromkeys(todo, answers)
        failed: dict[int, CallFailure] = {}
        for index, answer in zip(todo, answers, strict=True):
            if isinstance(answer, CallFailure) and not _is_missing(answer):
                failed[index] = answer
            else:
                results[index] = answer.error if isinstance(answer, CallFailure) else answer
        return failed

    def _may_refresh(self, result: CallFailure) -> bool:
        """Whether Google has refused a token that has not run out by our clock, and a fresh one can be had."""
        if not isinstance(result.error, AccessError):
            return False
        with self._guard:
            credentials, self._credentials = self._credentials, None
            if credentials is None or not credentials.refresh_token or not credentials.token:
                return False
            credentials.token = None  # Which makes it invalid, so that the next attempt refreshes it.
            self._credentials = credentials
            return True

    async def _wait_or_raise(self, failure: CallFailure, attempt: int, *, repeatable: bool) -> None:
        may_repeat = failure.again and (repeatable or failure.refused)
        wait = max(failure.after_seconds or 0.0, FIRST_WAIT_SECONDS * 2 ** (attempt - 1))
        too_long = (failure.after_seconds or 0.0) > LONGEST_WAIT_SECONDS
        if not may_repeat or too_long or attempt == self._attempts:
            raise failure.error
        log.warning("waiting_for_google", seconds=round(wait, 1), reason=str(failure.error))
        await self._sleep(min(wait, LONGEST_WAIT_SECONDS))

    def _attempt(self, service: Service, build: Build) -> Any:
        """The answer, or what went wrong."""
        try:
            request = build(self._resource(service))
            transport = self._transport()
            self.requests += 1
            return _executed(lambda: _json_of(request.execute(http=transport)))
        except _FAILURES as error:
            return failure_of(error, now=self._clock.now())

    def _attempt_batch(self, service: Service, builds: Sequence[Build]) -> list[Any] | CallFailure:
        answers: dict[str, Any] = {}

        def note(request_id: str, response: Any, error: Exception | None) -> None:
            answers[request_id] = (
                _json_of(response) if error is None else failure_of(error, now=self._clock.now())
            )

        try:
            resource = self._resource(service)
            batch = resource.new_batch_http_request(callback=note)
            for number, build in enumerate(builds):
                batch.add(build(resource), request_id=str(number))
            transport = self._transport()
            self.requests += 1
            broken = _executed(lambda: batch.execute(http=transport))
        except _FAILURES as error:
            return failure_of(error, now=self._clock.now())
        if isinstance(broken, CallFailure):
            return broken
        return [answers[str(number)] for number in range(len(builds))]

    def _resource(self, service: Service) -> Any:
        with self._guard:
            if service not in self._resources:
                # Without `http` the library would look for Google's default credentials.
                self._resources[service] = build_from_document(
                    self._places.document(service), http=Transport("", self._http())
                )
            return self._resources[service]

    def _transport(self) -> Transport:
        with self._guard:
            client = self._http()
            credentials = self._credentials or self._tokens.load()
            if not credentials.valid and credentials.refresh_token:
                credentials.refresh(AuthRequest(client))
                self._tokens.save(credentials)
            self._credentials = credentials
            return Transport(str(credentials.token), client)

    def _http(self) -> httpx.Client:
        if self._client is None:
            self._client = httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False)
        return self._client


def _executed(execute: Callable[[], Any]) -> Any:
    """What the call returns, or the failure that nothing could be made of the answer."""
    try:
        return execute()
    except _UNREADABLE as error:
        kind = type(error).__name__
        return CallFailure(TransientError(f"Google's answer cannot be read ({kind})"), again=True)


def _worst(failed: Mapping[int, CallFailure]) -> CallFailure:
    """The failure that decides over a batch: a final one, else the one with the longest wait."""
    final = next((failure for failure in failed.values() if not failure.again), None)
    return final or max(failed.values(), key=lambda failure: failure.after_seconds or 0.0)


def _is_missing(failure: CallFailure) -> bool:
    return isinstance(failure.error, NotFoundError)


def _json_of(response: Any) -> Any:
    return None if response in ("", b"") else response
