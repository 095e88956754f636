"""Calls to Google: off the event loop, with a token that is kept fresh, repeated when that may help."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Self, TypeVar

import httpx
import structlog
from google.auth.exceptions import GoogleAuthError
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import HttpRequest

from email_assistant.adapters.google.access import GoogleTokens, Places, Service
from email_assistant.adapters.google.transport import (
    TIMEOUT_SECONDS,
    AuthRequest,
    CallFailure,
    Transport,
    failure_of,
)
from email_assistant.clock import Clock, SystemClock
from email_assistant.errors import AccessError, NotFoundError, TransientError
from email_assistant.settings import Settings

MAX_ATTEMPTS = 6
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
"""A longer wait than this is not sat out: the caller is told, and comes again later."""
TOGETHER = 6
"""Calls under way at a time: Gmail takes a handful from one user."""

T = TypeVar("T")
Build = Callable[[Any], HttpRequest]
Lookup = Callable[[], Awaitable[Any]]
"""Makes a request from the service's resource: `lambda gmail: gmail.users().getProfile(userId="me")`."""

# What the libraries raise; anything else is a bug, or a domain error of reading the token.
_FAILURES = (HttpError, GoogleAuthError, httpx.HTTPError)
# What they raise over an answer that is not in Google's form: a proxy's page.
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

    @classmethod
    def of(cls, settings: Settings, clock: Clock) -> Self:
        """The account of the token that settings name, or the data folder has."""
        tokens = GoogleTokens.of(settings)
        return cls(tokens.places, tokens, clock=clock)

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

    def _may_refresh(self, result: CallFailure) -> bool:
        """Whether Google has refused a token that has not run out by our clock, and a fresh one can be had."""
        if not isinstance(result.error, AccessError):
            return False
        with self._guard:
            credentials = self._credentials
            if credentials is None or not credentials.refresh_token:
                self._credentials = None
                return False
            credentials.token = None  # Which makes it invalid, so that the next attempt refreshes it.
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
            request, transport = build(self._resource(service)), self._transport()
        except _FAILURES as error:
            return failure_of(error, now=self._clock.now())
        try:
            return _json_of(request.execute(http=transport))
        except _FAILURES as error:
            return failure_of(error, now=self._clock.now())
        except _UNREADABLE as error:
            text = f"Google's answer cannot be read ({type(error).__name__})"
            return CallFailure(TransientError(text), again=True)

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


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T | NotFoundError]:
    """What reading calls give, a few of them under way at a time; results in order.

    An item that does not exist is its `NotFoundError` in the list, not raised; any other error is raised.
    """
    room = asyncio.Semaphore(TOGETHER)

    async def one(call: Coroutine[Any, Any, T]) -> T | NotFoundError:
        try:
            async with room:
                return await call
        except NotFoundError as error:
            return error
        finally:
            call.close()  # One that was cancelled in the queue has not begun.

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in work]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


def _json_of(response: Any) -> Any:
    return None if response in ("", b"") else response
